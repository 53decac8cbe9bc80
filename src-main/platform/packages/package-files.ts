import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isSecretFile } from '../../domain/sensitive/sensitive-places.js';

export interface PackageFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** A package as it was read: every file by its path from the package, with `/`. */
export interface PackageFiles {
  readonly files: ReadonlyMap<string, PackageFile>;
  /** The digest over every path, whether it can be started, and its bytes. */
  readonly digest: string;
}

export type PackageReadResult =
  { readonly ok: true; readonly read: PackageFiles } | { readonly ok: false; readonly problem: string };

const MAX_FILES = 5000;
const MAX_BYTES = 256 * 2 ** 20;
const MAX_DEPTH = 32;

/** So often it is read anew, where somebody changed it meanwhile. */
const MAX_READINGS = 8;
/** Clocks of file systems are no finer: of what was changed so shortly before, the next change may have the same time. */
const COARSE_MS = 20;

class UnreadablePackage extends Error {}

/** Stamps of files and folders: a changed one has another stamp. */
type Stamps = Map<string, { readonly text: string; readonly changedMs: number }>;

interface PackageReading {
  readonly files: Map<string, PackageFile>;
  readonly stamps: Stamps;
  bytes: number;
}

/**
 * Reads a folder whole, as it was at one time. Links are not followed, and a folder with one is no package: what is
 * judged is what is used.
 */
export function readPackage(folder: string): PackageReadResult {
  let root: string;
  try {
    root = realpathSync(resolve(folder));
    if (!lstatSync(root).isDirectory()) return { ok: false, problem: `${folder}: it is no folder` };
  } catch {
    return { ok: false, problem: `${folder}: there is no such folder, or it can’t be read` };
  }
  let files: PackageReading['files'];
  try {
    files = readConsistently(root);
  } catch (error) {
    if (error instanceof UnreadablePackage) return { ok: false, problem: error.message };
    return { ok: false, problem: `${folder}: it can’t be read (${(error as NodeJS.ErrnoException).code ?? 'fault'})` };
  }
  return { ok: true, read: { files, digest: digestFiles(files) } };
}

function readConsistently(root: string): PackageReading['files'] {
  for (let left = MAX_READINGS; ; left -= 1) {
    const began = Date.now();
    const reading: PackageReading = { files: new Map(), stamps: new Map(), bytes: 0 };
    readFolder(root, '', reading, 0);
    const changed = findChange(root, reading.stamps, began);
    if (changed === null) return reading.files;
    if (left === 1)
      throw new UnreadablePackage(
        `${changed}: it was changed while the package was read. Wait until nothing writes to it`,
      );
    rest(COARSE_MS);
  }
}

function readFolder(root: string, below: string, reading: PackageReading, depth: number): void {
  if (depth > MAX_DEPTH) throw new UnreadablePackage(`${below}: folders are nested more than ${MAX_DEPTH} deep`);
  reading.stamps.set(below, formatStamp(lstatSync(join(root, below))));
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink()) throw new UnreadablePackage(`${path}: it is a link, and links are not followed`);
    if (entry.isDirectory()) {
      readFolder(root, path, reading, depth + 1);
      continue;
    }
    if (!entry.isFile()) throw new UnreadablePackage(`${path}: it is neither a file nor a folder`);
    if (reading.files.size >= MAX_FILES)
      throw new UnreadablePackage(`${path}: a package has at most ${MAX_FILES} files`);
    const file = readFile(root, path, reading);
    reading.bytes += file.bytes.length;
    reading.files.set(path, file);
  }
}

/**
 * Reads a file safely, whatever is swapped meanwhile: the opened file is at the path where it was looked for, or it is
 * not read.
 */
function readFile(root: string, path: string, reading: PackageReading): PackageFile {
  const place = join(root, path);
  let fd: number;
  try {
    fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new UnreadablePackage(`${path}: it can’t be read`);
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile() || resolveDescriptor(fd, place) !== place)
      throw new UnreadablePackage(`${path}: it leads elsewhere`);
    if (facts.size > MAX_BYTES - reading.bytes)
      throw new UnreadablePackage(`${path}: a package has at most ${MAX_BYTES / 2 ** 20} MB`);
    reading.stamps.set(path, formatStamp(facts));
    const bytes = Buffer.alloc(facts.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, length);
    return { bytes: bytes.subarray(0, length), executable: (facts.mode & 0o100) !== 0 };
  } finally {
    closeSync(fd);
  }
}

/** Finds a change since the reading: an added or removed file changed its folder. Null where all is as it was read. */
function findChange(root: string, stamps: Stamps, began: number): string | null {
  for (const [path, { text, changedMs }] of stamps) {
    const now = lstatSync(join(root, path), { throwIfNoEntry: false });
    const isFresh = changedMs > began - COARSE_MS && changedMs <= Date.now();
    if (isFresh || now === undefined || formatStamp(now).text !== text) return path === '' ? root : path;
  }
  return null;
}

const formatStamp = ({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats) => ({
  text: [dev, ino, size, mode, mtimeMs, ctimeMs].join(' '),
  changedMs: ctimeMs,
});

const rest = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function resolveDescriptor(fd: number, place: string): string {
  try {
    return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(place);
  } catch {
    return '';
  }
}

/** Digests some of its files. */
export function digestFiles(files: ReadonlyMap<string, PackageFile>): string {
  const all = createHash('sha256');
  for (const [path, { bytes, executable }] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const own = createHash('sha256').update(bytes).digest('hex');
    all.update(`${JSON.stringify(path)} ${executable ? 'x' : '-'} ${own}\n`);
  }
  return all.digest('hex');
}

/**
 * Keeps what was read, by its digest, for nobody to write to: with an empty file in place of each file of secrets, as a worker
 * gets its own by its environment. Gives the folder. What is there already is made anew: it may be half a copy.
 */
export function keepPackage(read: PackageFiles, within: string): string {
  const place = join(within, read.digest);
  const files = withoutSecrets(read.files);
  const known = existsSync(place) ? readPackage(place) : null;
  if (known?.ok === true && known.read.digest === digestFiles(files)) return place;
  const making = join(within, `.${read.digest.slice(0, 16)}-${process.pid}`);
  remove(making);
  mkdirSync(making, { recursive: true, mode: 0o700 });
  for (const [path, { bytes, executable }] of files) {
    mkdirSync(dirname(join(making, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(making, path), bytes, { mode: executable ? 0o555 : 0o444, flag: 'wx' });
  }
  chmodSync(making, 0o755);
  remove(place);
  renameSync(making, place);
  return place;
}

const withoutSecrets = (files: PackageFiles['files']): PackageFiles['files'] =>
  new Map([...files].map(([path, file]) => [path, isSecretFile(path) ? { ...file, bytes: NOTHING } : file]));

const NOTHING = new Uint8Array();

/** Copies that nothing runs from any more. */
export function forgetPackages(within: string, keep: ReadonlySet<string>): void {
  if (!existsSync(within)) return;
  for (const name of readdirSync(within)) if (!keep.has(join(within, name))) remove(join(within, name));
}

const remove = (place: string): void => rmSync(place, { recursive: true, force: true });
