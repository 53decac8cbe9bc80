import type { FailureCode } from '#contract/vocabulary/outcomes.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { CatalogTool, Misfit } from '../../domain/ports/gate/tool-catalog.js';
import { ENVELOPE_WORDS } from './envelope-words.js';
import { findNearestName } from './nearest-name.js';

const MAX_NAMED = 10;
const shown = (name: string): string => `“${toVisibleLine(name, 100)}”`;

/** Suggests what to use instead of a tool, or a capability of one, that is not there. */
export function suggestForUnknown(id: string, capability: string, tools: readonly CatalogTool[]): string {
  const ids = tools.map(({ tool }) => tool.id);
  const own = ids.filter((each) => each.slice(0, each.lastIndexOf('.')) === id);
  const capabilities = own.map((each) => each.slice(id.length + 1));
  const like = findNearestName(capability, capabilities);
  if (like !== null) return `${shown(id)} has a capability ${shown(like)}: use that.`;
  if (own.length > 0) return `${shown(id)} has: ${named(capabilities)}. Use one of these.`;
  const near = findNearestName(`${id}.${capability}`, ids);
  if (near === null) return ENVELOPE_WORDS.UnknownTool.suggestion;
  const at = near.lastIndexOf('.');
  return `The nearest is tool ${shown(near.slice(0, at))} with capability ${shown(near.slice(at + 1))}. POST /v1/tool/list names all.`;
}

/** Suggests how to mend a parameter that does not fit the schema. */
export function suggestForMisfit({ at, message, allowed }: Misfit): string {
  const name = at
    .slice(at.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const values = allowed === undefined ? '' : ` Allowed: ${named(allowed.map((each) => JSON.stringify(each)))}.`;
  if (message === 'is missing') return `Add ${shown(name)} to parameters.${values}`;
  if (message.includes('not known here')) return `Leave ${shown(name)} out: the tool does not take it.`;
  return values === ''
    ? `Change ${name === '' ? 'the parameters' : shown(name)}: it ${message}.`
    : `Change ${shown(name)}.${values}`;
}

const named = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`;

export const suggestForCode = (code: FailureCode): string => ENVELOPE_WORDS[code].suggestion;
