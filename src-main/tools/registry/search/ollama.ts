import type { Embedder } from '../../../domain/ports/embedder.js';
import { type Outside, OutsideProblem } from '../../../domain/ports/outside.js';
import { vectorLength } from './vector-cache.js';

export interface OllamaSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly threshold: number;
}

const TIMEOUT_MS = 5000;
/** So few that each request ends in time on a slow computer, and its answer is short. */
const BATCH_SIZE = 32;
/** Room for thirty-two vectors with 8,192 numbers each. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20;

/** An Ollama that the person named. Nothing goes to anybody else, and it is given descriptions and questions alone. */
export function createOllamaEmbedder({ baseUrl, model, threshold }: OllamaSettings, outside: Outside): Embedder {
  const base = baseUrl.replace(/\/+$/u, '');
  return {
    model: `ollama ${model} at ${base}`,
    threshold,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH_SIZE)
        vectors.push(...(await requestVectors(texts.slice(at, at + BATCH_SIZE), base, model, outside)));
      return vectors;
    },
  };
}

async function requestVectors(
  texts: readonly string[],
  base: string,
  model: string,
  outside: Outside,
): Promise<readonly Float32Array[]> {
  const tooLong = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await outside.send(
      {
        method: 'POST',
        url: `${base}/api/embed`,
        within: base,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ model, input: texts }),
        keys: [],
      },
      tooLong,
    );
    const body = await answer.text(MAX_ANSWER_BYTES);
    if (answer.status !== 200) throw new Error(`Ollama answered with ${answer.status}${describeError(body)}.`);
    return readVectorList(body, texts.length);
  } catch (error) {
    if (tooLong.aborted) throw new Error(`Ollama did not answer within ${TIMEOUT_MS / 1000} s.`, { cause: error });
    if (error instanceof OutsideProblem) throw new Error(`Ollama: ${error.message}`, { cause: error });
    throw error;
  }
}

function readVectorList(body: string, count: number): readonly Float32Array[] {
  const { embeddings } = (parseJson(body) ?? {}) as { readonly embeddings?: unknown };
  if (!Array.isArray(embeddings) || embeddings.length !== count)
    throw new Error('Ollama did not answer with one vector for each text.');
  const vectors = embeddings.map(toUnitVector);
  if (new Set(vectors.map(({ length }) => length)).size > 1)
    throw new Error('Ollama answered with vectors of different lengths.');
  return vectors;
}

function toUnitVector(given: unknown): Float32Array {
  if (!Array.isArray(given) || given.length === 0 || !given.every((each) => typeof each === 'number'))
    throw new Error('Ollama answered with something that is no vector.');
  const vector = Float32Array.from(given as readonly number[]);
  const length = vectorLength(vector);
  // Zeros have no direction; a number that is not finite, or too large to be squared, makes the length so.
  if (!Number.isFinite(length) || length === 0)
    throw new Error('Ollama answered with a vector that nothing can be compared with.');
  return vector.map((value) => value / length);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

/** The message of an error of Ollama, as far as it is short and plain. */
function describeError(body: string): string {
  const { error } = (parseJson(body) ?? {}) as { readonly error?: unknown };
  return typeof error === 'string' ? `: ${error.replaceAll(/[^ -~]/gu, '').slice(0, 200)}` : '';
}
