import defaultText from '../../resources/default-config.toml?raw';
import { parseConfig } from './parse.js';
import type { Table } from './setting-keys.js';

/** resources/default-config.toml, built into the program. It is ours: a mistake in it is a fault, not a notice. */
export function defaultTable(): Table {
  const parsed = parseConfig('default-config.toml', defaultText);
  if (!parsed.ok) throw new Error(`default-config.toml, line ${parsed.problem.line}: ${parsed.problem.reason}`);
  if (parsed.layer.unknown.length > 0)
    throw new Error(`default-config.toml: unknown ${parsed.layer.unknown.join(', ')}`);
  return parsed.layer.table;
}
