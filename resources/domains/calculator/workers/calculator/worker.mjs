import { createServer } from 'node:http';

/** Thrown by a tool to fail in a known way. */
export class WorkerFault extends Error {
  constructor(code, message, retryable, details = {}) {
    super(message);
    Object.assign(this, { code, retryable, details });
  }
}

const LARGEST_BODY = 4 * 2 ** 20;

/**
 * A worker over HTTP: `tools` by path, each given the input, and the request’s `meta` with a `signal` that ends at its deadline. What it
 * gives is the output.
 */
export function serveWorker(tools) {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return send(response, request.url === '/health' ? 200 : 404, { ok: true });
    const parts = [];
    let length = 0;
    request.on('data', (part) => {
      length += part.length;
      if (length > LARGEST_BODY) request.destroy();
      else parts.push(part);
    });
    request.on('end', () => void run(tools[request.url], Buffer.concat(parts).toString('utf8'), response));
  });
  server.keepAliveTimeout = 60_000;
  // In its sandbox nothing else can reach it; in a container it has to listen for the gateway’s.
  server.listen(Number(process.env['PORT'] ?? 8080), process.env['HOST'] ?? '127.0.0.1');
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
}

async function run(tool, body, response) {
  const began = performance.now();
  let asked;
  try {
    asked = JSON.parse(body);
  } catch {
    asked = null;
  }
  const { meta, input } = asked ?? {};
  const envelope = (rest) => ({
    ...rest,
    meta: {
      trace_id: meta?.trace_id ?? '',
      tool_run_id: meta?.tool_run_id ?? '',
      duration_ms: Math.round(performance.now() - began),
    },
  });
  const fail = (status, code, message, retryable, details = {}) =>
    send(response, status, envelope({ ok: false, error: { code, message, retryable, details } }));
  if (tool === undefined) return fail(404, 'VALIDATION_ERROR', 'There is no such endpoint.', false);
  if (typeof meta?.tool_run_id !== 'string' || typeof input !== 'object' || input === null)
    return fail(400, 'VALIDATION_ERROR', 'This is no request of a gateway: it has no meta, or no input.', false);
  const left = meta.deadline_ms - Date.now();
  if (left <= 0) return fail(504, 'TIMEOUT', 'Its deadline was over before it began.', true);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('deadline')), Math.min(left, 2 ** 31 - 1));
  try {
    const output = await tool(input, { ...meta, signal: late.signal });
    send(response, 200, envelope({ ok: true, output }));
  } catch (error) {
    if (error instanceof WorkerFault)
      return fail(STATUS[error.code], error.code, error.message, error.retryable, error.details);
    if (late.signal.aborted) return fail(504, 'TIMEOUT', 'It was not done before its deadline.', true);
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    fail(500, 'INTERNAL', 'The tool failed in a way that nobody foresaw; its log says how.', false);
  } finally {
    clearTimeout(timer);
  }
}

const STATUS = { UPSTREAM_ERROR: 502, VALIDATION_ERROR: 400, TIMEOUT: 504, INTERNAL: 500 };

function send(response, status, body) {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
