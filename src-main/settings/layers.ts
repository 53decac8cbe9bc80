import type { Config } from '#contract/vocabulary/config.js';
import { type SettingKey, SETTINGS, type Table, valueAt, withValue } from './setting-keys.js';
import { TIGHTENING } from './tightening.js';

export type SettingSource = 'default' | 'person' | 'workspace';

export interface IgnoredValue {
  readonly key: SettingKey;
  readonly why: string;
}

export interface LayeredConfig {
  readonly config: Config;
  readonly sources: ReadonlyMap<SettingKey, SettingSource>;
  /** Looser values of the workspace's file, which have no effect. */
  readonly ignored: readonly IgnoredValue[];
  /** The person's own folders that tools may touch, where the workspace's file narrows them; null where it doesn't. */
  readonly ownRoots: readonly string[] | null;
}

/** The person's lists replace the defaults, but these add to them: there is no taking off what protects secrets. */
const PERSON_ADDS: ReadonlySet<SettingKey> = new Set(['tools.environment.denylist', 'tools.sandbox.denied_patterns']);

/** defaults ‹ person ‹ workspace, which may only tighten. All values were validated before. */
export function layer(defaults: Table, person: Table, workspace: Table): LayeredConfig {
  let table: Table = {};
  const sources = new Map<SettingKey, SettingSource>();
  const ignored: IgnoredValue[] = [];
  let ownRoots: readonly string[] | null = null;
  for (const key of SETTINGS.keys()) {
    const standard = valueAt(defaults, key);
    if (standard === undefined) throw new Error(`The default configuration lacks ${key}.`);
    let value = standard;
    let source: SettingSource = 'default';
    const own = valueAt(person, key);
    if (own !== undefined) {
      value = PERSON_ADDS.has(key) ? union(standard as readonly string[], own as readonly string[]) : own;
      source = 'person';
    }
    const wish = valueAt(workspace, key);
    if (wish !== undefined) {
      const tightened = TIGHTENING[key](value, wish);
      if (tightened.ignored !== null) ignored.push({ key, why: tightened.ignored });
      if (JSON.stringify(tightened.value) !== JSON.stringify(value)) {
        source = 'workspace';
        if (key === 'tools.sandbox.allowed_roots') ownRoots = value as readonly string[];
      }
      value = tightened.value;
    }
    table = withValue(table, key, value);
    sources.set(key, source);
  }
  return { config: table as unknown as Config, sources, ignored, ownRoots };
}

const union = (first: readonly string[], second: readonly string[]) => [...new Set([...first, ...second])];
