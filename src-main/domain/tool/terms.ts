import type { Confinement } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { type AllowedNetwork, NO_NETWORK, type NetworkTerms, addAllowedNetwork } from '#contract/vocabulary/network.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { ConfinementState } from '../ports/command-runner.js';

/** The facts that a tool's terms follow from. */
export interface TermsSituation {
  readonly config: Config;
  /** The confinement that this machine offers, as it was last found out. */
  readonly confinement: ConfinementState;
  /** The network that the person allows this one call. */
  readonly network: AllowedNetwork;
}

/**
 * The terms of a call, as a value: the approved terms and the current ones are compared as this, and never as words.
 */
export interface ToolTerms {
  readonly nature: Nature;
  /** How its process is held; null where none is started for it. */
  readonly process: ProcessTerms | null;
  readonly network: NetworkTerms;
  /** The access to the folders that tools may touch. The judgement says besides to which paths of them. */
  readonly paths: 'none' | 'read' | 'change';
  /** The secrets, by name. */
  readonly secrets: readonly string[];
  readonly limits: { readonly timeMs: number; readonly outputBytes: number };
}

export interface ProcessTerms {
  readonly asked: Config['tools']['run_command']['confinement'];
  /** `refused`: confinement is required and can't be had. */
  readonly held: 'confined' | 'unconfined' | 'refused';
  /** The parts of a confinement that this machine lacks. */
  readonly lacks: string | null;
  /** Why it can't be confined. For words alone: only that it can't be is compared. */
  readonly why: string | null;
}

/** How a process of a tool would be held, and what it could reach. */
export function resolveProcessTerms({
  config,
  confinement,
  network,
}: TermsSituation): Pick<ToolTerms, 'process' | 'network'> & { readonly process: ProcessTerms } {
  const { confinement: asked } = config.tools.run_command;
  const isHeld = asked !== 'off' && confinement.available;
  const held = isHeld ? 'confined' : asked === 'required' ? 'refused' : 'unconfined';
  const process = {
    asked,
    held,
    lacks: isHeld ? confinement.problem : null,
    why: isHeld || asked === 'off' ? null : (confinement.problem ?? 'this machine has no sandbox'),
  } as const;
  // An unconfined process has every network already: there is nothing to open.
  const bySettings = readNetworkSettings(config);
  return { process, network: isHeld ? addAllowedNetwork(bySettings, network) : bySettings };
}

/** The configuration with no network for commands. */
export const withoutNetwork = (config: Config): Config => ({
  ...config,
  tools: { ...config.tools, run_command: { ...config.tools.run_command, network: false, allowed_hosts: [] } },
});

function readNetworkSettings({ tools: { run_command: settings } }: Config): NetworkTerms {
  if (settings.network) return { reach: 'any', hosts: settings.allowed_hosts, by: 'settings' };
  return settings.allowed_hosts.length === 0
    ? NO_NETWORK
    : { reach: 'hosts', hosts: settings.allowed_hosts, by: 'settings' };
}

/** How closely a process is held; null where there is none. One that would be refused is not held any less. */
export function getConfinement({ process, network }: ToolTerms): Confinement | null {
  if (process === null) return null;
  if (process.held === 'unconfined') return 'unconfined';
  return network.reach === 'none' ? 'confined' : 'network';
}

/** How processes would be held by the person's own settings alone. */
export function getConfinementBySettings({ tools: { run_command: settings } }: Config): Confinement {
  if (settings.confinement === 'off') return 'unconfined';
  return settings.network ? 'network' : 'confined';
}

/** Whether two terms are equal as values, but for what is in them for words alone. */
export const areSameTerms = (one: ToolTerms, other: ToolTerms): boolean =>
  isEqualJson(stripTermWords(one) as unknown as Json, stripTermWords(other) as unknown as Json);

const stripTermWords = ({ process, ...terms }: ToolTerms) => ({
  ...terms,
  process: process === null ? null : { held: process.held, lacks: process.lacks },
});

/** Whether two values are equal as JSON, whatever the order of their names. */
function isEqualJson(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  const same = (name: string) =>
    Object.hasOwn(other, name) && isEqualJson((one as JsonObject)[name] ?? null, (other as JsonObject)[name] ?? null);
  return names.length === Object.keys(other).length && names.every(same);
}
