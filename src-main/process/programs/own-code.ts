import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type {
  InspectedCode,
  UnpinnedReason,
  CodeInspector,
  PinnedStart,
  LaunchRequest,
} from '../../domain/ports/sources/code-inspector.js';
import type { PinnedCopies } from '../../platform/pinned/pinned-copies.js';
import { type KnownFiles, readTree, type PinnedTree } from '../../platform/pinned/tree.js';
import { explainLookup } from './explain-lookup.js';
import {
  isSystemPath,
  type NamedPlace,
  findNamedPlaces,
  type OwnPlaces,
  ownWorkingFolder,
  findPathsIn,
  findRelativePathsIn,
} from './own-files.js';
import { ScriptNames } from './script-names.js';
import { realPathOf } from '../../platform/files/resolve-path.js';

export interface OwnCodeDeps {
  /** Asked anew each time: which folders are open changes. */
  readonly own: () => Omit<OwnPlaces, 'mayBeWritten'>;
  readonly mayBeWritten: (path: string) => boolean;
  readonly copies: PinnedCopies;
}

export const createOwnCode = (parts: OwnCodeDeps): CodeInspector => new ProgramCode(parts);

/** A part of a program: what is digested is what is copied, and the copy is what is mounted. */
interface ProgramPart {
  /** Canonical. */
  readonly place: string;
  /** True for a runtime that runs as it is: the language that a program is written in, which no tool may write to. */
  readonly isRuntime: boolean;
}

class ProgramCode implements CodeInspector {
  readonly #parts: OwnCodeDeps;
  readonly #known: KnownFiles = new Map();
  readonly #scripts = new ScriptNames();
  readonly #trees = new WeakMap<InspectedCode, ReadonlyMap<string, PinnedTree>>();

  constructor(parts: OwnCodeDeps) {
    this.#parts = parts;
  }

