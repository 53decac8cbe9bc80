import { CLIENT_IDS, type ClientId } from '#contract/window/clients.js';
import { EDITOR_CLIENTS } from './editor-clients.js';
import type { ClientSpec } from './spec.js';
import { TERMINAL_CLIENTS } from './terminal-clients.js';

const SPECS = new Map([...TERMINAL_CLIENTS, ...EDITOR_CLIENTS].map((spec) => [spec.id, spec]));

export function getClientSpec(id: ClientId): ClientSpec {
  const spec = SPECS.get(id);
  if (spec === undefined) throw new Error(`No client ${id}.`);
  return spec;
}

export const CLIENTS: readonly ClientSpec[] = CLIENT_IDS.map(getClientSpec);
