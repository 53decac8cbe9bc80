import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, vi } from 'vitest';
import { OutsideProblem, type OutsideRequest } from '../domain/ports/outside.js';
import { createOutside, type OutsideTimes } from './outside-client.js';

export const KEY = 'sk-very-secret-0123456789';

export const QUICK: OutsideTimes = { connect: 2000, firstByte: 2000, stall: 2000 };

export const keys = {
  secret: (name: string) => (name === 'mine' ? KEY : null),
  variable: (name: string) => (name === 'MINE' ? KEY : null),
};

afterEach(() => vi.unstubAllEnvs());

export async function serve(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const never = new AbortController().signal;

export const keyed = (boundTo: string, from = 'secret:mine') => ({
  header: 'authorization',
  prefix: 'Bearer ',
  from,
  boundTo,
  asker: 'test',
});

export const get = (url: string, more: Partial<OutsideRequest> = {}): OutsideRequest => ({
  method: 'GET',
  url,
  within: new URL(url).origin,
  headers: {},
  body: null,
  keys: [],
  ...more,
});

export const client = (times = QUICK) => {
  const outside = createOutside(keys, times);
  onTestFinished(() => outside.close());
  return outside;
};

export async function problemOf(request: OutsideRequest, times = QUICK): Promise<readonly [string, string]> {
  try {
    await (await client(times).send(request, never)).text(1_000_000);
    return ['none', ''];
  } catch (error) {
    expect(error).toBeInstanceOf(OutsideProblem);
    const { kind, message } = error as OutsideProblem;
    expect(message).not.toContain(KEY);
    return [kind, message];
  }
}
