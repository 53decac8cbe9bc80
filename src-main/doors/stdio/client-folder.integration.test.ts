import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ClientFolder } from './client-folder.js';
import { asRpcMessage } from './rpc-message.js';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-place-')));
  for (const name of ['cwd', 'one', 'two']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'two'), join(root, 'one', 'link'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});
const at = (...names: readonly string[]): string => join(root, ...names);

function client(hasRoots: boolean, rootsMs = 60_000) {
  const asked: { readonly id: string; readonly method: string }[] = [];
  const place = new ClientFolder({
    cwd: at('cwd'),
    write: (message) => void asked.push(JSON.parse(message) as (typeof asked)[number]),
    rootsMs,
  });
  place.introduced({ method: 'initialize', params: { capabilities: hasRoots ? { roots: {} } : {} } as object });
  const answer = (said: object): boolean =>
    place.takes(asRpcMessage({ jsonrpc: '2.0', id: asked[0]?.id, ...said }) ?? {});
  return {
    place,
    asked,
    answer,
    roots: (...uris: readonly unknown[]) => answer({ result: { roots: uris.map((uri) => ({ uri })) } }),
  };
}

describe('where an agent was started', () => {
  it('is where the pipe was, for a client without roots, and nothing is asked', async () => {
    const { place, asked } = client(false);
    expect(await place.settled).toBe(at('cwd'));
    place.wanted();
    expect(asked).toEqual([]);
  });

  it('is the first root by its real path, asked for once, and no later answer moves it', async () => {
    const { place, asked, roots } = client(true);
    place.wanted();
    place.wanted();
    expect(asked).toMatchObject([{ method: 'roots/list' }]);
    expect(roots(pathToFileURL(at('one', 'link')).href, pathToFileURL(at('one')).href)).toBe(true);
    expect(await place.settled).toBe(at('two'));
    roots(pathToFileURL(at('one')).href);
    expect(await place.settled).toBe(at('two'));
  });

  it.each([
    ['an error', { error: { code: -32_601, message: 'no' } }],
    ['no roots', { result: { roots: [] } }],
    ['no list', { result: { roots: 'file:///' } }],
    ['nothing', { result: null }],
  ])('is where the pipe was, where a client answers %s', async (_what, said) => {
    const { place, answer } = client(true);
    place.wanted();
    expect(answer(said)).toBe(true);
    expect(await place.settled).toBe(at('cwd'));
  });

  it.each([
    ['a file', () => pathToFileURL(at('file')).href],
    ['what is not there', () => pathToFileURL(at('none')).href],
    ['another machine’s', () => `file://elsewhere${at('one')}`],
    ['a page', () => 'https://example.org/one'],
    ['longer than a system takes', () => pathToFileURL(`/${'x'.repeat(5000)}`).href],
    ['ten megabytes', () => `file:///${'x/'.repeat(5_000_000)}`],
    ['a NUL', () => 'file:///tmp/%00'],
    ['no text', () => 7],
  ])('is where the pipe was, where the root is %s', async (_what, uri) => {
    const { place, roots } = client(true);
    place.wanted();
    roots(uri(), pathToFileURL(at('one')).href);
    expect(await place.settled).toBe(at('cwd'));
  });

  it('is where the pipe was, where the answer comes too late', async () => {
    const { place, roots } = client(true, 1);
    place.wanted();
    expect(await place.settled).toBe(at('cwd'));
    expect(roots(pathToFileURL(at('one')).href)).toBe(true);
    expect(await place.settled).toBe(at('cwd'));
  });

  it('leaves the answers to others alone', () => {
    const { place } = client(true);
    place.wanted();
    expect(place.takes({ id: 'another', result: {} })).toBe(false);
  });
});
