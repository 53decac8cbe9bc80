import { resolve } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';
import { requestFailure } from '../../../domain/outside/request-failures.js';
import { type Outside, OutsideProblem } from '../../../domain/ports/outside.js';
import {
  type MakeSource,
  type Offer,
  type Source,
  type SourceInvocation,
  type SourceOptions,
} from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';
import { describeDefiningFile } from '../../../platform/reading/defining-file.js';
import { readOpenApiAnswer } from './read-answer.js';
import { type ChosenServer, createDocumentText, chooseServer } from './document-text.js';
import { openOpenApiDocument } from './open-document.js';
import { readOperations, type PlannedOperation } from './operations.js';
import { buildRequest } from './build-request.js';
import { DescribedSource } from '../described-source.js';

export interface OpenApiSourceDeps {
  readonly outside: Outside;
}

interface OpenedDocument {
  readonly text: string;
  readonly server: ChosenServer;
  readonly offer: Offer;
  readonly planned: ReadonlyMap<string, PlannedOperation>;
}

/** Tools of the operations that an OpenAPI document describes. */
export const createOpenApiSource =
  ({ outside }: OpenApiSourceDeps): MakeSource =>
  (made) =>
    new OpenApiSource(made, outside);

class OpenApiSource extends DescribedSource<OpenedDocument> implements Source {
  readonly kind = 'openapi';
  readonly #document;
  #opening: { readonly text: string; readonly opened: Promise<OpenedDocument> } | null = null;

  constructor(made: SourceOptions, outside: Outside) {
    super(made, outside);
    this.#document = createDocumentText(made, outside, this.headers, () => this.listeners.tell());
  }

  /**
   * The identity of the source, with its file as it is now: the file says where the requests go, and a key with them.
   */
  get identity(): JsonObject {
    const { file, url, base_url: baseUrl, headers } = this.made.settings;
    return {
      kind: this.kind,
      ...(file === undefined ? {} : { file }),
      ...(url === undefined ? {} : { url }),
      ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
      ...(file === undefined ? {} : { files: describeDefiningFile(resolve(this.made.dataFolder, file)) }),
      headers: Object.keys(headers).toSorted(),
    };
  }

  termsFor: Source['termsFor'] = (_situation, { pinned }) => {
    const server = typeof pinned['server'] === 'string' ? parseAddress(pinned['server']) : null;
    return {
      process: null,
      network: { reach: 'hosts', hosts: server?.ok === true ? [server.address.url.host] : [], by: 'settings' },
      paths: 'none',
      secrets: this.headers.secrets,
    };
  };

  async call(invocation: SourceInvocation): ReturnType<Source['call']> {
    const { operation, args, signal, keep } = invocation;
    const opened = await this.look(signal).catch((error: unknown) => {
      throw new ToolFailure({
        code: 'SourceUnavailable',
        message: error instanceof Error ? error.message : 'Its document can’t be read.',
        eCode: 'E3306',
      });
    });
    const planned = opened.planned.get(operation.operation);
    // What is asked for is what was accepted, and not what its document says by now.
    if (planned === undefined || digestJson(planned.offered.pinned) !== digestJson(operation.pinned))
      invocation.stillAccepted(opened.offer);
    if (planned === undefined)
      throw new ToolFailure({ code: 'SourceUnavailable', message: 'Its document has it no more.', eCode: 'E3306' });
    const { plan } = planned;
    const asked = buildRequest(plan, args);
    const what = `${plan.method} ${plan.path}`;
    try {
      const answer = await this.outside.send(
        {
          ...asked,
          headers: { ...this.headers.plain, ...asked.headers },
          within: plan.server,
          ...(opened.server.isForeign ? { chosenBy: 'document' } : {}),
          keys: this.headers.keysFor(opened.server.keysFor),
        },
        signal,
      );
      return await readOpenApiAnswer(what, answer, keep);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutsideProblem) throw new ToolFailure(requestFailure(error, !operation.claims.readOnly));
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#document.close();
  }

  protected async look(signal: AbortSignal): Promise<OpenedDocument> {
    const text = await this.#document.text(signal);
    if (this.known?.text === text) return this.known;
    // Read once, for however many ask meanwhile.
    if (this.#opening?.text !== text) this.#opening = { text, opened: this.#read(text) };
    const { opened } = this.#opening;
    try {
      return (this.known = await opened);
    } finally {
      if (this.#opening?.opened === opened) this.#opening = null;
    }
  }

  async #read(text: string): Promise<OpenedDocument> {
    const { name } = this.#document;
    const document = openOpenApiDocument(text, name);
    const server = chooseServer(document.root, this.made.settings, this.headers, name);
    const { planned, refused } = await readOperations(document, {
      documentName: name,
      server: server.url,
      isServerChosen: this.made.settings.base_url !== undefined,
      documentUrl: this.made.settings.url ?? null,
      headers: this.headers.names,
    });
    return {
      text,
      server,
      offer: { ownName: null, operations: planned.map(({ offered }) => offered), refused },
      planned: new Map(planned.map((each) => [each.offered.operation, each])),
    };
  }
}
