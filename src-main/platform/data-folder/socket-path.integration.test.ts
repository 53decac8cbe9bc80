import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { findSocketPath, keepSocketPrivate, prepareSocketPath, inspectSocketPath } from './socket-path.js';

afterEach(() => vi.unstubAllEnvs());

function folder(name = ''): string {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-place-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
}

async function listen(path: string): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  keepSocketPrivate(path);
  onTestFinished(() => void server.close());
  return server;
}

it('is a socket of the person’s alone, in a folder of theirs alone, whatever the data folder lets others do', async () => {
  const dataDir = folder();
  chmodSync(dataDir, 0o755);
  expect(findSocketPath(dataDir)).toBeNull();
  const path = prepareSocketPath(dataDir);
  await listen(path);
  expect(findSocketPath(dataDir)).toBe(path);
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  expect(lstatSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('is somewhere shorter where the path is too long for the system, and the data folder says where', async () => {
  const dataDir = folder('x'.repeat(110));
  const runtime = folder();
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  const path = prepareSocketPath(dataDir);
  expect(path.startsWith(runtime)).toBe(true);
  await listen(path);
  // A client need not have the same runtime folder.
  vi.stubEnv('XDG_RUNTIME_DIR', '');
  expect(findSocketPath(dataDir)).toBe(path);
  expect(lstatSync(join(path, '..')).mode & 0o777).toBe(0o700);
  expect(() => prepareSocketPath(dataDir)).toThrow(/too long.*--data-dir/su);
});

it('is not taken from anybody: what is no socket or folder of ours stays, and is not spoken to', async () => {
  const dataDir = folder();
  const path = prepareSocketPath(dataDir);
  writeFileSync(path, 'a file');
  expect(inspectSocketPath(path)).toBe('something-else');
  expect(findSocketPath(dataDir)).toBeNull();
  rmSync(path);
  // A link to somebody's socket is not ours either.
  const other = join(folder(), 's');
  await listen(other);
  symlinkSync(other, path);
  expect(inspectSocketPath(path)).toBe('something-else');
  expect(findSocketPath(dataDir)).toBeNull();
  expect(existsSync(other)).toBe(true);

  const taken = folder();
  symlinkSync(folder(), join(taken, 'run'));
  expect(() => prepareSocketPath(taken)).toThrow(/in the way/u);
});

it('is not believed in a folder that others may write', async () => {
  const dataDir = folder();
  await listen(prepareSocketPath(dataDir));
  chmodSync(join(dataDir, 'run'), 0o777);
  expect(findSocketPath(dataDir)).toBeNull();
  prepareSocketPath(dataDir);
  expect(findSocketPath(dataDir)).not.toBeNull();
});
