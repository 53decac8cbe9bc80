import { createWriteStream } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WorkerProblem } from '../../../domain/ports/sources/worker.js';
import type { ContainerProcess } from '../runc-bundle.js';
import { within } from '../../confinement/home-folder.js';
import { type ArchiveEntry, isArchive, readArchive } from './archive.js';
import { type Copy, readContainerfile } from './containerfile.js';

/** What a container sees as its root, put together without an engine, and what runs in it. */
export interface BuiltRoot {
  readonly root: string;
  /** Empty, and covered where it is used. */
  readonly bundle: string;
  readonly process: ContainerProcess;
}

export interface RootSource {
  /** Where all of them are. */
  readonly roots: string;
  readonly folder: string;
  readonly file: string;
  readonly name: string;
  readonly digest: string;
  /** Of others by this name those that may go on running. */
  readonly kept: ReadonlySet<string>;
}

/** As large as a whole system may be; a small archive can hold much more. */
const MOST_BYTES = 4 * 2 ** 30;
const MOST_FILES = 300_000;

/** Made where it was not yet, beside its place and put there whole; what was made of it before is removed. */
export async function builtRoot(source: RootSource, signal: AbortSignal): Promise<BuiltRoot> {
  const { roots, folder, file, name, digest } = source;
  const read = readContainerfile(await readFile(file, 'utf8'), basename(file));
  const place = join(roots, `${name}-${digest}`);
  const built: BuiltRoot = { root: join(place, 'root'), bundle: join(place, 'bundle'), process: read.process };
  if (await isThere(place)) return built;
  await mkdir(roots, { recursive: true, mode: 0o700 });
  await removeOthers(source);
  const making = join(roots, `${name}-making-${process.pid}-${digest}`);
  await rm(making, { recursive: true, force: true });
  await mkdir(join(making, 'bundle'), { recursive: true, mode: 0o700 });
  const root = new Root(join(making, 'root'), signal);
  try {
    await root.open();
    for (const ignored of ['.containerignore', '.dockerignore'])
      if (await isThere(join(folder, ignored)))
        throw new WorkerProblem(`${ignored} is not read with runc alone: name in the Containerfile what is copied.`);
    for (const copy of read.copies) await copied(root, folder, copy, basename(file));
    for (const path of [...read.folders, read.process.folder]) await root.folder(path);
    await root.complete();
    await rename(making, place);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
  return built;
}

async function removeOthers({ roots, name, digest, kept }: RootSource): Promise<void> {
  const others = (await readdir(roots)).filter(
    (each) => each.startsWith(`${name}-`) && /^(?:making-\d+-)?[0-9a-f]{24}$/u.test(each.slice(name.length + 1)),
  );
  for (const other of others)
    if (other !== `${name}-${digest}` && !kept.has(join(roots, other, 'root')))
      await rm(join(roots, other), { recursive: true, force: true });
}

async function copied(
  root: Root,
  folder: string,
  { line, sources, target, unpacks }: Copy,
  name: string,
): Promise<void> {
  for (const each of sources) {
    const source = join(folder, each);
    const told = (why: string): WorkerProblem => new WorkerProblem(`${name}:${line}: ${each.slice(0, 200)}: ${why}`);
    const facts = await lstat(source).catch(() => null);
    if (facts === null || !within(await realpath(folder), await realpath(dirname(source))))
      throw told('it is not in the worker’s folder.');
    try {
      if (facts.isDirectory()) await root.takeFolder(source, target);
      else if (unpacks && (await isArchive(source))) await root.unpack(source, target);
      else
        await root.take(
          source,
          target.endsWith('/') ? posix.join(target, basename(each)) : await root.whereTo(target, each),
        );
    } catch (error) {
      throw error instanceof WorkerProblem || isOfFiles(error) ? told((error as Error).message) : error;
    }
  }
}

const isOfFiles = (error: unknown): boolean => error instanceof Error && 'code' in error;
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Nothing is written outside of it, whatever links stand in it: each is followed as the container would. */
class Root {
  readonly #root: string;
  readonly #signal: AbortSignal;
  #bytes = 0;
  #files = 0;

  constructor(root: string, signal: AbortSignal) {
    this.#root = root;
    this.#signal = signal;
  }

  open(): Promise<unknown> {
    return mkdir(this.#root, { mode: 0o755 });
  }

  /** Where containers of an engine have something too, and what each is given covers it. */
  async complete(): Promise<void> {
    for (const path of ['/proc', '/dev', '/tmp', '/etc']) await this.folder(path);
    for (const [path, text] of [
      ['/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'],
      ['/etc/passwd', 'root:x:0:0::/:/usr/sbin/nologin\nworker:x:65534:65534::/tmp:/usr/sbin/nologin\n'],
    ] as const) {
      const at = await this.#resolved(path);
      if (!(await isThere(at))) await writeFile(at, text, { mode: 0o644 });
    }
    await this.#makeRemovable(this.#root);
  }

  async folder(path: string): Promise<void> {
    await this.#folderAt(path);
  }

  /** Into a folder that is there a file keeps its name. */
  async whereTo(target: string, source: string): Promise<string> {
    const at = await this.#resolved(target, true);
    return (await stat(at).catch(() => null))?.isDirectory() === true ? posix.join(target, basename(source)) : target;
  }

  async take(source: string, target: string): Promise<void> {
    const facts = await lstat(source);
    const at = join(await this.#folderAt(posix.dirname(target)), posix.basename(target));
    if (facts.isSymbolicLink()) return this.#link(at, await readlink(source));
    if (!facts.isFile()) throw new WorkerProblem('it is neither a file nor a folder nor a link.');
    this.#count(facts.size);
    await this.#clear(at);
    await copyFile(source, at);
    await chmod(at, facts.mode & 0o777);
  }

  /** What is in it, not itself. */
  async takeFolder(source: string, target: string): Promise<void> {
    await this.#folderAt(target);
    for (const each of await readdir(source, { withFileTypes: true })) {
      const [from, to] = [join(source, each.name), posix.join(target, each.name)];
      if (each.isDirectory()) await this.takeFolder(from, to);
      else await this.take(from, to);
    }
  }

  async unpack(archive: string, target: string): Promise<void> {
    await this.#folderAt(target);
    for await (const entry of readArchive(archive)) {
      const inside = posix.join('/', entry.path);
      const path = posix.join(target, inside);
      if (entry.kind === 'folder') {
        this.#count(0);
        await chmod(await this.#folderAt(path), entry.mode | 0o700);
        continue;
      }
      const at = join(await this.#folderAt(posix.dirname(path)), posix.basename(path));
      if (entry.kind === 'link') await this.#link(at, entry.target);
      else if (entry.kind === 'same') await this.#same(at, posix.join(target, posix.join('/', entry.target)));
      else await this.#write(at, entry);
    }
  }

  async #write(at: string, { bytes, size, mode }: ArchiveEntry): Promise<void> {
    // As many as it says come, or none.
    this.#count(size);
    await this.#clear(at);
    await pipeline(bytes, createWriteStream(at, { flags: 'wx' }), { signal: this.#signal });
    await chmod(at, mode);
  }

  async #link(at: string, target: string): Promise<void> {
    this.#count(0);
    await this.#clear(at);
    await symlink(target, at);
  }

  async #same(at: string, target: string): Promise<void> {
    this.#count(0);
    const other = join(await this.#folderAt(posix.dirname(target)), posix.basename(target));
    if (!(await lstat(other).catch(() => null))?.isFile())
      throw new WorkerProblem(`${target} is linked to before it is there.`);
    await this.#clear(at);
    await link(other, at);
  }

  async #clear(at: string): Promise<void> {
    const facts = await lstat(at).catch(() => null);
    if (facts?.isDirectory() === true) throw new WorkerProblem(`${at.slice(this.#root.length)} is a folder already.`);
    if (facts !== null) await rm(at);
  }

  #count(bytes: number): void {
    if (this.#signal.aborted) throw new WorkerProblem('It was stopped before it began.');
    if ((this.#files += 1) > MOST_FILES) throw new WorkerProblem(`a worker has at most ${MOST_FILES} files.`);
    if ((this.#bytes += bytes) > MOST_BYTES)
      throw new WorkerProblem(`a worker has at most ${MOST_BYTES / 2 ** 30} GB of files.`);
  }

  async #folderAt(path: string): Promise<string> {
    const at = await this.#resolved(path, true);
    await mkdir(at, { recursive: true, mode: 0o755 });
    return at;
  }

  /** Outside, without a link on the way; of the last part only where that is asked for. */
  async #resolved(path: string, last = false): Promise<string> {
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    let at: string[] = [];
    for (let followed = 0; parts.length > 0;) {
      const part = parts.shift() ?? '';
      if (part === '..') {
        at = at.slice(0, -1);
        continue;
      }
      const here = join(this.#root, ...at, part);
      const facts = await lstat(here).catch(() => null);
      if (facts?.isSymbolicLink() !== true || (parts.length === 0 && !last)) {
        at.push(part);
        continue;
      }
      if ((followed += 1) > 40) throw new WorkerProblem(`${path.slice(0, 200)} leads round in a circle.`);
      const target = await readlink(here);
      if (target.startsWith('/')) at = [];
      parts.unshift(...target.split('/').filter((each) => each !== '' && each !== '.'));
    }
    return join(this.#root, ...at);
  }

  /** Folders that nobody may write to can't be removed with what is in them, but by root. */
  async #makeRemovable(folder: string): Promise<void> {
    for (const each of await readdir(folder, { withFileTypes: true })) {
      if (!each.isDirectory()) continue;
      const path = join(folder, each.name);
      const { mode } = await lstat(path);
      if ((mode & 0o700) !== 0o700) await chmod(path, (mode & 0o777) | 0o700);
      await this.#makeRemovable(path);
    }
  }
}
