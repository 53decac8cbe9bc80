import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { DIMENSIONS } from './model-protocol.js';

/** The number of tokens that the model was made for; a longer text is cut. */
const MAX_TOKENS = 256;
/**
 * The most characters that are tokenized: that many tokens are made of fewer, and to read more would only take time.
 */
const MAX_CHARACTERS = 4096;

/** Runs all-MiniLM-L6-v2 with weights of eight bits, on the processor. */
export class SentenceModel {
  readonly #tokenizer: Tokenizer;
  readonly #session: InferenceSession;

  private constructor(tokenizer: Tokenizer, session: InferenceSession) {
    this.#tokenizer = tokenizer;
    this.#session = session;
  }

  /** `folder`: what scripts/setup/sentence-model.mjs put there. */
  static async load(folder: string): Promise<SentenceModel> {
    const json = async (name: string): Promise<object> =>
      JSON.parse(await readFile(join(folder, name), 'utf8')) as object;
    const [words, settings] = await Promise.all([json('tokenizer.json'), json('tokenizer_config.json')]);
    // The model is loaded from memory: in a packaged app the file is in the archive, where only Node finds it.
    const session = await InferenceSession.create(await readFile(join(folder, 'onnx', 'model_quantized.onnx')), {
      executionProviders: ['cpu'],
      // The rest of the machine is the person's.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
    });
    return new SentenceModel(new Tokenizer(words, settings), session);
  }

  /** Embeds texts: one vector after another, each of length 1. */
  async embed(texts: readonly string[]): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * DIMENSIONS);
    for (const [at, text] of texts.entries()) vectors.set(await this.#embed(text), at * DIMENSIONS);
    return vectors;
  }

  async #embed(text: string): Promise<Float32Array> {
    const ids = this.#tokens(text);
    const shape = [1, ids.length];
    const answer = await this.#session.run({
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    });
    return poolMean(answer['last_hidden_state']?.data as Float32Array);
  }

  #tokens(text: string): readonly number[] {
    const { ids } = this.#tokenizer.encode(text.slice(0, MAX_CHARACTERS));
    const end = ids.at(-1);
    return ids.length <= MAX_TOKENS || end === undefined ? ids : [...ids.slice(0, MAX_TOKENS - 1), end];
  }
}

/** The mean of all tokens’ vectors, normalized to length 1. */
function poolMean(tokens: Float32Array): Float32Array {
  const mean = new Float32Array(DIMENSIONS);
  for (let at = 0; at < tokens.length; at += 1) {
    const dimension = at % DIMENSIONS;
    mean[dimension] = (mean[dimension] ?? 0) + (tokens[at] ?? 0);
  }
  const length = Math.hypot(...mean);
  return mean.map((value) => value / length);
}
