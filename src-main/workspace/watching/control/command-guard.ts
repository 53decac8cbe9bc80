import type { PutAsideFile } from '#contract/vocabulary/put-aside.js';
import type { CommandWatch } from '../../../domain/ports/workspace/command-undo.js';
import type { AsideStore, KnownState, ToPutAside } from '../../../domain/ports/workspace/put-aside.js';
import type { MayLeave } from '../../../domain/sensitive/may-leave.js';
import { unknownDot } from '../../../domain/sensitive/unknown-dots.js';
import { TO_CHANGE } from '../../handles/owners-rights.js';
import { sameState } from '../../handles/file-status.js';
import type { CarriedByGit } from '../../../domain/ports/workspace/carried-by-git.js';
import { ControlLooker } from './control-look.js';
import { GitCarries, type Holdings, NOTHING_CARRIED } from './git-carried.js';
import { mayNotStay } from './left-behind.js';
import type { ControlLook, LookBounds } from './look-pass.js';
import { Owed, type OwedLook } from './owed-look.js';
import { folderAbove, openWay } from './opened-way.js';
import { rawPath } from './raw-path.js';
import { OneAtATime } from '../../../platform/one-at-a-time.js';
import { isPersons } from './surely-persons.js';
import { isNamedSince, stoodBefore } from './named-since.js';
import { readState, smallText } from './read-state.js';
import type { WorkspaceList } from '../list.js';

export interface GuardParts {
  readonly store: AsideStore;
  /** A folder of our own: what a crash must find again. */
  readonly folder: string;
  /** Absolute paths that are no part of a workspace though they may lie in it. */
  readonly hidden: readonly string[];
  readonly home: string | null;
  /** That are open: one may hold more than a command's root. */
  readonly folders?: () => readonly string[];
  readonly log: (message: string) => void;
  readonly bounds?: LookBounds;
}

export interface LookedAfter {
  readonly putAside: readonly PutAsideFile[];
  readonly carried: CarriedByGit;
  /** Repositories that were not there before, from the root. */
  readonly newRepositories: readonly string[];
  /** False where something could not be looked at, or would not go: then nothing is known to be right. */
  readonly complete: boolean;
}

/** A command under way in a workspace. */
interface Running {
  readonly mayLeave: MayLeave;
  readonly watch: CommandWatch;
  /** What stood there before it; null where that was not told. */
  before: WorkspaceList | null;
  /** Absolute: what it couldn't write to. */
  readOnly: readonly string[];
}

interface Known {
  readonly look: ControlLook;
  readonly holdings: Holdings;
  readonly states: ReadonlyMap<string, KnownState>;
}

/** After so many times something is taken for a process that writes on. */
const MOST_ROUNDS = 4;

/** One workspace: what of it other programs obey, and who is at work in it. One look or start at a time. */
class GuardedRoot {
  readonly looker: ControlLooker;
  readonly git: GitCarries;
  readonly running = new Map<string, Running>();
  known: Known | null = null;
  /** What could not be made sure of; null when all is well. */
  inDoubt = false;
  /** What may not stay and would not go. It never comes to count as right; where nothing is known, nothing new does. */
  stays: ReadonlySet<string> | 'unknown' = new Set();
  readonly #turns = new OneAtATime();

  constructor(root: string, parts: GuardParts) {
    this.git = new GitCarries(root);
    this.looker = new ControlLooker(root, {
      hidden: parts.hidden,
      home: parts.home,
      ...(parts.folders === undefined ? {} : { folders: parts.folders }),
      ...(parts.bounds === undefined ? {} : { bounds: parts.bounds }),
    });
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }
}

/**
 * Looks at the files that other programs obey before each command and after it, and lets nothing of it stay that nobody
 * was asked about. Until that look has been, no other command starts there.
 */
