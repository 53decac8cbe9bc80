import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { createOutside } from '../../outside/outside-client.js';
import { createOpenApiSource } from '../../tools/sources/openapi/openapi-source.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { answerTo } from '../gate/answers.test-support.js';
import { defaultConfig } from '../gate/default-config.test-support.js';
import { openTestGate } from '../gate/gate.test-support.js';
import { catalogOf, type TestCatalog } from './scripted-source.test-support.js';

/** A service of this machine that says what it was asked, and with which key. */
async function service() {
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} filter=${String(headers['filter'])} ${String(headers.authorization)}`);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const AS_ACCEPTED = 'DELETE /rows?filter=id%3D5 filter=undefined Bearer key-of-service';

const document = (url: string, place: string): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Rows', version: '1.0.0' },
    servers: [{ url }],
    paths: {
      '/rows': {
        delete: {
          operationId: 'dropRows',
          parameters: [{ name: 'filter', in: place, required: true, schema: { type: 'string' } }],
          responses: {},
        },
      },
    },
  });

interface Stage {
  readonly write: (text: string) => void;
  readonly read: () => Promise<void>;
  readonly follow: (reference: string) => void;
  readonly mine: string;
  readonly other: string;
}

/** What of a document and of its keys is put in another's place between each two steps of a call. */
const SWAPS: Readonly<Record<string, (stage: Stage) => void | Promise<void>>> = {
  'its plan, unread': ({ write, mine }) => write(document(mine, 'header')),
  'its plan, read': ({ write, read, mine }) => {
    write(document(mine, 'header'));
    return read();
  },
  'its address, unread': ({ write, other }) => write(document(other, 'query')),
  'its address, read': ({ write, read, other }) => {
    write(document(other, 'query'));
    return read();
  },
  'its reference to a key': ({ follow }) => follow('secret:another'),
};

const STEPS = {
  'planned → asked': 'call-awaiting',
  'asked → decided': null,
  'decided → started': 'call-authorized',
  'started → attempted': 'call-executing',
} as const;

const cells = Object.keys(STEPS).flatMap((step) => Object.keys(SWAPS).map((what) => [step, what] as const));

async function callOf(step: keyof typeof STEPS | null, swap: (stage: Stage) => void | Promise<void>) {
  const [mine, other] = [await service(), await service()];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gh-swapped-document-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'document.json');
  writeFileSync(file, document(mine.url, 'query'));
  const outside = createOutside({ secret: (name) => `key-of-${name}`, variable: () => null });
  onTestFinished(() => outside.close());
  const registry = new ToolRegistry();
  const { catalog, follow }: TestCatalog = catalogOf(registry, { make: createOpenApiSource({ outside }) });
  const settings = (reference: string) => ({
    src: { kind: 'openapi', file, headers: { Authorization: `Bearer ${reference}` }, definitions: 'first' },
  });
  await follow(settings('secret:service'));
  const gate = await openTestGate({ tools: [], config: defaultConfig(), parts: { registry } });
  const stage: Stage = {
    write: (text) => writeFileSync(file, text),
    read: async () => catalog.find('src')?.followed?.refresh(),
    follow: (reference) => void follow(settings(reference)),
    mine: mine.url,
    other: other.url,
  };
  const at = step === null ? null : STEPS[step];
  let done = false;
  gate.journal.onCommit((events: readonly JournalEvent[]) => {
    if (done || at === null || !events.some(({ type }) => type === at)) return;
    done = true;
    void swap(stage);
  });
  const batch = gate.submit([{ tool: 'src__dropRows', arguments: { filter: 'id=5' } }]);
  const sheet = await Promise.race([gate.sheet(batch), batch.settled.then(() => null)]);
  if (sheet !== null) {
    if (step === 'asked → decided') await swap(stage);
    gate.read();
    const answer = await gate.desk.decide(answerTo(sheet, 'approve-all'));
    if (!answer.ok) batch.cancel();
  }
  const [settled] = await batch.settled;
  return { code: settled?.failure?.code ?? 'ran', asked: mine.asked, elsewhere: other.asked };
}

it('nothing swapped: the service is asked as it was accepted', async () => {
  expect(await callOf(null, () => undefined)).toEqual({ code: 'ran', asked: [AS_ACCEPTED], elsewhere: [] });
});

it.each(cells)('%s: %s', async (step, what) => {
  const { code, asked, elsewhere } = await callOf(step as keyof typeof STEPS, SWAPS[what] ?? expect.fail(what));
  expect(elsewhere).toEqual([]);
  expect(asked).toEqual([]);
  expect(['ToolChanged', 'UnknownTool', 'NoDecision', 'Cancelled', 'SourceUnavailable']).toContain(code);
});
