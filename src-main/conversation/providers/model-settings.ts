import type { Config } from '#contract/vocabulary/config.js';
import type { ModelChoice } from '#contract/vocabulary/conversation/conversation.js';
import { parseAddress } from '../../domain/outside/address.js';
import type { OutsideKey } from '../../domain/ports/outside.js';
import { PROVIDERS, type ServedProvider } from './provider-table.js';
import type { ServedBy } from './written-request.js';

type ModelSettings = Config['model'];

/**
 * The name under which a key is stored: scheme, host and port of the address that it was entered for are in it. Null
 * where that is no address.
 */
export function keyName(baseUrl: string): string | null {
  const read = parseAddress(baseUrl);
  if (!read.ok) return null;
  const name = `model:${read.address.origin.replace('//', '').replaceAll(/[[\]]/gu, '')}`;
  return name.length <= 200 ? name : null;
}

/** `isDemo`: no model is set at all, but the script that plays in its own conversation. */
export type ChosenModel = { readonly served: ServedBy } | { readonly problem: string; readonly isDemo?: boolean };

/** Resolves the model that answers, by the settings or by a conversation's own choice. */
export function chooseModel(settings: ModelSettings, choice: ModelChoice | null): ChosenModel {
  const { provider, model } = choice ?? settings;
  const baseUrl = (choice === null ? settings.base_url : choice.baseUrl) ?? '';
  if (provider === 'demo')
    return {
      problem:
        'No model is connected: the demo answers in its own conversation alone. Choose a provider under Settings, Model.',
      isDemo: true,
    };
  if (!isServed(provider)) return { problem: `There is no provider “${provider}”. Choose one under Settings, Model.` };
  const address = baseUrl === '' ? PROVIDERS[provider].baseUrl : baseUrl;
  if (address === null) return { problem: 'The address of the server is missing. Enter it under Settings, Model.' };
  const read = parseAddress(address);
  if (!read.ok) return { problem: `The address ${address} can’t be used. ${read.problem} See Settings, Model.` };
  return { served: { provider, baseUrl: address, model } };
}

const isServed = (provider: string): provider is ServedProvider => Object.hasOwn(PROVIDERS, provider);

export interface StoredModelKeys {
  readonly variable: (name: string) => string | null;
  readonly names: () => readonly string[];
}

/** The variable of the settings goes to the address beside it; a kept key to the one in its name. Null where there is none. */
export function keyFor(
  { provider, baseUrl }: ServedBy,
  settings: ModelSettings,
  places: StoredModelKeys,
): OutsideKey | null {
  const { keyHeader: header, keyPrefix: prefix } = PROVIDERS[provider];
  const variable = settings.api_key_env;
  const beside = chooseModel(settings, null);
  if (variable !== '' && 'served' in beside && originOf(beside.served.baseUrl) === originOf(baseUrl)) {
    const value = places.variable(variable);
    if (value !== null && value !== '')
      return { header, prefix, from: `env:${variable}`, boundTo: beside.served.baseUrl, asker: 'model' };
  }
  const name = keyName(baseUrl);
  if (name === null || !places.names().includes(name)) return null;
  return { header, prefix, from: `secret:${name}`, boundTo: baseUrl, asker: 'model' };
}

const originOf = (address: string): string | null => {
  const read = parseAddress(address);
  return read.ok ? read.address.origin : null;
};
