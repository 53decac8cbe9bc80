import type { Config } from '#contract/vocabulary/config.js';

export type ProviderName = Config['model']['provider'];
/** The providers that are asked over the network; the demo's script is none. */
export type ServedProvider = Exclude<ProviderName, 'demo'>;

export type Protocol = 'anthropic' | 'chat' | 'google';

export interface ProviderFacts {
  readonly label: string;
  readonly protocol: Protocol;
  /** The address before `/messages` or `/chat/completions`; null where a person has to enter it. */
  readonly baseUrl: string | null;
  readonly needsKey: boolean;
  readonly keyHeader: string;
  readonly keyPrefix: string;
}

const bearer = { keyHeader: 'authorization', keyPrefix: 'Bearer ' } as const;

export const PROVIDERS: Readonly<Record<ServedProvider, ProviderFacts>> = {
  anthropic: {
    label: 'Anthropic',
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
    keyHeader: 'x-api-key',
    keyPrefix: '',
  },
  openai: { label: 'OpenAI', protocol: 'chat', baseUrl: 'https://api.openai.com/v1', needsKey: true, ...bearer },
  'openai-compatible': { label: 'the server', protocol: 'chat', baseUrl: null, needsKey: false, ...bearer },
  google: {
    label: 'Google',
    protocol: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    needsKey: true,
    // Google's API takes a key here; a bearer there is a token of OAuth.
    keyHeader: 'x-goog-api-key',
    keyPrefix: '',
  },
  ollama: { label: 'Ollama', protocol: 'chat', baseUrl: 'http://127.0.0.1:11434/v1', needsKey: false, ...bearer },
};
