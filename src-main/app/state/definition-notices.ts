import type { Config } from '#contract/vocabulary/config.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { Notice } from '#contract/window/notices.js';
import type { DefinedTools } from '../../domain/ports/gate/tool-lookup.js';

/**
 * The notices on the person's own tool definitions, while they are in use: every problem of each, and names other than
 * they gave.
 */
export function definitionNotices(
  { mode, definitions }: Config['tools'],
  defined: (definitions: Config['tools']['definitions']) => DefinedTools,
): readonly Notice[] {
  if (mode !== 'parse_only') return [];
  const { byName, refused } = defined(definitions);
  const renamed = [...byName.values()].filter(({ name, ownName }) => name !== ownName);
  const notices: Notice[] = [];
  if (refused.length > 0)
    notices.push({
      id: 'definitions-refused',
      severity: 'warning',
      title: 'Not every tool that you defined can be used',
      text: `Of tools.definitions in your config.toml these are left out: ${refused.map(({ name }) => quoted(name)).join(', ')}. The others are offered.`,
      details: refused
        .map(({ name, problems }) => `${quoted(name)}: ${problems.map(inOneLine).join('; ')}.`)
        .join('\n'),
      dismissible: true,
    });
  if (renamed.length > 0)
    notices.push({
      id: 'definitions-renamed',
      severity: 'info',
      title: 'Tools that you defined go by other names',
      text: `No model can call ${renamed.map(({ ownName }) => quoted(ownName)).join(', ')} by that name, or another has it.`,
      details: renamed.map(({ name, id, ownName }) => `${quoted(ownName)} is ${name} (${id}).`).join('\n'),
      dismissible: true,
    });
  return notices;
}

const quoted = (name: string): string => `“${toVisibleLine(name, 100)}”`;
const inOneLine = (problem: string): string => toVisibleLine(problem, 500);
