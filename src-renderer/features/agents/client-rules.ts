import type { Json } from '#contract/vocabulary/json.js';
import type { SettingsView } from '#contract/window/settings.js';

export type Access = 'normal' | 'ask' | 'blocked';

export interface ClientRule {
  readonly name: string;
  readonly access: Access;
  /** The folders that it may work in; left out for every open one. */
  readonly folders?: readonly string[];
}

const KEY = 'gateway.clients';

/** The rules as the settings hold them; what is not one is left out. */
export function readClientRules(settings: SettingsView | null): readonly ClientRule[] {
  const value: Json = settings?.settings.find(({ key }) => key === KEY)?.value ?? [];
  return Array.isArray(value) ? value.flatMap((each: Json) => (isRule(each) ? [each] : [])) : [];
}

/** “name version” without the version: a rule is for the agent, whatever it is updated to. */
export function trimAgentName(client: string): string {
  const parts = client.split(' ');
  return parts.length > 1 && /^v?\d/u.test(parts.at(-1) ?? '') ? parts.slice(0, -1).join(' ') : client;
}

/** The folders that an agent is limited to: those that every rule for it allows; null where none says anything of folders. */
export function readAccess(rules: readonly ClientRule[], name: string): readonly string[] | null {
  const limits = rules.flatMap((rule) => (rule.name === name && rule.folders !== undefined ? [rule.folders] : []));
  return limits.length === 0 ? null : limits.reduce((one, other) => one.filter((folder) => other.includes(folder)));
}

export function applyAccess(rules: readonly ClientRule[], name: string, access: Access): readonly ClientRule[] {
  const others = rules.filter((rule) => rule.name !== name);
  // A limit to some folders stays, whatever else is said of it.
  const limits = rules.flatMap((rule) => (rule.name === name ? (rule.folders ?? []) : []));
  if (limits.length > 0) return [...others, { name, access, folders: limits }];
  return access === 'normal' ? others : [...others, { name, access }];
}

function isRule(value: Json): value is Json & ClientRule {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('access' in value)) return false;
  return typeof value['name'] === 'string' && ['normal', 'ask', 'blocked'].includes(value['access'] as string);
}
