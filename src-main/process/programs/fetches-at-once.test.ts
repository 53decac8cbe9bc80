import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { configWith } from '../process.test-support.js';
import { createPackages } from './packages.js';
import { CONFINED } from './programs.test-support.js';

it('at most two packages are fetched at a time, and one that fails makes room', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fetches-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const started: PromiseWithResolvers<never>[] = [];
  const packages = createPackages({
    start: () => {
      const one = Promise.withResolvers<never>();
      started.push(one);
      return one.promise;
    },
    folder,
    registry: 'https://r.example/',
    pythonIndex: 'https://p.example/',
    read: () => Promise.reject(new Error('Nobody is asked.')),
  });
  const asked = { kind: 'npm', spec: 'tiny', program: null } as const;
  const held = { process: CONFINED, config: configWith({}) };
  const going = new AbortController().signal;
  const ends = ['a', 'b', 'c', 'd'].map(async (name) =>
    packages.install(name, asked, held, going).catch(() => 'failed'),
  );
  await expect.poll(() => started.length).toBe(2);
  started[0]?.reject(new Error('no network'));
  await expect.poll(() => started.length).toBe(3);
  started[1]?.reject(new Error('no network'));
  await expect.poll(() => started.length).toBe(4);
  for (const one of started.slice(2)) one.reject(new Error('no network'));
  expect(await Promise.all(ends)).toEqual(['failed', 'failed', 'failed', 'failed']);
});
