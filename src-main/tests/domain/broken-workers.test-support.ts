import { gzipSync } from 'node:zlib';
import { answer, type AskedOfWorker, metaOf, type WorkerReply } from './worker-server.test-support.js';

export const ok = (asked: AskedOfWorker, more: object = {}) => ({ ok: true, meta: metaOf(asked), output: {}, ...more });
export const bad = (asked: AskedOfWorker, error: object, more: object = {}) => ({
  ok: false,
  meta: metaOf(asked),
  error: { code: 'UPSTREAM_ERROR', message: 'No.', retryable: true, details: {}, ...error },
  ...more,
});
export const says =
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

export const text = (asked: AskedOfWorker, more: object = {}) => JSON.stringify(ok(asked, more));

/** Each breaks the contract in one way, or stays within it where that looks otherwise. */
export const BROKEN: readonly (readonly [what: string, reply: WorkerReply, expected: Expected])[] = [
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
  const letters = text(asked).split('');
  const timer = setInterval(() => {
    const letter = letters.shift();
    if (letter === undefined || response.destroyed) clearInterval(timer);
    else response.write(letter);
  }, 200);
}
