import type { Json } from '#contract/vocabulary/json.js';
import type { SettingsView } from '#contract/window/settings.js';

export type Access = 'normal' | 'ask' | 'blocked';

export interface ClientRule {
  readonly name: string;
  readonly access: 'ask' | 'blocked';
}

const KEY = 'gateway.clients';

/** The rules as the settings hold them; what is not one is left out. */
export function rulesIn(settings: SettingsView | null): readonly ClientRule[] {
  const value: Json = settings?.settings.find(({ key }) => key === KEY)?.value ?? [];
  return Array.isArray(value) ? value.flatMap((each: Json) => (isRule(each) ? [each] : [])) : [];
}

/** “name version” without the version: a rule is for the agent, whatever it is updated to. */
export function agentName(client: string): string {
  const parts = client.split(' ');
  return parts.length > 1 && /^v?\d/u.test(parts.at(-1) ?? '') ? parts.slice(0, -1).join(' ') : client;
}

export function withAccess(rules: readonly ClientRule[], name: string, access: Access): readonly ClientRule[] {
  const others = rules.filter((rule) => rule.name !== name);
  return access === 'normal' ? others : [...others, { name, access }];
}

function isRule(value: Json): value is { readonly name: string; readonly access: 'ask' | 'blocked' } {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('access' in value)) return false;
  return typeof value['name'] === 'string' && (value['access'] === 'ask' || value['access'] === 'blocked');
}
