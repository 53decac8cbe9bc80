import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { unpatchedFs } from '../files/unpatched-fs.js';

const { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } = unpatchedFs;

/** More than programs with all that they load have. What is past it can't be told from another while somebody waits. */
export const MAX_TREE_FILES = 20_000;
export const MAX_TREE_BYTES = 256 * 2 ** 20;
const MAX_DEPTH = 64;
const PIECE = 2 ** 20;

/** Files that tools make beside a program as it is used, and nothing of it: in no copy, so it is loaded by none. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '__pycache__', '.pytest_cache', '.DS_Store']);

export interface PinnedEntry {
  /** Empty for what the tree begins with. */
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'link';
  readonly executable: boolean;
  /** The digest of a file's bytes, or the target of a link. */
  readonly content: string;
}

/** A file, or a folder with all that is in it, as it was when it was read. */
export interface PinnedTree {
  readonly digest: string;
  readonly entries: readonly PinnedEntry[];
  /** Targets, absolute, of links in it that point outside. */
  readonly leadsOut: readonly string[];
}

export type TreeReadResult =
  { readonly ok: true; readonly tree: PinnedTree } | { readonly ok: false; readonly problem: string };

class TreeTooLarge extends Error {}

/** Entries of one tree that were read before, by path: a file is not read again while nothing of it changed. */
export type KnownFiles = Map<string, { readonly stamp: string; readonly digest: string }>;

interface TreeReading {
  readonly root: string;
  readonly leaveOut: (path: string) => boolean;
  readonly known: KnownFiles;
  readonly entries: PinnedEntry[];
  readonly leadsOut: string[];
  files: number;
  bytes: number;
}

/**
 * Reads the file or folder at a path, which is canonical. `leaveOut` is asked with each absolute path: an excluded one
 * is no part of it, in the digest as in a copy.
 */
export function readTree(
  root: string,
  known: KnownFiles,
  leaveOut: (path: string) => boolean = () => false,
): TreeReadResult {
  const reading: TreeReading = { root, leaveOut, known, entries: [], leadsOut: [], files: 0, bytes: 0 };
  try {
    readAt(reading, '', 0);
  } catch (error) {
    if (error instanceof TreeTooLarge) return { ok: false, problem: error.message };
    return { ok: false, problem: `can’t be read (${(error as NodeJS.ErrnoException).code ?? 'fault'})` };
  }
  const all = createHash('sha256');
  for (const { path, kind, executable, content } of reading.entries)
    all.update(`${kind} ${executable ? 'x' : '-'} ${JSON.stringify(path)} ${JSON.stringify(content)}\n`);
  return { ok: true, tree: { digest: all.digest('hex'), entries: reading.entries, leadsOut: reading.leadsOut } };
}

function readAt(reading: TreeReading, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new TreeTooLarge(`is nested more than ${MAX_DEPTH} deep`);
  const place = path === '' ? reading.root : join(reading.root, path);
  const facts = lstatSync(place);
  if (facts.isSymbolicLink()) return readLink(reading, path, place);
  if (facts.isFile()) return readFile(reading, path, place);
  // Pipes, sockets and devices are nothing that is loaded.
  if (!facts.isDirectory()) return;
  if ((reading.files += 1) > MAX_TREE_FILES) throw createTooLarge();
  reading.entries.push({ path, kind: 'folder', executable: true, content: '' });
  for (const name of readdirSync(place).toSorted()) {
    const below = path === '' ? name : `${path}/${name}`;
    if (!LEFT_OUT.has(name) && !reading.leaveOut(join(reading.root, below))) readAt(reading, below, depth + 1);
  }
}

function readLink(reading: TreeReading, path: string, place: string): void {
  if ((reading.files += 1) > MAX_TREE_FILES) throw createTooLarge();
  const content = readlinkSync(place);
  const target = resolve(dirname(place), content);
  if (target !== reading.root && !target.startsWith(`${reading.root}/`)) reading.leadsOut.push(target);
  reading.entries.push({ path, kind: 'link', executable: false, content });
}

function readFile(reading: TreeReading, path: string, place: string): void {
  if ((reading.files += 1) > MAX_TREE_FILES) throw createTooLarge();
  const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw new TreeTooLarge('changed while it was read');
    if ((reading.bytes += facts.size) > MAX_TREE_BYTES) throw createTooLarge();
    const executable = (facts.mode & 0o100) !== 0;
    reading.entries.push({ path, kind: 'file', executable, content: digestEntries(fd, facts, place, reading.known) });
  } finally {
    closeSync(fd);
  }
}

function digestEntries(fd: number, facts: Stats, place: string, known: KnownFiles): string {
  const stamp = [facts.dev, facts.ino, facts.size, facts.mtimeMs, facts.ctimeMs].join(' ');
  const before = known.get(place);
  // The time of a file's last change can't be set; one that is younger than clocks are fine may change within it.
  if (before?.stamp === stamp) return before.digest;
  const hash = createHash('sha256');
  const piece = Buffer.alloc(Math.min(PIECE, facts.size + 1));
  for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) hash.update(piece.subarray(0, read));
  const digest = hash.digest('hex');
  if (Date.now() - facts.ctimeMs > COARSE_MS) known.set(place, { stamp, digest });
  else known.delete(place);
  return digest;
}

/** Clocks of file systems are no finer. */
const COARSE_MS = 50;

const createTooLarge = (): TreeTooLarge =>
  new TreeTooLarge(
    `is more than can be copied (${MAX_TREE_FILES.toLocaleString('en')} files, ${MAX_TREE_BYTES / 2 ** 20} MB)`,
  );