export class CommandGuard {
  readonly #parts: GuardParts;
  readonly #roots = new Map<string, GuardedRoot>();
  readonly #owed: Owed;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#owed = new Owed(parts.folder);
  }

  /** Right before a command starts. Throws where what is there can't be kept: then it must not start. */
  async begin(callId: string, root: string, mayLeave: MayLeave, watch: CommandWatch): Promise<ControlLook> {
    const guarded = this.#rootOf(root);
    return guarded.inTurn(async () => {
      // While another command runs, what is right is what was so before it began.
      const known = guarded.running.size > 0 || guarded.stays === 'unknown' ? guarded.known : null;
      const now = known ?? (await this.#learn(guarded));
      guarded.known = now;
      guarded.running.set(callId, { mayLeave, watch, before: null, readOnly: [] });
      this.#oweLook(guarded);
      return now.look;
    });
  }

  /** All that stands there right before it: what a setting names only afterwards may have been among it. */
  tellWhatStands(callId: string, root: string, before: WorkspaceList, readOnly: readonly string[]): void {
    const running = this.#rootOf(root).running.get(callId);
    if (running !== undefined) Object.assign(running, { before, readOnly });
  }

  /** What was left since the last look by who lives on there; null where nobody does. */
  async check(callId: string, root: string): Promise<LookedAfter | null> {
    const guarded = this.#rootOf(root);
    return guarded.inTurn(async () => {
      const { known } = guarded;
      if (known === null || guarded.running.size === 0) return null;
      return this.#lookAfter(callId, guarded, known);
    });
  }

  /** Whether a look is owed for this one. */
  owes(callId: string): boolean {
    return this.#owed.of(callId) !== null;
  }

  /** Whether something is left in this workspace that could not be made sure of. */
  isInDoubt(root: string): boolean {
    return this.#rootOf(root).inDoubt;
  }

  /** What was right before the commands that run there now; null where none does. */
  beforeCommands(root: string): ControlLook | null {
    const guarded = this.#roots.get(root);
    return guarded === undefined || guarded.running.size === 0 ? null : (guarded.known?.look ?? null);
  }

  /** Right after all of a command has ended, before anything else is done about it. */
  async end(callId: string, root: string): Promise<LookedAfter> {
    const guarded = this.#rootOf(root);
    return guarded.inTurn(async () => {
      const { known } = guarded;
      if (known === null) return NOT_LOOKED;
      try {
        const looked = await this.#lookAfter(callId, guarded, known);
        guarded.inDoubt = !looked.complete;
        return looked;
      } catch (error) {
        guarded.inDoubt = true;
        guarded.stays = 'unknown';
        this.#parts.log(`What ${callId} left could not be looked at: ${String(error)}`);
        return NOT_LOOKED;
      } finally {
        this.#ended(callId, guarded);
      }
    });
  }

  /** It never began after all. */
  async forget(callId: string, root: string): Promise<void> {
    const guarded = this.#rootOf(root);
    await guarded.inTurn(async () => {
      this.#ended(callId, guarded);
    });
  }

  /** While anything is in doubt a look is owed: whoever starts next must know. */
  #ended(callId: string, guarded: GuardedRoot): void {
    if (guarded.running.size > 1 || !guarded.inDoubt) guarded.running.delete(callId);
    try {
      if (guarded.running.size > 0) this.#oweLook(guarded);
      else if (!guarded.inDoubt) this.#owed.settle(guarded.looker.root);
    } catch (error) {
      this.#parts.log(`That a look is owed in ${guarded.looker.root} could not be kept: ${String(error)}`);
    }
    guarded.running.delete(callId);
  }

  /** After a crash: what the commands that ran then left is put aside now. */
  async recover(callId: string, workspace: string): Promise<readonly PutAsideFile[]> {
    const told = this.#owed.of(callId);
    const owed = told ?? { root: workspace, repositories: [], named: [], calls: [] };
    const { root } = owed;
    const guarded = this.#rootOf(root);
    return guarded.inTurn(async () => {
      const kept = await this.#parts.store.known(root);
      const states = kept ?? (told === null ? null : new Map<string, KnownState>());
      if (states !== null) {
        const look: ControlLook = {
          found: new Map(),
          repositories: new Set(owed.repositories),
          named: new Set(owed.named),
          byName: new Set(),
          strange: null,
          places: new Set(),
          unread: new Set(),
          complete: true,
        };
        guarded.known = { look, states, holdings: new Map() };
        for (const call of owed.calls)
          guarded.running.set(call.callId, { mayLeave: call, watch: NOBODY, before: null, readOnly: [] });
        try {
          guarded.inDoubt = !(await this.#lookAfter(callId, guarded, guarded.known)).complete;
        } catch (error) {
          guarded.inDoubt = true;
          this.#parts.log(`What ${callId} left could not be looked at: ${String(error)}`);
        }
        if (guarded.inDoubt) this.#oweLook(guarded);
        else this.#owed.settle(root);
        guarded.running.clear();
      }
      return this.#parts.store.listed(callId);
    });
  }

  #rootOf(root: string): GuardedRoot {
    let guarded = this.#roots.get(root);
    if (guarded === undefined) {
      guarded = new GuardedRoot(root, this.#parts);
      guarded.inDoubt = this.#owed.isInDoubt(root);
      this.#roots.set(root, guarded);
    }
    return guarded;
  }

  /** What is there now is right. Kept only where it is not what was kept last. */
  async #learn(guarded: GuardedRoot, looked?: ControlLook): Promise<Known> {
    const look = without(guarded.stays, looked ?? (await guarded.looker.look()));
    const { known } = guarded;
    const { root } = guarded.looker;
    const stays = guarded.stays === 'unknown' ? [] : [...guarded.stays];
    const holdings = guarded.git.holdings(look.repositories);
    const kept = await this.#parts.store.known(root);
    if (kept !== null && known !== null && isSameLook(known.look, look))
      return { look, holdings, states: known.states };
    // Nothing was kept, and there is nothing to keep: most workspaces, at first.
    if (kept === null && look.found.size === 0) return { look, holdings, states: new Map() };
    return { look, holdings, states: await this.#parts.store.keepKnown(root, [...look.found.keys()], stays) };
  }

  async #lookAfter(callId: string, guarded: GuardedRoot, known: Known): Promise<LookedAfter> {
    const { root } = guarded.looker;
    const running = [...guarded.running.values()];
    const putAside = new Map<string, PutAsideFile>();
    let look = await guarded.looker.look(known.look.named, known.look.strange);
    for (let round = 0; ; round += 1) {
      const after = this.#statesAfter(root, known, look);
      const left = await mayNotStay({
        root,
        before: known.states,
        after,
        repositoriesBefore: known.look.repositories,
        repositories: look.repositories,
        mayLeave: running.map(({ mayLeave }) => mayLeave),
        leftByTool: (path) => running.map(({ watch }) => watch.leftByTool(path)).find((each) => each !== undefined),
        textBefore: (path) => this.#parts.store.knownText(root, path),
        textAfter: (path) => smallText(root, path),
      });
      const held = running.map(({ readOnly }) => readOnly.map((path) => path.slice(root.length + 1)));
      const theirs = left.filter(
        ({ path }) => !isPersons(path, known.look, look, held) && !this.#isIgnoredDot(guarded, known, look, path),
      );
      const { changes, isCertain } = withoutNamedSince(theirs, known.look, look, running);
      if (changes.length === 0 || round >= MOST_ROUNDS) {
        guarded.stays = new Set(changes.map(({ path }) => path));
        // What the folder holds is settled: by that what Git carries is judged.
        const named = running.flatMap(({ mayLeave }) => mayLeave.named);
        const carried = await guarded.git.takeOut(known.holdings, named, look.repositories);
        const isKnown = await this.#nowKnown(guarded, withoutStrange(look, known.look.strange));
        return {
          putAside: [...putAside.values()].map((file) => ({ ...file, path: file.path.toWellFormed() })),
          carried,
          newRepositories: [...look.repositories]
            .filter((each) => !known.look.repositories.has(each))
            .map((each) => each.toWellFormed()),
          complete: isKnown && isCertain && changes.length === 0 && isWhole(look, known.look),
        };
      }
      for (const { path } of changes) openWay(rawPath(root), folderAbove(rawPath(path)), TO_CHANGE);
      for (const file of await this.#parts.store.putAside(callId, root, changes)) {
        putAside.set(file.path, { ...file, change: putAside.get(file.path)?.change ?? file.change });
      }
      look = await guarded.looker.look(known.look.named, known.look.strange);
    }
  }

  /** A dot name that is new and that Git ignores, by what the last commit before the command says. */
  #isIgnoredDot({ git }: GuardedRoot, known: Known, look: ControlLook, path: string): boolean {
    const dot = unknownDot(path);
    return dot !== null && look.strange?.has(dot) === true && git.isIgnoredAtHead(known.holdings, path);
  }

  /** False where it could not be kept: then what was known before is what the next look goes by. */
  async #nowKnown(guarded: GuardedRoot, look: ControlLook): Promise<boolean> {
    try {
      guarded.known = await this.#learn(guarded, look);
      return true;
    } catch (error) {
      this.#parts.log(`What other programs obey in ${guarded.looker.root} could not be kept: ${String(error)}`);
      return false;
    }
  }

  /** Where nothing at all changed of a file it is what it was; else it is read. */
  #statesAfter(root: string, known: Known, look: ControlLook): ReadonlyMap<string, KnownState> {
    const states = new Map<string, KnownState>();
    for (const [path, status] of look.found) {
      const before = known.look.found.get(path);
      const was = known.states.get(path);
      // After a crash the facts of before are gone; what was too large to be kept is taken for what it was.
      const same = before === undefined ? was?.kind === 'unkept' : sameState(before, status);
      states.set(path, was !== undefined && same ? was : readState(root, path, status));
    }
    return states;
  }

  #oweLook({ looker, known, running, inDoubt }: GuardedRoot): void {
    if (known === null) return;
    const owed: OwedLook = {
      root: looker.root,
      repositories: [...known.look.repositories],
      named: [...known.look.named],
      inDoubt,
      calls: [...running].map(([callId, { mayLeave }]) => ({ callId, ...mayLeave })),
    };
    this.#owed.owe(owed);
  }
}

