import { CLIENT_IDS, type ClientId, type ClientPlace } from '#contract/window/clients.js';
import { EDITOR_CLIENTS } from './editor-clients.js';
import type { ClientSpec } from './spec.js';
import { TERMINAL_CLIENTS } from './terminal-clients.js';

const SPECS = new Map([...TERMINAL_CLIENTS, ...EDITOR_CLIENTS].map((spec) => [spec.id, spec]));

export function getClientSpec(id: ClientId): ClientSpec {
  const spec = SPECS.get(id);
  if (spec === undefined) throw new Error(`No client ${id}.`);
  return spec;
}

/** The spec of a client's settings in one place. Those of a folder were tried with no version. */
export function resolveSpec({ id, only }: ClientPlace): ClientSpec {
  const spec = getClientSpec(id);
  if (only === null) return spec;
  if (spec.inFolder === null) throw new Error(`${spec.name} has no settings for one folder.`);
  return { ...spec, tried: [], ...spec.inFolder(only) };
}

export const CLIENTS: readonly ClientSpec[] = CLIENT_IDS.map(getClientSpec);
