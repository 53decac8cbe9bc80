import { parse, TomlDate, TomlError } from 'smol-toml';
import type { Json } from '#contract/vocabulary/json.js';
import { explainWrongHost } from '../domain/policy/allowed-hosts.js';
import { findKeyLine } from './key-line.js';
import type { SettingKey } from '#contract/vocabulary/config.js';
import { isSettingKey, isTable, SETTINGS, type Table, splitUnknownKeys, valueAt } from './setting-keys.js';
import { compileValidator } from '../platform/json-schema.js';
import type { TSchema } from 'typebox';
import type { RefusedHook } from '#contract/window/hooks.js';
import { splitHooks } from './hooks/split-hooks.js';
import { type RefusedSource, splitSources } from './sources/split-sources.js';

export const MAX_CONFIG_BYTES = 1024 * 1024;
export const MAX_DEPTH = 32;

export interface ConfigProblem {
  readonly file: string;
  /** The line, from 1; null where no line is to blame. */
  readonly line: number | null;
  readonly reason: string;
}

/** The settings of one file: only keys that are settings, each with a value that setting can have. */
export interface ConfigLayer {
  readonly table: Table;
  readonly unknown: readonly string[];
  /** Sources that are refused, each alone. */
  readonly refusedSources: readonly RefusedSource[];
  /** Hooks likewise. */
  readonly refusedHooks: readonly RefusedHook[];
}

export const EMPTY_LAYER: ConfigLayer = { table: {}, unknown: [], refusedSources: [], refusedHooks: [] };

export type ParsedConfig =
  { readonly ok: true; readonly layer: ConfigLayer } | { readonly ok: false; readonly problem: ConfigProblem };

/** Parses TOML. Throws where it is none. */
export const parseToml = (text: string): Json =>
  toJson(parse(text, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' }));

/** Reads one file's text. Never throws, whatever the text is. */
export function parseConfig(file: string, text: string): ParsedConfig {
  const refuse = (line: number | null, reason: string): ParsedConfig => ({
    ok: false,
    problem: { file, line, reason },
  });
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    return refuse(null, `It is larger than ${MAX_CONFIG_BYTES / 1024} KiB, which no settings are.`);
  }
  let document: Json;
  try {
    document = parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return refuse(error.line, firstLine(error.message));
    return refuse(null, firstLine(error instanceof Error ? error.message : String(error)));
  }
  if (!isTable(document)) return refuse(null, 'It is not a table of settings.');
  const { table: settings, unknown } = splitUnknownKeys(document);
  const { table: sourced, refused: refusedSources } = splitSources(file, text, settings);
  const { table, refused: refusedHooks } = splitHooks(file, text, sourced);
  for (const [key, value] of listLeaves(table)) {
    const reason = findValueProblem(key, value);
    if (reason !== null) return refuse(findKeyLine(text, key), `${key} ${reason}`);
  }
  return { ok: true, layer: { table, unknown, refusedSources, refusedHooks } };
}

/** Checks a value. Null where it is one that the setting can have; otherwise what it must be. */
export function findValueProblem(key: string, value: Json): string | null {
  if (!isSettingKey(key)) return 'is a table of settings, not a value.';
  const checked = getValidator(key)(value);
  if (checked.ok) return VALUE_CHECKS[key]?.(value) ?? null;
  const [problem] = checked.problems;
  return `${problem?.path === '' ? '' : `(${problem?.path}) `}${problem?.message ?? 'is not as it should be'}.`;
}

/** Checks that a schema can't make, for values that have the right shape. */
const VALUE_CHECKS: Partial<Record<SettingKey, (value: Json) => string | null>> = {
  'tools.run_command.allowed_hosts': (value) => {
    const problem = explainWrongHost(value as string[]);
    return problem === null ? null : `has an entry that can’t be meant: ${problem}.`;
  },
};

const validators = new Map<SettingKey, ReturnType<typeof compileValidator>>();
function getValidator(key: SettingKey): ReturnType<typeof compileValidator> {
  const existing = validators.get(key);
  if (existing !== undefined) return existing;
  const made = compileValidator(SETTINGS.get(key) as TSchema);
  validators.set(key, made);
  return made;
}

/** Every value of the file by its key, also a value where a table should be. */
function listLeaves(table: Table): readonly (readonly [string, Json])[] {
  const prefixes = new Set([...SETTINGS.keys()].flatMap(listPrefixes));
  const found: (readonly [string, Json])[] = [];
  for (const prefix of prefixes) {
    const value = valueAt(table, prefix);
    if (value !== undefined && !isTable(value)) found.push([prefix, value]);
  }
  for (const key of SETTINGS.keys()) {
    const value = valueAt(table, key);
    if (value !== undefined) found.push([key, value]);
  }
  return found;
}

const listPrefixes = (key: string): readonly string[] =>
  key
    .split('.')
    .slice(0, -1)
    .map((_part, at, parts) => parts.slice(0, at + 1).join('.'));

/**
 * Turns TOML's own kinds into JSON: a date is its text. A value that is nested deeper than any setting is refused
 * before it can hurt.
 */
export function toJson(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new Error(`It is nested deeper than ${MAX_DEPTH} levels.`);
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => toJson(each, depth + 1));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each, depth + 1)]));
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('It holds a number that is not finite.');
  return value as Json;
}

const firstLine = (message: string): string => message.split('\n', 1)[0]?.slice(0, 300) ?? message;
