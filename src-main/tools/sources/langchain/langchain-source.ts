import { resolve } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';
import { requestFailure, statusFailure } from '../../../domain/outside/request-failures.js';
import { type Outside, OutsideProblem } from '../../../domain/ports/outside.js';
import {
  type MakeSource,
  type Offer,
  type OfferedOperation,
  type Source,
  type SourceOptions,
  SourceProblem,
} from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';
import { readDocument } from '../../../platform/reading/data-document.js';
import { describeDefiningFile } from '../../../platform/reading/defining-file.js';
import { readTextFile } from '../../../platform/reading/text-file.js';
import { createServedText, type ServedText } from '../../served-text.js';
import { readDefinitions } from './definitions.js';
import { fetchSchemas, readRunnable } from './runnable.js';
import { DescribedSource } from '../described-source.js';

const MAX_FILE_BYTES = 4 * 2 ** 20;
const MAX_ANSWER_BYTES = 8 * 2 ** 20;
const MAX_FAILURE_BYTES = 64 * 1024;

interface LangChainOffer {
  readonly text: string;
  readonly offer: Offer;
  /** Whether the tool is a served runnable, whose input is the one argument. */
  readonly isWrapped: boolean;
}

/** Tools of LangChain: a runnable that is served, or a file of definitions that each name their own url. */
export const createLangChainSource =
  ({ outside }: { readonly outside: Outside }): MakeSource =>
  (made) =>
    new LangChainSource(made, outside);

class LangChainSource extends DescribedSource<LangChainOffer> implements Source {
  readonly kind = 'langchain';
  /** Null where its tools stand in a file. */
  readonly #served: ServedText | null;

  constructor(made: SourceOptions, outside: Outside) {
    super(made, outside);
    const { url } = made.settings;
    this.#served =
      url === undefined
        ? null
        : createServedText(
            (signal) => fetchSchemas(outside, url, this.headers, signal),
            () => this.listeners.tell(),
          );
  }

  /**
   * The identity of the source, with its file as it is now: the file says where the requests go, and a key with them.
   */
  get identity(): JsonObject {
    const { file, url, headers } = this.made.settings;
    return {
      kind: this.kind,
      ...(file === undefined ? {} : { file }),
      ...(url === undefined ? {} : { url }),
      ...(file === undefined ? {} : { files: describeDefiningFile(resolve(this.made.dataFolder, file)) }),
      headers: Object.keys(headers).toSorted(),
    };
  }

  termsFor: Source['termsFor'] = (_situation, { pinned }) => ({
    process: null,
    network: {
      reach: 'hosts',
      hosts: [URL.parse(readPinnedUrl(pinned))?.host ?? ''].filter((host) => host !== ''),
      by: 'settings',
    },
    paths: 'none',
    secrets: this.headers.secrets,
  });

  async call({ operation, args, signal, stillAccepted }: Parameters<Source['call']>[0]): ReturnType<Source['call']> {
    const known = await this.look(signal).catch((error: unknown) => {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : 'Its definitions can’t be read.';
      throw new ToolFailure({ code: 'SourceUnavailable', message, eCode: 'E3306' });
    });
    const now = known.offer.operations.find((each) => each.operation === operation.operation);
    // What is asked is what was accepted, and not what it says of itself by now.
    if (now === undefined || digestJson(now.pinned) !== digestJson(operation.pinned)) stillAccepted(known.offer);
    const url = readPinnedUrl(operation.pinned);
    if (this.#served === null) return toAnswer(await this.#postOnce(operation, url, args, signal));
    const input = known.isWrapped ? (args['input'] ?? null) : args;
    const answer = await this.#postOnce(operation, `${url.replace(/\/+$/u, '')}/invoke`, { input }, signal);
    if (!isJsonObject(answer) || answer['output'] === undefined)
      throw new ToolFailure({
        code: 'OutputInvalid',
        message: 'It answered without an output. It may have had an effect.',
        eCode: 'E3308',
      });
    return toAnswer(answer['output']);
  }

  async close(): Promise<void> {
    this.#served?.close();
  }

  protected async look(signal: AbortSignal): Promise<LangChainOffer> {
    const { file = '', url = '' } = this.made.settings;
    const path = resolve(this.made.dataFolder, file);
    const text = this.#served === null ? readDefinitionsFile(path) : await this.#served.text(signal);
    if (this.known?.text === text) return this.known;
    if (this.#served !== null) {
      const read = parseAddress(url);
      if (!read.ok) throw new SourceProblem('refused', `url can’t be used. ${read.problem}`);
      const { operation, isWrapped } = readRunnable(text, url);
      this.known = { text, offer: { ownName: null, operations: [operation], refused: [] }, isWrapped };
    } else {
      const read = readDefinitions(parseDefinitions(text, path), path, this.headers.names.size > 0);
      this.known = { text, offer: { ownName: null, ...read }, isWrapped: false };
    }
    return this.known;
  }

  /** Once, and never again: nobody knows what it does. */
  async #postOnce(operation: OfferedOperation, url: string, body: Json, signal: AbortSignal): Promise<Json> {
    const { origin, pathname } = new URL(url);
    try {
      const answer = await this.outside.send(
        {
          method: 'POST',
          url,
          within: `${origin}${pathname}`,
          headers: { ...this.headers.plain, accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify(body),
          keys: this.headers.keysFor(origin),
        },
        signal,
      );
      if (answer.status >= 400) {
        const said = await answer.text(MAX_FAILURE_BYTES).catch(() => 'more than 64 KB, which is not shown');
        throw new ToolFailure(statusFailure(operation.operation, answer.status, said));
      }
      return parseAnswer(await answer.text(MAX_ANSWER_BYTES));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutsideProblem) throw new ToolFailure(requestFailure(error, true));
      throw error;
    }
  }
}

const readPinnedUrl = ({ url }: JsonObject): string => (typeof url === 'string' ? url : '');

const toAnswer = (structured: Json): Awaited<ReturnType<Source['call']>> => ({
  content: JSON.stringify(structured),
  structured,
  storedOutputs: [],
  confinement: null,
  warnings: [],
});

function parseAnswer(text: string): Json {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ToolFailure({
      code: 'OutputInvalid',
      message: `It answered with something that is no JSON: ${text.slice(0, 500)}. It may have had an effect.`,
      eCode: 'E3308',
    });
  }
}

function readDefinitionsFile(path: string): string {
  const read = readTextFile(path, MAX_FILE_BYTES);
  if (!read.ok) throw new SourceProblem('refused', `${path}: ${read.problem}`);
  return read.text;
}

function parseDefinitions(text: string, path: string): readonly Json[] {
  const read = readDocument(text);
  if (!read.ok) throw new SourceProblem('refused', `${path}: ${read.problem}`);
  if (!Array.isArray(read.value)) throw new SourceProblem('refused', `${path}: It is no list of definitions of tools.`);
  return read.value as readonly Json[];
}
