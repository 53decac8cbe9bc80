import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { answer, type AskedOfWorker, metaOf, startWorker, type WorkerReply } from './worker-server.test-support.js';

const ok = (asked: AskedOfWorker, more: object = {}) => ({ ok: true, meta: metaOf(asked), output: {}, ...more });
const bad = (asked: AskedOfWorker, error: object, more: object = {}) => ({
  ok: false,
  meta: metaOf(asked),
  error: { code: 'UPSTREAM_ERROR', message: 'No.', retryable: true, details: {}, ...error },
  ...more,
});
const says =
  (make: (asked: AskedOfWorker) => unknown, status = 200): WorkerReply =>
  (asked, response) =>
    answer(response, make(asked), status);
const raw =
  (make: (asked: AskedOfWorker) => string | Uint8Array): WorkerReply =>
  (asked, response) =>
    void response.writeHead(200).end(make(asked));

type Expected = readonly [status: number, code: string, retryable: boolean, own: string];
const INTERNAL: Expected = [500, 'INTERNAL', false, 'OutputInvalid'];
const UPSTREAM: Expected = [502, 'UPSTREAM_ERROR', true, 'SourceUnavailable'];

const text = (asked: AskedOfWorker, more: object = {}) => JSON.stringify(ok(asked, more));

/** Each breaks the contract in one way, or stays within it where that looks otherwise. */
const BROKEN: readonly (readonly [what: string, reply: WorkerReply, expected: Expected])[] = [
  ['another trace_id', says((asked) => ok(asked, { meta: { ...metaOf(asked), trace_id: 'x' } })), INTERNAL],
  ['another tool_run_id', says((asked) => ok(asked, { meta: { ...metaOf(asked), tool_run_id: 'x' } })), INTERNAL],
  ['no ids', says((asked) => ok(asked, { meta: {} })), INTERNAL],
  ['no meta', says((asked) => ok(asked, { meta: undefined })), INTERNAL],
  ['ok and an error', says((asked) => ok(asked, { error: { code: 'INTERNAL' } })), INTERNAL],
  ['ok, and error null', says((asked) => ok(asked, { error: null })), INTERNAL],
  ['ok without output', says((asked) => ok(asked, { output: undefined })), INTERNAL],
  ['an error with output', says((asked) => bad(asked, {}, { output: {} })), INTERNAL],
  ['an error without one', says((asked) => bad(asked, {}, { error: undefined })), INTERNAL],
  ['an error without message', says((asked) => bad(asked, { message: undefined })), INTERNAL],
  ['a message that is no text', says((asked) => bad(asked, { message: 7 })), INTERNAL],
  ['retryable that is no boolean', says((asked) => bad(asked, { retryable: 'yes' })), INTERNAL],
  ['no retryable', says((asked) => bad(asked, { retryable: undefined })), INTERNAL],
  ['another code', says((asked) => bad(asked, { code: 'E_NOPE' })), INTERNAL],
  ['a code in small letters', says((asked) => bad(asked, { code: 'internal' })), INTERNAL],
  ['ok as a text', says((asked) => ok(asked, { ok: 'true' })), INTERNAL],
  ['no ok', says((asked) => ok(asked, { ok: undefined })), INTERNAL],
  ['an array', says((asked) => [ok(asked)]), INTERNAL],
  ['null', says(() => 'null'), INTERNAL],
  ['no JSON', says(() => '<html>busy</html>'), INTERNAL],
  ['nothing', says(() => ''), INTERNAL],
  ['two answers in one', says((asked) => text(asked) + text(asked)), INTERNAL],
  ['a key twice', says((asked) => text(asked).replace('{"ok":true', '{"ok":true,"ok":true')), INTERNAL],
  [
    'a key twice, written otherwise',
    raw((asked) => text(asked).replace('"output":{}', String.raw`"output":{"a":1,"\u0061":2}`)),
    INTERNAL,
  ],
  ['a byte order mark', raw((asked) => `\uFEFF${text(asked)}`), INTERNAL],
  ['no UTF-8', raw((asked) => Buffer.from(text(asked, { output: { text: 'é' } }), 'latin1')), INTERNAL],
  ['UTF-16', raw((asked) => Buffer.from(text(asked), 'utf16le')), INTERNAL],
  ['a number over 2^53', raw((asked) => text(asked).replace('"output":{}', '"output":9007199254740993')), INTERNAL],
  ['a number of another size', raw((asked) => text(asked).replace('"output":{}', '"output":[-1e300]')), INTERNAL],
  ['__proto__', raw((asked) => text(asked).replace('"output":{}', '"output":{"__proto__":{}}')), INTERNAL],
  [
    'gzip',
    (asked, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text(asked))),
    INTERNAL,
  ],
  ['gzip, unsaid', raw((asked) => gzipSync(text(asked))), INTERNAL],
  ['more than 4 MiB', says((asked) => ok(asked, { output: 'x'.repeat(4 * 2 ** 20) })), INTERNAL],
  [
    '10 GB, for as long as somebody listens',
    (_asked, response) => {
      const piece = Buffer.alloc(2 ** 20, 'x');
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      response.writeHead(200, { 'content-length': String(10 * 2 ** 30) });
      more();
    },
    INTERNAL,
  ],
  ['an output beside its schema', says((asked) => ok(asked, { output: { count: 'many' } })), INTERNAL],
  [
    'a deep one',
    raw((asked) => text(asked).replace('"output":{}', `"output":${'['.repeat(5000)}${']'.repeat(5000)}`)),
    INTERNAL,
  ],
  [
    'half a body',
    (asked, response) =>
      void response.writeHead(200, { 'content-length': '500' }).write(text(asked), () => response.destroy()),
    UPSTREAM,
  ],
  ['half a chunk', (asked, response) => void response.write(text(asked), () => response.destroy()), UPSTREAM],
  ['dies before it answers', (_asked, response) => void response.destroy(), UPSTREAM],
  ['no HTTP', (_asked, response) => void response.socket?.end('hello\n'), UPSTREAM],
  [
    'a redirect',
    (_asked, response) => void response.writeHead(302, { location: '/other' }).end(),
    [502, 'UPSTREAM_ERROR', true, 'ExecutionFailed'],
  ],
  ['never answers', () => undefined, [504, 'TIMEOUT', false, 'Timeout']],
  [
    'begins, and never ends',
    (_asked, response) => void response.writeHead(200).write('{"ok":'),
    [504, 'TIMEOUT', false, 'Timeout'],
  ],
  ['a word a time', slowLoris, [504, 'TIMEOUT', false, 'Timeout']],
];

