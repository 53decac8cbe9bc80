import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SOURCE_DEFAULTS, type SourceConfig } from '#contract/vocabulary/tools/sources.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { createOutside } from '../../outside/outside-client.js';
import { NOTHING_ACCEPTED } from '../../tools/sources/catalog/source-acceptance.js';
import { FollowedSource } from '../../tools/sources/catalog/followed-source.js';
import { createLangChainSource } from '../../tools/sources/langchain/langchain-source.js';
import { createOpenApiSource } from '../../tools/sources/openapi/openapi-source.js';

const KEY = 'sk-very-secret-0123456789';

async function service() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const api = (url: string, more: object = {}, operation: object = {}, item: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'x', version: '1.0.0' },
    servers: [{ url }],
    paths: { '/a': { ...item, get: { operationId: 'go', responses: {}, ...operation } } },
    ...more,
  });
const tools = (...urls: readonly string[]): string =>
  JSON.stringify(urls.map((url, at) => ({ name: at === 0 ? 'go' : `go${at}`, url })));

/** Each place where a document names an address, as an agent writes it anew: the tool that it had, or one beside it. */
const PLACES: readonly (readonly [
  string,
  'openapi' | 'langchain',
  (mine: string) => string,
  (mine: string, other: string) => string,
])[] = [
  ['servers', 'openapi', (mine) => api(mine), (_mine, other) => api(other)],
  [
    'servers, with another operation',
    'openapi',
    (mine) => api(mine),
    (_mine, other) => api(other, {}, { operationId: 'new' }),
  ],
  [
    'variables of servers',
    'openapi',
    (mine) => api('{base}', { servers: [{ url: '{base}', variables: { base: { default: mine } } }] }),
    (_mine, other) => api('{base}', { servers: [{ url: '{base}', variables: { base: { default: other } } }] }),
  ],
  [
    'servers of a path',
    'openapi',
    (mine) => api(mine),
    (mine, other) => api(mine, {}, { operationId: 'new' }, { servers: [{ url: other }] }),
  ],
  [
    'servers of an operation',
    'openapi',
    (mine) => api(mine),
    (mine, other) => api(mine, {}, { operationId: 'new', servers: [{ url: other }] }),
  ],
  ['url', 'langchain', (mine) => tools(mine), (_mine, other) => tools(other)],
  ['url, of the first before it', 'langchain', (mine) => tools(mine), (mine, other) => tools(other, mine)],
  ['url, of another tool', 'langchain', (mine) => tools(mine), (mine, other) => tools(mine, other)],
];

it.each(PLACES)(
  '%s of a document (%s) that an agent writes leads no key elsewhere',
  async (_place, kind, before, after) => {
    const [mine, other] = [await service(), await service()];
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gh-document-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'document');
    const outside = createOutside({ secret: () => KEY, variable: () => null });
    onTestFinished(() => outside.close());
    const settings: SourceConfig = {
      ...SOURCE_DEFAULTS,
      kind,
      file,
      headers: { Authorization: 'Bearer secret:service' },
      definitions: 'first',
    };
    const make = kind === 'openapi' ? createOpenApiSource({ outside }) : createLangChainSource({ outside });
    const isOpen = { now: false };
    const follow = (accepted = NOTHING_ACCEPTED): FollowedSource => {
      const source = make({ name: 'src', settings, dataFolder: folder });
      onTestFinished(() => source.close());
      return new FollowedSource({
        name: 'src',
        settings,
        source,
        accepted,
        rules: () => ({ maxVersions: 5, warningDays: 90, now: 0 }),
        keep: () => undefined,
        keepOutput: () => Promise.reject(new Error('Nothing is kept.')),
        confinementTried: () => Promise.resolve(),
        mayBeWritten: (path) => isOpen.now && path.startsWith(folder),
        onChange: () => undefined,
      });
    };
    const context = { signal: new AbortController().signal, callId: 'c', keep: () => undefined } as never;
    const callAll = async (followed: FollowedSource): Promise<readonly string[]> =>
      Promise.all(
        [...followed.accepted.tools.values()].map((tool) =>
          followed.call(tool, {}, context).then(
            () => 'ran',
            (error: unknown) => (error instanceof ToolFailure ? error.failure.code : String(error)),
          ),
        ),
      );

    // Where no tool may write, what is seen first is accepted; what is written there later is not.
    writeFileSync(file, before(mine.url));
    const followed = follow();
    await followed.refresh();
    expect(await callAll(followed)).toEqual(['ran']);
    expect(mine.seen).toEqual([`Bearer ${KEY}`]);
    writeFileSync(file, after(mine.url, other.url));
    await followed.refresh();
    expect(await callAll(followed)).toEqual(['ToolChanged']);
    const later = follow(followed.accepted);
    expect(await callAll(later)).toEqual(['ToolChanged']);
    await later.refresh();
    expect(later.standing.map(({ stopped }) => stopped?.code)).not.toContain(undefined);
    // Where tools may write, not even the first is.
    isOpen.now = true;
    const first = follow();
    await first.refresh();
    expect([first.accepted.server, await callAll(first)]).toEqual([null, []]);
    expect([mine.seen.length, other.seen]).toEqual([1, []]);
  },
);
