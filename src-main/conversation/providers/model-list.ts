import type { LocalServer } from '#contract/window/conversation/models.js';
import type { ModelFailure } from '../../domain/ports/conversation/model.js';
import type { Outside, OutsideKey } from '../../domain/ports/outside.js';
import { listIn, objectIn, textIn } from './answer-reader.js';
import { failure, outsideFailure, refusalFailure } from './model-faults.js';
import { PROVIDERS, type ServedProvider } from './provider-table.js';

const WITHIN_MS = 10_000;
/** The time limit for servers on the same computer: nobody waits long for those. */
const NEAR_WITHIN_MS = 1_500;
const MAX_BYTES = 4 * 2 ** 20;
const MAX_NAMES = 1000;

export interface ModelListRequest {
  readonly provider: ServedProvider;
  readonly baseUrl: string;
  readonly key: OutsideKey | null;
}

export type ModelListAnswer = { readonly names: readonly string[] } | { readonly failure: ModelFailure };

/** The models that an address has, by its own list. */
export async function listModels(
  outside: Outside,
  { provider, baseUrl, key }: ModelListRequest,
): Promise<ModelListAnswer> {
  const { protocol, label } = PROVIDERS[provider];
  const url = `${baseUrl.replace(/\/+$/u, '')}/models${protocol === 'anthropic' ? '?limit=1000' : ''}`;
  const headers = protocol === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
  try {
    const got = await outside.send(
      {
        method: 'GET',
        url,
        within: baseUrl,
        headers: { accept: 'application/json', ...headers },
        body: null,
        keys: key === null ? [] : [key],
      },
      AbortSignal.timeout(WITHIN_MS),
    );
    const text = await got.text(MAX_BYTES);
    if (got.status !== 200) return { failure: refusalFailure(got.status, text, label, 'list of models') };
    const names = namesIn(text);
    return names === null ? { failure: failure('broke-off', `${label} gave no list of models.`) } : { names };
  } catch (error) {
    return { failure: outsideFailure(error) };
  }
}

/** Null where it is no list of models. */
function namesIn(text: string): readonly string[] | null {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return null;
  }
  const { data, models } = objectIn(said);
  if (!Array.isArray(data) && !Array.isArray(models)) return null;
  // Google's own list has more than models that answer, and names them with a folder.
  const answers = (model: unknown) => {
    const { supportedGenerationMethods: methods } = objectIn(model);
    return methods === undefined || listIn(methods).includes('generateContent');
  };
  const names = Array.isArray(data)
    ? data.map((model) => textIn(objectIn(model)['id']))
    : listIn(models)
        .filter(answers)
        .map((model) => textIn(objectIn(model)['name']).replace(/^models\//u, ''));
  return [...new Set(names)].filter((name) => name !== '' && name.length <= 200).slice(0, MAX_NAMES);
}

const USUAL: ReadonlyArray<readonly [name: string, port: number, provider: LocalServer['provider']]> = [
  ['Ollama', 11_434, 'ollama'],
  ['LM Studio', 1234, 'openai-compatible'],
  ['llama.cpp', 8080, 'openai-compatible'],
  ['vLLM', 8000, 'openai-compatible'],
  ['Jan', 1337, 'openai-compatible'],
];

/**
 * Finds the servers that answer on the usual ports of this computer. They get a GET without a key, and nothing else.
 */
export async function localServers(outside: Outside, usual = USUAL): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    usual.map(async ([name, port, provider]) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      try {
        const request = {
          method: 'GET',
          url: `${baseUrl}/models`,
          within: baseUrl,
          headers: {},
          body: null,
          keys: [],
        } as const;
        const got = await outside.send(request, AbortSignal.timeout(NEAR_WITHIN_MS));
        const models = got.status === 200 ? namesIn(await got.text(MAX_BYTES)) : (await got.text(MAX_BYTES), null);
        return models === null ? [] : [{ name, provider, baseUrl, models }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