function slowLoris(asked: AskedOfWorker, response: Parameters<WorkerReply>[1]): void {
  const letters = [...text(asked)];
  const timer = setInterval(() => {
    const letter = letters.shift();
    if (letter === undefined || response.destroyed) clearInterval(timer);
    else response.write(letter);
  }, 200);
}

const schema = { type: 'object', properties: { count: { type: 'integer' } } };

it('forty-four workers that break the contract: each is told for what it did, once, and nobody else is hurt', async () => {
  expect(BROKEN.length).toBeGreaterThanOrEqual(40);
  const worker = await startWorker((asked, response, request) => {
    const at = asked.input['at'] as number;
    if (at === -1) return answer(response, ok(asked));
    return BROKEN[at]?.[1](asked, response, request);
  });
  const domain = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([
        remoteTool(worker.url, { timeout_sec: 3, output_schema_ref: 'out.json', side_effecting: true }),
      ]),
      'out.json': JSON.stringify({ anyOf: [schema, { type: ['string', 'number', 'array'] }] }),
      'policies.yaml': 'concurrency: {global: 60, per_tool: {default: 60}}\n',
    },
  });
  const answers = await Promise.all(BROKEN.map((_each, at) => domain.run('example.echo', { input: { at } })));
  for (const [at, [what, , [status, code, retryable, own]]] of BROKEN.entries()) {
    const { body, status: said } = answers[at] ?? expect.fail();
    expect(
      [said, body.error?.code, body.error?.retryable, body.error?.details['code']],
      `${what}: ${body.error?.message}`,
    ).toEqual([status, code, retryable, own]);
    expect(body.meta.tool_run_id).toBe(body.error?.details['callId']);
    if (own === 'OutputInvalid') expect(body.error?.details['e_code'], what).toBe('E3308');
    expect(
      worker.asked.filter(({ input }) => input['at'] === at),
      `${what}: asked once`,
    ).toHaveLength(1);
  }
  expect((await domain.run('example.echo', { input: { at: -1 } })).status).toBe(200);
});

it.each([
  ['UPSTREAM_ERROR', 502],
  ['VALIDATION_ERROR', 400],
  ['TIMEOUT', 504],
  ['INTERNAL', 500],
] as const)('a worker’s own %s is told as it said it, whatever its status and type', async (code, status) => {
  const worker = await startWorker(
    (asked, response) =>
      void response
        .writeHead(asked.input['status'] as number, { 'content-type': 'text/html' })
        .end(
          JSON.stringify(
            bad(asked, { code, retryable: status === 400, message: 'As I said.', details: { at: 3 } }, { more: 1 }),
          ),
        ),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  for (const said of [200, 418, 503])
    expect(await run('example.echo', { input: { status: said } })).toMatchObject({
      status,
      body: {
        error: { code, message: 'As I said.', retryable: status === 400, details: { at: 3, code: 'ExecutionFailed' } },
      },
    });
});

it('takes what is within the contract: no duration, more fields, any status', async () => {
  const worker = await startWorker(
    says(
      (asked) => ({
        ok: true,
        more: [1],
        meta: { trace_id: asked.meta.trace_id, tool_run_id: asked.meta.tool_run_id, x: 1 },
        output: 2 ** 53,
      }),
      500,
    ),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const ran = await run('example.echo');
  expect(ran).toMatchObject({ status: 200, body: { ok: true, output: 2 ** 53 } });
  expect(ran.body.meta.duration_ms).toBeGreaterThanOrEqual(0);
});

it('a worker that answers twice is believed once, and its second answer reaches nobody', async () => {
  const worker = await startWorker((asked, response) => {
    const body = text(asked);
    const one = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    response.socket?.write(one + one);
  });
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => run('example.echo')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.meta.tool_run_id)).size).toBe(6);
});

it('the caller’s deadline is passed on, and kept', async () => {
  const worker = await startWorker(() => undefined);
  const { run } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url, { idempotent: true })]) },
  });
  const deadline = Date.now() + 1500;
  const late = await run('example.echo', { meta: { deadline_ms: deadline } });
  expect(worker.asked[0]?.meta.deadline_ms).toBe(deadline);
  expect(late).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT', retryable: true, details: { code: 'Timeout', e_code: 'E3103' } } },
  });
  expect(await run('example.echo', { meta: { deadline_ms: 1 } })).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT' } },
  });
  expect(worker.asked).toHaveLength(1);
});

it('a worker that nobody can reach is UPSTREAM_ERROR', async () => {
  const { run } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool('http://127.0.0.1:9')]) },
  });
  expect(await run('example.echo')).toMatchObject({
    status: 502,
    body: {
      error: { code: 'UPSTREAM_ERROR', retryable: true, details: { code: 'SourceUnavailable', e_code: 'E3101' } },
    },
  });
});
