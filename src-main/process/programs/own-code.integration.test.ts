import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { OwnCode } from './own-code.js';

it('knows the code that a server is started with where it lies in an open folder, by what stands in it', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-own-code-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [open, elsewhere] = [join(root, 'open'), join(root, 'elsewhere')];
  for (const folder of [open, elsewhere]) mkdirSync(folder);
  const server = join(open, 'server.mjs');
  for (const file of [server, join(open, 'data.json'), join(elsewhere, 'server.mjs')]) writeFileSync(file, 'one');
  symlinkSync(server, join(elsewhere, 'link.mjs'));
  const code = new OwnCode(() => [open]);
  const of = (command: string, args: readonly string[], cwd: string | null = null) => code.digests(command, args, cwd);

  const first = of('node', [server, join(open, 'data.json')]);
  expect(Object.keys(first)).toEqual([server]);
  expect(of('node', ['./server.mjs'], open)).toEqual(first);
  expect(of('node', [join(elsewhere, 'link.mjs')])).toEqual(first);
  expect(Object.keys(of(server, []))).toEqual([server]);
  expect(of('node', [join(elsewhere, 'server.mjs')])).toEqual({});
  expect(of('node', ['--watch'])).toEqual({});

  const { atime, mtime } = statSync(server);
  writeFileSync(server, 'two');
  // As long as it was, and as old as it was by what it says of itself.
  utimesSync(server, atime, mtime);
  expect(of('node', [server])).not.toEqual(first);
  writeFileSync(server, 'one');
  expect(of('node', [server])).toEqual(first);
  rmSync(server);
  expect(of('node', [server])).toEqual({ [server]: 'unreadable' });
});
