import { expect, it, onTestFinished } from 'vitest';
import { createOutside } from '../../outside/outside-client.js';
import { proveWorker, buildSample } from '../../tools/packages/contract-kit.js';
import { BROKEN, ok, text } from './broken-workers.test-support.js';
import { answer, startWorker, type WorkerReply } from './worker-server.test-support.js';

function outside() {
  const made = createOutside({ secret: () => null, variable: () => null }, undefined, 'one-a-request');
  onTestFinished(() => made.close());
  return made;
}

const subject = (url: string) => ({
  toolId: 'example.echo',
  domainId: 'example',
  at: { baseUrl: url, endpoint: '/run' },
  inputSchema: null,
  outputSchema: {
    anyOf: [{ type: 'object', properties: { count: { type: 'integer' } } }, { type: ['string', 'number', 'array'] }],
  },
  timeoutMs: 3000,
});

async function findingsOf(reply: WorkerReply) {
  const { url } = await startWorker(reply);
  return proveWorker(outside(), subject(url));
}

it('a worker that does its work passes all of it', async () => {
  const findings = await findingsOf((asked, response) => answer(response, ok(asked)));
  expect(findings.length).toBeGreaterThanOrEqual(6);
  expect(findings.filter(({ wrong }) => wrong !== null)).toEqual([]);
});

it('each of the broken workers is found out', async () => {
  const found = await Promise.all(BROKEN.map(async ([what, reply]) => ({ what, findings: await findingsOf(reply) })));
  for (const { what, findings } of found)
    expect(
      findings.filter(({ wrong }) => wrong !== null),
      what,
    ).not.toEqual([]);
});

it.each<readonly [string, WorkerReply]>([
  [
    'mixes up those that come together',
    (() => {
      let last: string | null = null;
      const waiting: (() => void)[] = [];
      return (asked, response) => {
        last = text(asked);
        waiting.push(() => answer(response, last ?? ''));
        if (waiting.length === 1) setTimeout(() => waiting.splice(0).forEach((go) => go()), 50);
      };
    })(),
  ],
  [
    'fails outside the envelope at what it did not expect',
    (asked, response) =>
      Object.keys(asked.input).length > 0
        ? void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>')
        : answer(response, ok(asked)),
  ],
  [
    'hangs where the deadline is over',
    (asked, response) => (asked.meta.deadline_ms === 1 ? undefined : answer(response, ok(asked))),
  ],
  [
    'cuts long ids',
    (asked, response) =>
      answer(
        response,
        ok(asked, { meta: { trace_id: asked.meta.trace_id, tool_run_id: asked.meta.tool_run_id.slice(0, 64) } }),
      ),
  ],
])('a worker is found out that %s', async (_what, reply) => {
  expect((await findingsOf(reply)).filter(({ wrong }) => wrong !== null)).not.toEqual([]);
});

it('the kit makes the simplest input that a schema asks for', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: 'string', minLength: 3 },
      c: { enum: ['x'] },
      d: { type: 'array', minItems: 1, items: { type: 'boolean' } },
      e: {},
    },
    required: ['a', 'b', 'c', 'd'],
  };
  expect(buildSample(schema)).toEqual({ a: 1, b: 'xxx', c: 'x', d: [true] });
});
