import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { createOutside } from '../../../outside/outside-client.js';
import { type WorkerRequest, askWorker } from './ask-worker.js';

const META = { trace_id: 't', tool_run_id: 'r', domain_id: 'd', deadline_ms: 0 };
const WELL = JSON.stringify({ ok: true, meta: META, output: 1 });

async function serve(act: (response: ServerResponse) => void) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    act(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const outside = () => {
  const made = createOutside({ secret: () => null, variable: () => null }, undefined, 'one-a-request');
  onTestFinished(() => made.close());
  return made;
};

function ask(baseUrl: string, more: Partial<WorkerRequest> = {}, stop = new AbortController().signal) {
  const asked: WorkerRequest = {
    toolId: 'example.echo',
    sideEffecting: true,
    meta: META,
    input: {},
    traceParent: null,
    spanId: '00f067aa0ba902b7',
    withinMs: 20_000,
    byCaller: false,
    ...more,
  };
  return askWorker(outside(), { baseUrl, endpoint: '/run' }, asked, stop);
}

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof ToolFailure ? error.failure : expect.fail(String(error));
};

it('a worker is asked below its address, however that ends, with what makes it part of a trace', async () => {
  const { url, seen } = await serve((response) => response.end(WELL));
  expect(await ask(`${url}/base/`)).toMatchObject({ kind: 'output', output: 1 });
  const traceParent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', flags: '01' };
  await ask(`${url}/base//`, { traceParent });
  expect(seen.map((request) => [request.url, request.headers['traceparent']])).toEqual([
    ['/base/run', undefined],
    ['/base/run', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ]);
});

it('a worker is not asked at all where no time is left', async () => {
  const { url, seen } = await serve((response) => response.end(WELL));
  for (const withinMs of [0, -5])
    expect(await failureOf(ask(url, { withinMs }))).toMatchObject({ code: 'Timeout', eCode: 'E3103', elapsedMs: 0 });
  expect(seen).toEqual([]);
});

it('a request has its own time and no longer; whose limit that was is said, and nothing of it is left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, seen } = await serve(() => undefined);
  for (const [byCaller, words] of [
    [true, 'its caller’s deadline'],
    [false, 'its time limit'],
  ] as const) {
    const failed = failureOf(ask(url, { withinMs: 3000, byCaller }));
    await vi.waitUntil(() => seen.length === (byCaller ? 1 : 2));
    await vi.advanceTimersByTimeAsync(2999);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failed).toMatchObject({ code: 'Timeout', message: expect.stringContaining(words) as string });
  }
  const well = await serve((response) => response.end(WELL));
  expect(await ask(well.url)).toMatchObject({ kind: 'output' });
  await vi.waitUntil(() => vi.getTimerCount() === 0);
});

it('a caller that stops a request hears its own reason', async () => {
  const { url, seen } = await serve(() => undefined);
  const stop = new AbortController();
  const waiting = ask(url, {}, stop.signal);
  await expect.poll(() => seen.length).toBe(1);
  const why = new ToolFailure({ code: 'Cancelled', message: 'Taken back.' });
  stop.abort(why);
  await expect(waiting).rejects.toBe(why);
  await expect(ask(url, {}, stop.signal), 'before it began').rejects.toBe(why);
  expect(seen).toHaveLength(1);
});

it('a failure says that the call may have had an effect where it may, and nowhere else', async () => {
  const { url } = await serve((response) => response.end('{}'));
  const effect = 'may have';
  expect((await failureOf(ask(url))).message).toContain(effect);
  expect((await failureOf(ask(url, { sideEffecting: false }))).message).not.toContain(effect);
  const gone = await serve(() => undefined);
  const nobody = gone.url.replace(/\d+$/u, '1');
  expect(await failureOf(ask(nobody))).toMatchObject({
    code: 'SourceUnavailable',
    eCode: 'E3101',
    message: expect.not.stringContaining(effect) as string,
  });
});
