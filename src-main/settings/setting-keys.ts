import { ConfigSchema, type SettingKey } from '#contract/vocabulary/config.js';
import type { Json } from '#contract/vocabulary/json.js';

/** The part of a leaf's schema that people and pages need. */
export interface LeafSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly items?: LeafSchema;
}

interface TableSchema {
  readonly properties?: Readonly<Record<string, TableSchema>>;
}

function collectKeys(
  schema: TableSchema,
  prefix: string,
  found: Map<SettingKey, LeafSchema>,
): Map<SettingKey, LeafSchema> {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    if (part.properties !== undefined) collectKeys(part, key, found);
    else found.set(key as SettingKey, part as LeafSchema);
  }
  return found;
}

export const SETTINGS: ReadonlyMap<SettingKey, LeafSchema> = collectKeys(ConfigSchema as TableSchema, '', new Map());

export const isSettingKey = (key: string): key is SettingKey => SETTINGS.has(key as SettingKey);

export type Table = { readonly [key: string]: Json };

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a dotted key, own properties only; undefined where there is none. */
export function valueAt(table: Table, key: string): Json | undefined {
  let here: Json = table;
  for (const part of key.split('.')) {
    if (!isTable(here) || !Object.hasOwn(here, part)) return undefined;
    here = here[part] as Json;
  }
  return here;
}

/** A table with the value put in; the original is left alone. */
export function withValue(table: Table, key: string, value: Json): Table {
  const [first = '', ...rest] = key.split('.');
  if (rest.length === 0) return { ...table, [first]: value };
  const inner = table[first];
  return { ...table, [first]: withValue(isTable(inner) ? inner : {}, rest.join('.'), value) };
}

export function withoutValue(table: Table, key: string): Table {
  const [first = '', ...rest] = key.split('.');
  const { [first]: inner, ...others } = table;
  if (rest.length === 0) return others;
  return isTable(inner) ? { ...table, [first]: withoutValue(inner, rest.join('.')) } : table;
}

/**
 * Splits a file's table in two: the settings, and the keys that no setting has (kept in the file, told, without
 * effect).
 */
export function splitUnknownKeys(table: Table): { readonly table: Table; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const walk = (part: Table, schema: TableSchema, prefix: string): Table =>
    Object.fromEntries(
      Object.entries(part).flatMap(([name, value]) => {
        const key = prefix === '' ? name : `${prefix}.${name}`;
        const known = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
        if (known === undefined) {
          unknown.push(key);
          return [];
        }
        return [[name, known.properties !== undefined && isTable(value) ? walk(value, known, key) : value]];
      }),
    );
  return { table: walk(table, ConfigSchema as TableSchema, ''), unknown };
}