const NOT_LOOKED: LookedAfter = { putAside: [], carried: NOTHING_CARRIED, newRepositories: [], complete: false };

/** Of a command that is gone: who else changed something while it ran is not known any more. */
const NOBODY: CommandWatch = {
  sharedWithCommand: false,
  wasChangedByTool: () => false,
  leftByTool: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/**
 * What only a setting names that is new: the setting first, which may not stay either, and what is no longer named is none of
 * ours. A file that stood there before stays, whatever names it now.
 */
function withoutNamedSince(
  left: readonly ToPutAside[],
  before: ControlLook,
  now: ControlLook,
  running: readonly Running[],
): { readonly changes: readonly ToPutAside[]; readonly isCertain: boolean } {
  const others = left.filter(({ path }) => !isNamedSince(path, before, now));
  if (others.length > 0) return { changes: others, isCertain: true };
  const lists = running.map((each) => each.before);
  const stood = left.map(({ path }) => stoodBefore(path, lists));
  return { changes: left.filter((_, index) => stood[index] === false), isCertain: !stood.includes(null) };
}

/** What stayed of dot names that are new is looked at no further: it is there by now. */
const withoutStrange = (look: ControlLook, before: ReadonlySet<string> | null): ControlLook => ({
  ...look,
  found: new Map(
    [...look.found].filter(([path]) => {
      const dot = unknownDot(path);
      return dot === null || before === null || before.has(dot) || look.strange?.has(dot) !== true;
    }),
  ),
});

const without = (stays: GuardedRoot['stays'], look: ControlLook): ControlLook =>
  stays === 'unknown' || stays.size === 0
    ? look
    : { ...look, found: new Map([...look.found].filter(([path]) => !stays.has(path))) };

/** What could not be looked into before either can't have been changed. */
const isWhole = (look: ControlLook, before: ControlLook): boolean =>
  look.complete && [...look.unread].every((path) => before.unread.has(path));

function isSameLook(one: ControlLook, other: ControlLook): boolean {
  if (one.found.size !== other.found.size) return false;
  for (const [path, status] of one.found) {
    const now = other.found.get(path);
    if (now === undefined || !sameState(status, now)) return false;
  }
  return true;
}
