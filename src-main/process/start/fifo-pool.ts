import { execFile } from 'node:child_process';
import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ClearAbandonedFolders } from '../../domain/ports/workspace/clear-abandoned-folders.js';
import { clearAbandonedFolders, isOurs, makePrivateFolder } from './private-folder.js';

/**
 * Where stderr comes out: a named pipe in a private folder, since node-pty can pass no descriptors. Each is used once.
 * They are made many at a time, because only a program can make one and starting it takes as long as a short command.
 */
export interface FifoPool {
  /** Where they are; null before the first. */
  readonly folder: string | null;
  take(): Promise<Fifo>;
  dispose(): Promise<void>;
}

export interface Fifo extends Disposable {
  /** The path for the writer. */
  readonly path: string;
  /** Private file names beside it. */
  readonly timesPath: string;
  readonly askPath: string;
  readonly networkPath: string;
  readonly notesPath: string;
  readonly filterPath: string;
  readonly emptyPath: string;
  readonly readable: Socket;
  /** Whether a writer would still find it: an app may be open for longer than temporary files are kept. */
  readonly isThere: boolean;
  /** Lets the pipe end. Until then there is no end of file, however late the command opens it. */
  letItEnd(): void;
}

const BATCH = 32;
/** The pipes, and the files beside them. */
const OUR_FILES = /^e\d+(?:\.(?:times|ask|notes|net|calls|empty))?$/u;

/** Clears at start the folders of apps that are gone, with what they had in them. */
export const clearAbandonedPipes = (clear: ClearAbandonedFolders): Promise<void> =>
  clearAbandonedFolders(clear, (name) => OUR_FILES.test(name));

export function createFifoPool(): FifoPool {
  let folder: string | null = null;
  let free: string[] = [];
  let made = 0;
  let filling: Promise<void> | null = null;

  const fill = async (): Promise<void> => {
    if (folder === null || !isOurs(folder)) folder = await makePrivateFolder();
    const inFolder = folder;
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

  const next = async (): Promise<Fifo | null> => {
    while (free.length === 0) await refill();
    const path = free.shift() ?? '';
    // The next ones are made while this one is used; if that fails, the next `take` says so.
    if (free.length < BATCH / 4) refill().catch(() => undefined);
    return openFifo(path);
  };

  return {
    get folder() {
      return folder;
    },
    async take() {
      const first = await next();
      if (first !== null) return first;
      // Somebody cleared them away, so the others are gone as well, or are in a folder that is.
      await filling?.catch(() => undefined);
      free = [];
      const second = await next();
      if (second === null) throw new Error(`The named pipes in ${folder ?? ''} vanish as soon as they are made.`);
      return second;
    },
    async dispose() {
      await filling?.catch(() => undefined);
      free = [];
      if (folder !== null && isOurs(folder)) await rm(folder, { recursive: true, force: true });
      folder = null;
    },
  };
}

/** Null where it is gone, or is something else by now. */
function openFifo(path: string): Fifo | null {
  const reader = openPipe(path, constants.O_RDONLY);
  if (reader === null) return null;
  let writer = openPipe(path, constants.O_WRONLY);
  if (writer === null) {
    closeSync(reader);
    return null;
  }
  // As long as we have it open, no other file gets its number.
  const { dev, ino } = fstatSync(reader);
  const readable = new Socket({ fd: reader, readable: true, writable: false });
  readable.on('error', () => readable.destroy());
  const timesPath = `${path}.times`;
  const askPath = `${path}.ask`;
  const networkPath = `${path}.net`;
  const notesPath = `${path}.notes`;
  const filterPath = `${path}.calls`;
  const emptyPath = `${path}.empty`;
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
    filterPath,
    emptyPath,
    readable,
    get isThere() {
      const now = isOurs(dirname(path)) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return now?.dev === dev && now.ino === ino;
    },
    letItEnd,
    [Symbol.dispose]() {
      letItEnd();
      readable.destroy();
      for (const file of [path, timesPath, askPath, notesPath, filterPath, emptyPath])
        rm(file, { force: true }).catch(() => undefined);
    },
  };
}

function openPipe(path: string, how: number): number | null {
  if (!isOurs(dirname(path)) || lstatSync(path, { throwIfNoEntry: false })?.isFIFO() !== true) return null;
  return openSync(path, how | constants.O_NONBLOCK);
}
