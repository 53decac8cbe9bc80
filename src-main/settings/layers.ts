import type { Config } from '#contract/vocabulary/config.js';
import type { SettingKey } from '#contract/vocabulary/config.js';
import type { Json } from '#contract/vocabulary/json.js';
import { SETTINGS, type Table, valueAt, withValue } from './setting-keys.js';
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

/**
 * Settings whose defaults the person's lists add to; other lists replace them: there is no taking off what protects
 * secrets.
 */
const PERSON_ADDS: ReadonlySet<SettingKey> = new Set(['tools.environment.denylist', 'tools.sandbox.denied_patterns']);

/** Settings without a default: left out, they say nothing. */
const MAY_BE_LEFT_OUT: ReadonlySet<SettingKey> = new Set(['model.temperature']);

/** Layers defaults ‹ person ‹ workspace, which may only tighten. All values were validated before. */
export function layerConfig(defaults: Table, person: Table, workspace: Table): LayeredConfig {
  let table: Table = {};
  const sources = new Map<SettingKey, SettingSource>();
  const ignored: IgnoredValue[] = [];
  let ownRoots: readonly string[] | null = null;
  for (const key of SETTINGS.keys()) {
    const standard = valueAt(defaults, key);
    const own = valueAt(person, key);
    if (standard === undefined && !MAY_BE_LEFT_OUT.has(key)) throw new Error(`The default configuration lacks ${key}.`);
    let value: Json | undefined = standard;
    let source: SettingSource = 'default';
    if (own !== undefined) {
      value = PERSON_ADDS.has(key) ? mergeLists(standard as readonly string[], own as readonly string[]) : own;
      source = 'person';
    }
    const wish = valueAt(workspace, key);
    if (wish !== undefined) {
      const base = value ?? null;
      const tightened = TIGHTENING[key](base, wish);
      if (tightened.ignored !== null) ignored.push({ key, why: tightened.ignored });
      if (JSON.stringify(tightened.value) !== JSON.stringify(base)) {
        source = 'workspace';
        if (key === 'tools.sandbox.allowed_roots') ownRoots = base as readonly string[];
        value = tightened.value;
      }
    }
    if (value !== undefined) table = withValue(table, key, value);
    sources.set(key, source);
  }
  const agents = valueAt(table, AGENTS) as readonly Table[];
  table = withValue(table, AGENTS, tightenAgents(agents, workspace));
  return { config: table as unknown as Config, sources, ignored, ownRoots };
}

const AGENTS = 'gateway.agents';

/** The settings that single agents have of their own, and which setting each replaces. */
const AGENT_SETTINGS = {
  commands: 'tools.approval.commands',
  edits: 'tools.approval.edits',
  secrets: 'tools.approval.secrets',
  allow_absolute: 'tools.sandbox.allow_absolute',
} as const satisfies Readonly<Record<string, SettingKey>>;

/** Tightens the settings of agents: a folder that wants more to be asked wants that of every agent. */
const tightenAgents = (agents: readonly Table[], workspace: Table): readonly Table[] =>
  agents.map((agent) => {
    let tightened = agent;
    for (const [name, key] of Object.entries(AGENT_SETTINGS)) {
      const own = agent[name];
      const wish = valueAt(workspace, key);
      if (own !== undefined && wish !== undefined)
        tightened = { ...tightened, [name]: TIGHTENING[key](own, wish).value };
    }
    return tightened;
  });

const mergeLists = (first: readonly string[], second: readonly string[]) => [...new Set([...first, ...second])];
