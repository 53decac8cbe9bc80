import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type JsonObject } from '#contract/vocabulary/json.js';
import { SOURCE_DEFAULTS, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { Offer, Source, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { createOutside } from '../../../outside/outside-client.js';
import { createOpenApiSource } from './openapi-source.js';

export const KEY = 'sk-very-secret-0123456789';
export const never = new AbortController().signal;

export interface Seen {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export type Answer = (response: ServerResponse) => void;
export const fine: Answer = (response) => response.setHeader('content-type', 'application/json').end('{"ok":true}');

export async function serve(answers: { now: Answer } = { now: fine }) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      answers.now(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, answers };
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gh-openapi-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function sourceOf(settings: Partial<SourceSettings>, dataFolder = folder()): Source {
  const outside = createOutside({ secret: () => KEY, variable: () => null });
  onTestFinished(() => outside.close());
  const source = createOpenApiSource({ outside })({
    name: 'sample',
    settings: { ...SOURCE_DEFAULTS, kind: 'openapi', ...settings },
    dataFolder,
  });
  onTestFinished(() => source.close());
  return source;
}

export function sourceOfText(text: string, settings: Partial<SourceSettings>): Source {
  const place = folder();
  writeFileSync(join(place, 'openapi'), text);
  return sourceOf({ file: 'openapi', ...settings }, place);
}

export const invoke = (
  source: Source,
  { operations }: Offer,
  name: string,
  args: JsonObject,
  more: Partial<SourceInvocation> = {},
) => {
  const operation = operations.find((each) => each.operation === name);
  if (operation === undefined) throw new Error(`${name} is not offered`);
  return source.call({
    callId: 'c1',
    // As it comes back from where it was kept.
    operation: JSON.parse(JSON.stringify(operation)) as typeof operation,
    args,
    signal: never,
    stillAccepted: () => {
      throw new Error('changed');
    },
    keep: async (bytes) => ({ stream: 'stdout', sha256: 'x', bytes: bytes.length }),
    ...more,
  } as SourceInvocation);
};

export const failureOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).failure;
};

export const small = (more: object = {}) =>
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Small', version: 'v1' },
    paths: {
      '/a/{id}': {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: {} },
          { name: 'X-Id', in: 'header', schema: {} },
        ],
        get: { operationId: 'get', responses: {} },
        post: { operationId: 'post', responses: {} },
        head: { operationId: 'head', responses: {} },
      },
    },
    ...more,
  });
