import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import Type, { type Static } from 'typebox';
import { type Frozen, keptJson } from '../files/kept-json.js';
import { digestJson } from '../digest.js';
import { digestFile } from '../reading/file-digest.js';

/** Digests by path, which is canonical; null for a file that was missing when the setting was read. */
const DigestSchema = Type.Union([Type.String(), Type.Null()]);
const DigestsByPathSchema = Type.Record(Type.String(), DigestSchema);
type DigestsByPath = Frozen<Static<typeof DigestsByPathSchema>>;

const AcceptedHookSchema = Type.Object({
  /** The digest of its words: other words are another hook, and were accepted as they were written. */
  command: Type.String(),
  places: DigestsByPathSchema,
  /** The digest of the reasons why it can’t be pinned that the person accepted. */
  unpinned: Type.Optional(Type.String()),
});
type AcceptedHook = Frozen<Static<typeof AcceptedHookSchema>>;
type AcceptedHooks = Readonly<Record<string, AcceptedHook>>;
const HookFilesSchema = Type.Record(Type.String(), Type.Union([AcceptedHookSchema, DigestSchema]));

/** The accepted files of hooks, for hooks whose files tools may change, or could once. */
export class HookFiles {
  readonly #folder: string;
  readonly #list;
  #accepted: AcceptedHooks | null = null;
  /** Previous digests of files by hook and path. A file that differs from these is not taken as it is. */
  #before: DigestsByPath = {};

  constructor(folder: string) {
    this.#folder = folder;
    this.#list = keptJson(join(folder, 'accepted.json'), HookFilesSchema);
  }

  /** Digests of all files of a hook that are compared, whatever is open. */
  places(hook: string, command: readonly string[]): DigestsByPath {
    return this.#of(hook, command)?.places ?? {};
  }

  /**
   * Pins a hook's files when the setting was read, or a folder opened: their present content is what the person means,
   * except where another was accepted before.
   */
  take(hook: string, command: readonly string[], now: DigestsByPath): void {
    const known = this.#of(hook, command);
    const was = known?.places ?? {};
    const appeared = (place: string): boolean =>
      Object.entries(was).some(([path, digest]) => digest === null && isWithin(place, path));
    // An accepted path may be a part of a larger one by now, or the other way about: that is no other path, and asks.
    const isOfAccepted = (place: string): boolean => Object.keys(was).some((path) => overlap(place, path));
    const fresh = Object.entries(now).filter(
      ([place]) => !isOfAccepted(place) && !appeared(place) && !this.#wasOtherwise(hook, place),
    );
    if (known !== null && fresh.length === 0) return;
    this.#keep(hook, { ...this.#yes(hook, command), places: { ...was, ...Object.fromEntries(fresh) } });
  }

  /** The person’s yes: from now on it is this. */
  accept(hook: string, command: readonly string[], place: string, digest: string): void {
    const was = Object.entries(this.#of(hook, command)?.places ?? {});
    // A missing path is a part of it by now; so is a smaller one, and a larger one is gone.
    const kept = was.filter(([path]) => !overlap(place, path));
    this.#keep(hook, { ...this.#yes(hook, command), places: { ...Object.fromEntries(kept), [place]: digest } });
  }

  /** The reasons that the person said yes to; null for none. */
  unpinned(hook: string, command: readonly string[]): string | null {
    return this.#of(hook, command)?.unpinned ?? null;
  }

  acceptUnpinned(hook: string, command: readonly string[], digest: string): void {
    this.#keep(hook, { command: digestJson([...command]), places: this.places(hook, command), unpinned: digest });
  }

  /** Digests of the copies that have to stay. */
  get digests(): readonly string[] {
    return Object.values(this.#all()).flatMap(({ places }) => Object.values(places).filter((each) => each !== null));
  }

  #of(hook: string, command: readonly string[]): AcceptedHook | null {
    const all = this.#all();
    const known = Object.hasOwn(all, hook) ? all[hook] : undefined;
    return known?.command === digestJson([...command]) ? known : null;
  }

  /** Builds the record of an accepted hook, without its files. */
  #yes(hook: string, command: readonly string[]): Omit<AcceptedHook, 'places'> {
    const unpinned = this.unpinned(hook, command);
    return { command: digestJson([...command]), ...(unpinned === null ? {} : { unpinned }) };
  }

  #wasOtherwise(hook: string, place: string): boolean {
    return Object.entries(this.#before).some(([key, digest]) => {
      const path = key.startsWith(`${hook}\n`) ? key.slice(hook.length + 1) : null;
      return path !== null && isWithin(place, path) && digestFile(path) !== digest;
    });
  }

  #keep(hook: string, own: AcceptedHook): void {
    const all = { ...this.#all(), [hook]: own };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#list.write({ ...this.#before, ...all });
    this.#accepted = all;
  }

  #all(): AcceptedHooks {
    if (this.#accepted === null) {
      const before: Record<string, string | null> = {};
      const accepted: Record<string, AcceptedHook> = {};
      for (const [key, value] of Object.entries(this.#list.read() ?? {}))
        if (value === null || typeof value === 'string') before[key] = value;
        else accepted[key] = value;
      this.#before = before;
      this.#accepted = accepted;
    }
    return this.#accepted;
  }
}

/** Where a file would be that is not there; null where there is one, and where it can’t be. */
export function resolveMissingFile(path: string): string | null {
  try {
    realpathSync(path);
    return null;
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return null;
    }
  }
}

/** Resolves a path to its folder; null where there is none. */
export function resolveFolder(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

const isWithin = (place: string, path: string): boolean =>
  isAbsolute(path) && (path === place || path.startsWith(`${place}/`));

const overlap = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one);