  inspect(words: LaunchRequest): InspectedCode {
    const { command, args, cwd, seesFolder } = words;
    const own = this.#own();
    const named = findNamedPlaces(command, args, cwd, own);
    const left = new Set(words.leaveOut ?? []);
    const trees = new Map<string, PinnedTree>();
    const files: Record<string, string> = {};
    const notPinned: UnpinnedReason[] = [];
    if (this.#known.size > MAX_CACHED) this.#known.clear();
    const { counts = () => true } = words;
    for (const { place, isRuntime } of this.#partsOf(named, ownWorkingFolder(cwd, own), own)) {
      if (!counts(place)) continue;
      const read = readTree(place, this.#known, (path) => left.has(path));
      if (!read.ok) {
        notPinned.push({ words: `${place} ${read.problem}.`, byTools: this.#parts.mayBeWritten(place) });
        continue;
      }
      files[place] = read.tree.digest;
      if (!isRuntime) trees.set(place, read.tree);
      const out = read.tree.leadsOut.map(realPathOf).find(this.#parts.mayBeWritten);
      if (out !== undefined) notPinned.push(byTools(`${place} holds a link to ${out}, where tools may write.`));
    }
    const isCopied = (path: string): boolean => [...trees.keys()].some((place) => isWithin(place, path));
    notPinned.push(...this.#notPinned(words, named, isCopied));
    const lacking = named.find(({ lacksFolder, path }) => lacksFolder && this.#parts.mayBeWritten(realPathOf(path)));
    // What runs is its copy: what it looks up beside itself is not found there, and what it is told to look for elsewhere stands in its words.
    if (seesFolder && lacking !== undefined)
      notPinned.push({
        words: `${lacking.path} may load more of its folder, where tools may write.`,
        byTools: false,
      });
    const code: InspectedCode = { words, files, notPinned: distinctReasons(notPinned) };
    this.#trees.set(code, trees);
    return code;
  }

  async prepareStart(
    code: InspectedCode,
    { isConfined, folder }: Parameters<CodeInspector['prepareStart']>[1],
  ): Promise<PinnedStart> {
    const { command, args, cwd } = code.words;
    const own = this.#own();
    const named = findNamedPlaces(command, args, cwd, own);
    const copies = await Promise.all(
      [...(this.#trees.get(code) ?? [])].map(async ([place, tree]) => ({
        at: place,
        from: await this.#parts.copies.of(place, tree),
      })),
    );
    // What is looked up beside it is not to be found in the folder either; and unconfined, nothing stands in its place.
    const moved = copies.filter(({ at }) => !isConfined || (folder !== null && isWithin(folder, at)));
    const inCopy = (path: string): string | null => {
      const copy = moved.find(({ at }) => isWithin(at, realPathOf(path)));
      return copy === undefined ? null : `${copy.from}${realPathOf(path).slice(copy.at.length)}`;
    };
    const words = [command, ...args].map((word, at) => {
      const place = named.find((each) => each.at === at);
      const to = place === undefined ? null : inCopy(place.path);
      return to === null ? word : `${/^--?[\w-]+=/u.exec(word)?.[0] ?? ''}${to}`;
    });
    const working = ownWorkingFolder(cwd, own);
    return {
      command: words[0] ?? command,
      args: words.slice(1),
      cwd: cwd === null ? null : (inCopy(cwd) ?? cwd),
      reads: [
        ...new Set([
          ...named.flatMap(({ reads }) => reads),
          ...(working === null ? [] : [working]),
          ...moved.map(({ from }) => from),
        ]),
      ],
      copies: isConfined ? copies : [],
    };
  }

  #own(): OwnPlaces {
    return { ...this.#parts.own(), mayBeWritten: this.#parts.mayBeWritten };
  }

  #partsOf(named: readonly NamedPlace[], working: string | null, own: OwnPlaces): readonly ProgramPart[] {
    const parts = named.flatMap(({ at, path, place }): readonly ProgramPart[] => {
      if (place === null || isSystemPath(place, own)) return [];
      const isRuntime = at === 0 && RUNTIME.test(basename(path)) && !existsSync(join(place, 'pyvenv.cfg'));
      if (isRuntime && !this.#parts.mayBeWritten(realPathOf(path))) return [{ place: realPathOf(path), isRuntime }];
      return [{ place, isRuntime: false }];
    });
    const all = [...parts, ...(working === null ? [] : [{ place: realPathOf(working), isRuntime: false }])];
    return all.filter(
      ({ place }, at) =>
        !all.some((other, index) =>
          place === other.place ? index < at : isWithin(other.place, place) && !other.isRuntime,
        ),
    );
  }

  #notPinned(
    words: LaunchRequest,
    named: readonly NamedPlace[],
    isCopied: (path: string) => boolean,
  ): readonly UnpinnedReason[] {
    const { command, args, cwd, environment = {} } = words;
    const { mayBeWritten } = this.#parts;
    const { homes } = this.#parts.own();
    // Where it starts in what tools may write to, that is said, or its copy is where it starts.
    const above = cwd === null || mayBeWritten(realPathOf(cwd)) ? null : cwd;
    const written = (text: string): string | undefined =>
      [...findPathsIn(text, homes), ...(above === null ? [] : findRelativePathsIn(text, above))].find((part) =>
        mayBeWritten(realPathOf(part)),
      );
    const reasons: string[] = [];
    for (const { path, kind } of named)
      if (kind === 'folder' && mayBeWritten(realPathOf(path)))
        reasons.push(`${path} is a folder that tools may write to.`);
    if (cwd !== null && mayBeWritten(realPathOf(cwd)) && !isCopied(realPathOf(cwd)))
      reasons.push(`It starts in ${cwd}, a folder that tools may write to.`);
    for (const [name, value] of Object.entries(environment)) {
      const path = written(value);
      if (path !== undefined) reasons.push(`${name} names ${path}, where tools may write.`);
    }
    // A list of folders, an option with its value, a text that is run: what is no word of its own is none of the places above.
    for (const [at, word] of [command, ...args].entries()) {
      const path = named.some((each) => each.at === at) ? undefined : written(word);
      if (path !== undefined) reasons.push(`“${shortened(word)}” names ${path}, where tools may write.`);
    }
    // What a script sources or loads by its path is a part of it that no copy holds.
    for (const { at, path, kind } of named) {
      const loaded = kind === 'file' ? this.#scripts.find(path, at, cwd, homes) : [];
      if (loaded === null) reasons.push(`${path} is too large to be looked through.`);
      const out = loaded?.find((each) => mayBeWritten(realPathOf(each)) && !isCopied(realPathOf(each)));
      if (out !== undefined) reasons.push(`${path} names ${out}, where tools may write.`);
    }
    const program = named.find(({ at }) => at === 0);
    const place = program?.place ?? null;
    const isOwnPython = place !== null && isCopied(place) && isVenv(place);
    const lookedUp = explainLookup(command, args, isOwnPython);
    return [...reasons.map(byTools), ...(lookedUp === null ? [] : [{ words: lookedUp, byTools: false }])];
  }
}

const byTools = (words: string): UnpinnedReason => ({ words, byTools: true });

const distinctReasons = (reasons: readonly UnpinnedReason[]): readonly UnpinnedReason[] =>
  reasons.filter(({ words }, at) => reasons.findIndex((each) => each.words === words) === at);

const shortened = (word: string): string => (word.length > 60 ? `${word.slice(0, 60)}…` : word);

const isVenv = (place: string): boolean => existsSync(join(place, 'pyvenv.cfg'));

/** The runtimes that programs are written for. */
const RUNTIME = /^(?:node|nodejs|python[\d.]*|deno|bun|ruby|java|perl|php|dotnet|lua|Rscript|julia)$/u;
const MAX_CACHED = 100_000;

const isWithin = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);
