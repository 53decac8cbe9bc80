import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clearAbandonedFolders, makePrivateFolder } from './private-folder.js';

/**
 * Where stderr comes out: a named pipe in a private folder, since node-pty can pass no descriptors. Each is used once.
 * They are made many at a time, because only a program can make one and starting it takes as long as a short command.
 */
export interface FifoPool {
  take(): Promise<Fifo>;
  dispose(): Promise<void>;
}

export interface Fifo extends Disposable {
  /** For the writer. */
  readonly path: string;
  /** Private file names beside it. */
  readonly timesPath: string;
  readonly askPath: string;
  readonly networkPath: string;
  readonly notesPath: string;
  readonly readable: Socket;
  /** Until then there is no end of file, however late the command opens it. */
  letItEnd(): void;
}

const BATCH = 32;
/** The pipes, and what stands beside them. */
const OUR_FILES = /^e\d+(?:\.(?:times|ask|notes|net))?$/u;

export function createFifoPool(): FifoPool {
  // Whether it works is nothing to a command: what stays is looked at again by the next start.
  const clearing = clearAbandonedFolders((name) => OUR_FILES.test(name)).catch(() => undefined);
  let folder: Promise<string> | null = null;
  let free: string[] = [];
  let made = 0;
  let filling: Promise<void> | null = null;

  const fill = async (): Promise<void> => {
    folder ??= makePrivateFolder();
    const inFolder = await folder;
    const names = Array.from({ length: BATCH }, (_, index) => join(inFolder, `e${made + index}`));
    made += BATCH;
    await promisify(execFile)('mkfifo', ['-m', '600', ...names], { env: { PATH: '/usr/bin:/bin' } });
    free.push(...names);
  };
  const refill = (): Promise<void> => {
    filling ??= fill().finally(() => {
      filling = null;
    });
    return filling;
  };

  return {
    async take() {
      while (free.length === 0) await refill();
      const path = free.shift() ?? '';
      // The next ones are made while this one is used; if that fails, the next `take` says so.
      if (free.length < BATCH / 4) refill().catch(() => undefined);
      return openFifo(path);
    },
    async dispose() {
      await clearing;
      await filling?.catch(() => undefined);
      free = [];
      if (folder !== null) await rm(await folder, { recursive: true, force: true });
      folder = null;
    },
  };
}

function openFifo(path: string): Fifo {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writer: number | null = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const readable = new Socket({ fd: reader, readable: true, writable: false });
  readable.on('error', () => readable.destroy());
  const timesPath = `${path}.times`;
  const askPath = `${path}.ask`;
  const networkPath = `${path}.net`;
  const notesPath = `${path}.notes`;
  const letItEnd = (): void => {
    if (writer !== null) closeSync(writer);
    writer = null;
  };
  return {
    path,
    timesPath,
    askPath,
    networkPath,
    notesPath,
    readable,
    letItEnd,
    [Symbol.dispose]() {
      letItEnd();
      readable.destroy();
      for (const file of [path, timesPath, askPath, notesPath]) rm(file, { force: true }).catch(() => undefined);
    },
  };
}
