import defaultText from '../../resources/default-config.toml?raw';
import { parseToml } from './parse.js';
import type { Table } from './setting-keys.js';

/**
 * Parses resources/default-config.toml, built into the program. It is ours, and tested (parse.test.ts): a start need
 * not look at each of its values again.
 */
export const parseDefaults = (): Table => parseToml(defaultText) as Table;
