import type * as Dns from 'node:dns';
import { lookup as resolveName } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { OutsideProblem, OutsideRequest } from '../domain/ports/outside.js';
import { createOutside } from './outside-client.js';
import { readRequestAddress, isLocalUrl, createLookup, type OriginRecord } from './origin-lookup.js';

/** A name server that the test plays: a real one would have to be out there. */
const answers: Record<string, readonly string[]> = {
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['169.254.169.254', '127.0.0.1'],
  'here.example': ['127.0.0.1'],
  localhost: ['127.0.0.1'],
  'x.localhost': ['203.0.113.7'],
};
vi.mock('node:dns', async (original) => {
  const real = await original<typeof Dns>();
  // Never at once, as the real one.
  const lookup = (name: string, _options: unknown, done: (error: Error | null, found: unknown) => void): void => {
    const found = answers[name]?.map((address) => ({ address, family: 4 }));
    const error = found === undefined ? Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }) : null;
    setImmediate(() => done(error, found ?? []));
  };
  return { ...real, lookup };
});

async function asked(url: string, more: Partial<OutsideRequest> = {}, led?: OriginRecord): Promise<string> {
  const keys = { secret: () => null, variable: () => null };
  const outside = createOutside(keys, undefined, 'kept', undefined, led);
  onTestFinished(() => outside.close());
  const request = { method: 'GET', url, within: url, headers: {}, body: null, keys: [], ...more } as const;
  try {
    const answer = await outside.send(request, AbortSignal.timeout(20_000));
    return await answer.text(100);
  } catch (error) {
    const { kind, mayHaveArrived } = error as OutsideProblem;
    return `${kind}${mayHaveArrived ? ', perhaps' : ''}`;
  }
}

async function served(): Promise<number> {
  const server = createServer((_request, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

it('a name that leads next to this computer is not asked, whoever chose it', async () => {
  for (const more of [{}, { chosenBy: 'document' } as const])
    expect(await asked('http://metadata.example/', more)).toBe('address');
});

it('a name of a document does not lead to this computer; one that the person chose may', async () => {
  const port = await served();
  expect(await asked(`http://here.example:${port}/`, { chosenBy: 'document' })).toBe('address');
  expect(await asked(`http://localhost:${port}/`, { chosenBy: 'document' })).toBe('address');
  expect(await asked(`http://here.example:${port}/`)).toBe('here');
});

it('of several addresses only those are tried that may be', async () => {
  const port = await served();
  const url = `http://mixed.example:${port}/`;
  expect(await asked(url)).toBe('here');
  const lookup = createLookup(
    readRequestAddress({ url, within: url, method: 'GET', headers: {}, body: null, keys: [] }),
    undefined,
    resolveName,
  );
  for (const [all, gives] of [
    [true, [{ address: '127.0.0.1', family: 4 }]],
    [false, '127.0.0.1'],
  ] as const)
    expect(await new Promise((resolve) => lookup('mixed.example', { all }, (_error, found) => resolve(found)))).toEqual(
      gives,
    );
});

it('this computer’s own name leads to this computer, or nowhere', async () => {
  expect(await asked('http://x.localhost:1/')).toBe('address');
});

const moved: string[] = [];

/** The same interface as the data folder's. */
function kept(): OriginRecord {
  const here = new Map<string, boolean>();
  return {
    wasLocal: (origin) => here.get(origin) ?? null,
    learn: (origin, is) => void here.set(origin, is),
    noteMoved: (origin) => moved.push(origin),
  };
}

it('a name that led elsewhere when it was accepted and leads here now is refused; one that led here goes on', async () => {
  const port = await served();
  const led = kept();
  answers['moves.example'] = ['203.0.113.9'];
  expect(await isLocalUrl(`http://moves.example:${port}/`)).toBe(false);
  led.learn(`http://moves.example:${port}`, false);
  answers['moves.example'] = ['127.0.0.1'];
  expect(await asked(`http://moves.example:${port}/`, {}, led)).toBe('address');
  answers['moves.example'] = ['::ffff:127.0.0.1'];
  expect(await asked(`http://moves.example:${port}/`, {}, led)).toBe('address');
  expect(moved).toEqual([`http://moves.example:${port}`, `http://moves.example:${port}`]);
  // A name that leads nowhere, or elsewhere still, has not moved here.
  answers['moves.example'] = [];
  await asked(`http://moves.example:${port}/`, {}, led);
  expect(moved).toHaveLength(2);
  // What led here when it was reached first is known by that, and what is written as this computer is meant.
  expect(await asked(`http://here.example:${port}/`, {}, led)).toBe('here');
  expect(led.wasLocal(`http://here.example:${port}`)).toBe(true);
  expect(await asked(`http://here.example:${port}/`, {}, led)).toBe('here');
  expect(await asked(`http://127.0.0.1:${port}/`, {}, led)).toBe('here');
  expect(await isLocalUrl(`http://here.example:${port}/`)).toBe(true);
  expect(await isLocalUrl('http://nobody.example/')).toBe(false);
});
