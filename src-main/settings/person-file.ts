import { type ConfigLayer, type ConfigProblem, EMPTY_LAYER, parseConfig } from './parse.js';
import { readConfigFile } from './read-config-file.js';
import type { Table } from './setting-keys.js';

/** The person's file: its last usable content, and what is wrong with it now. */
export interface PersonFile {
  readonly path: string;
  layer: ConfigLayer;
  isAbsent: boolean;
  problem: ConfigProblem | null;
}

export function reloadPersonFile(state: PersonFile): void {
  const read = readConfigFile(state.path, true);
  state.problem = null;
  state.isAbsent = read.kind === 'absent';
  if (read.kind === 'absent') state.layer = EMPTY_LAYER;
  else if (read.kind === 'unreadable') state.problem = { file: state.path, line: null, reason: read.reason };
  else {
    const parsed = parseConfig(state.path, read.text);
    if (parsed.ok) state.layer = parsed.layer;
    else state.problem = parsed.problem;
  }
}

/** The table of a text that was read before. */
export function parsePersonTable(path: string, text: string): Table {
  const parsed = parseConfig(path, text);
  return parsed.ok ? parsed.layer.table : {};
}
