import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { SESSION_REVISIONS } from '../../domain/mcp-revisions.js';
import type { StoredToolList, PipeToolLists } from '../../platform/data-folder/pipe-lists.js';
import type { RpcMessage } from './rpc-message.js';

export interface StandInOptions {
  readonly version: string;
  readonly lists: Pick<PipeToolLists, 'find' | 'keep'>;
  /** The tools that come with the app, for an agent that was never told of any. */
  readonly builtIn: () => Promise<Omit<StoredToolList, 'place'>>;
}

/** Answers a client in the app's place, as long as the app is not there yet. */
export class StandInServer {
  readonly #options: StandInOptions;
  /** The tools that the client was told of here; null where it was told of none. */
  #told: readonly object[] | null = null;
  #instructions: string | null = null;

  constructor(options: StandInOptions) {
    this.#options = options;
  }

  /** The answer to `initialize`. */
  async introduction({ params }: RpcMessage, place: string | null): Promise<JsonObject> {
    const { protocolVersion } = (params ?? {}) as { readonly protocolVersion?: unknown };
    const known = SESSION_REVISIONS.find((revision) => revision === protocolVersion);
    const { instructions } = await this.#list(place);
    return {
      protocolVersion: known ?? SESSION_REVISIONS[0] ?? '',
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: {}, logging: {} },
      serverInfo: { name: 'gatehouse', title: 'Gatehouse', version: this.#options.version },
      ...(instructions === null ? {} : { instructions }),
    };
  }

  /** Null for what only the app can answer. */
  async answer({ method }: RpcMessage, place: string | null): Promise<JsonObject | null> {
    switch (method ?? '') {
      case 'ping':
        return {};
      case 'prompts/list':
        return { prompts: [] };
      case 'resources/list':
        return { resources: [] };
      case 'resources/templates/list':
        return { resourceTemplates: [] };
      case 'tools/list': {
        const { tools } = await this.#list(place);
        this.#told = tools;
        return { tools: tools as readonly Json[] as Json[] };
      }
      default:
        return null;
    }
  }

  isAnswered({ method }: RpcMessage): boolean {
    return method !== undefined && ANSWERED.has(method);
  }

  /** The app introduced itself, to be told to the next pipe as well. */
  introduced(result: unknown): void {
    const { instructions } = (result ?? {}) as { readonly instructions?: unknown };
    this.#instructions = typeof instructions === 'string' ? instructions : null;
  }

  /** Whether the client was told of tools here, and should hear what the app has. */
  get hasTold(): boolean {
    return this.#told !== null;
  }

  /** The app's own list: kept, and compared with what the client was told before. True where it should ask anew. */
  listed(result: unknown, place: string | null): boolean {
    const tools = isJsonObject(result) ? result['tools'] : undefined;
    if (!Array.isArray(tools)) return false;
    const isOther = this.#told !== null && JSON.stringify(this.#told) !== JSON.stringify(tools);
    this.#told = null;
    const named = tools.filter(
      (tool): tool is JsonObject & { readonly name: string } => isJsonObject(tool) && typeof tool['name'] === 'string',
    );
    this.#options.lists.keep({ place: place ?? '', tools: named, instructions: this.#instructions });
    return isOther;
  }

  async #list(place: string | null): Promise<Omit<StoredToolList, 'place'>> {
    return this.#options.lists.find(place) ?? (await this.#options.builtIn());
  }
}

const ANSWERED: ReadonlySet<string> = new Set([
  'ping',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'tools/list',
]);
