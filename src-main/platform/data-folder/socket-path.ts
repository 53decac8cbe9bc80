import { sha256 } from '../digest.js';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { replaceSmallFile } from '../files/small-file.js';

/**
 * The address where the running app listens for pipes: a socket in a folder that is the person's alone (0700), below
 * the data folder. A path longer than the system takes is a socket in the runtime folder instead, and the data folder
 * says where. On Windows it is a named pipe, for which nothing of this is checked.
 */
const FOLDER = 'run';
const SOCKET = 'app.sock';
const ELSEWHERE = 'place';
/** `sun_path`, without the zero at its end. */
const MAX_PATH_LENGTH = process.platform === 'darwin' ? 103 : 107;

/** The person should know: pipes can't be served, and why. */
export class NoSocketPathError extends Error {}

/** Where to listen. Makes the folders, and says in the data folder where the socket is. Throws in words. */
export function prepareSocketPath(dataDir: string): string {
  if (process.platform === 'win32') return namedPipe(dataDir);
  const folder = join(dataDir, FOLDER);
  makePrivate(folder);
  const here = join(folder, SOCKET);
  const note = join(folder, ELSEWHERE);
  if (Buffer.byteLength(here) <= MAX_PATH_LENGTH) {
    rmSync(note, { force: true });
    return here;
  }
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
  const there = join(runtime, `gatehouse-${digest(dataDir)}`);
  const path = join(there, SOCKET);
  if (runtime === '' || Buffer.byteLength(path) > MAX_PATH_LENGTH)
    throw new NoSocketPathError(
      `The path of the data folder is too long for a socket (${MAX_PATH_LENGTH} bytes), and XDG_RUNTIME_DIR gives no shorter one. Choose a shorter --data-dir.`,
    );
  makePrivate(there);
  replaceSmallFile(note, path);
  return path;
}

/** The running app's socket, if it is one that only this person, or root, can have made; null where there is none. */
export function findSocketPath(dataDir: string): string | null {
  if (process.platform === 'win32') return namedPipe(dataDir);
  const folder = join(dataDir, FOLDER);
  if (!isPrivate(readPathFacts(folder))) return null;
  const path = elsewhere(folder) ?? join(folder, SOCKET);
  if (!isPrivate(readPathFacts(join(path, '..')))) return null;
  const facts = readPathFacts(path);
  return facts !== null && facts.isSocket() && isOurs(facts) ? path : null;
}

/** Whether what lies there is a socket of this person's own, which may be removed once nobody listens on it. */
export function inspectSocketPath(path: string): 'nothing' | 'own-socket' | 'something-else' {
  if (process.platform === 'win32') return 'nothing';
  const facts = readPathFacts(path);
  if (facts === null) return 'nothing';
  return facts.isSocket() && isOurs(facts) ? 'own-socket' : 'something-else';
}

export const removeStaleSocket = (path: string): void => rmSync(path, { force: true });

/** Lets nobody but the person connect; the folder forbids it already. */
export function keepSocketPrivate(path: string): void {
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}

function elsewhere(folder: string): string | null {
  try {
    const path = readFileSync(join(folder, ELSEWHERE), 'utf8').trim();
    return path === '' ? null : path;
  } catch {
    return null;
  }
}

function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const facts = readPathFacts(folder);
  if (facts === null || !facts.isDirectory() || !isOurs(facts))
    throw new NoSocketPathError(`${folder} is in the way: it is not a folder of yours. Nothing there was touched.`);
  if ((facts.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

const isOurs = (facts: Stats): boolean => facts.uid === process.getuid?.();
const isPrivate = (facts: Stats | null): boolean =>
  facts !== null && facts.isDirectory() && isOurs(facts) && (facts.mode & 0o077) === 0;

/** The facts of the path itself: a link to something of ours is not ours. */
function readPathFacts(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

const digest = (text: string): string => sha256(text).slice(0, 16);
const namedPipe = (dataDir: string): string => `\\\\.\\pipe\\gatehouse-${digest(dataDir.toLowerCase())}`;
