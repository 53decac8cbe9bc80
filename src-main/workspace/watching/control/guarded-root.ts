import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { CommandWatch } from '../../../domain/ports/workspace/command-undo.js';
import type {
  QuarantineStore,
  KnownState,
  ChangeToQuarantine,
} from '../../../domain/ports/workspace/quarantine-store.js';
import type { LeaveAllowance } from '../../../domain/sensitive/leave-allowance.js';
import { findUnknownDot } from '../../../domain/sensitive/unknown-dot-files.js';
import { WRITE_RIGHTS } from '../../handles/owner-rights.js';
import { isSameState } from '../../handles/file-status.js';
import type { CarriedByGit } from '../../../domain/ports/workspace/carried-by-git.js';
import type { CommandCommits } from './git/command-commits.js';
import { ControlScanner, type GuardedKind } from './control-scanner.js';
import { GitCarriedCheck, NOTHING_CARRIED } from './git/git-carried-check.js';
import type { Holdings } from './git/git-holdings.js';
import { findForbiddenChanges } from './forbidden-changes.js';
import type { ControlScan, ScanBounds } from './scan-pass.js';
import type { PendingChecks, PendingCheck } from './pending-checks.js';
import { parentFolder, restoreOwnerRights } from './restore-owner-rights.js';
import { toRawPath } from './raw-path.js';
import { findOutsideRepository } from '../../../platform/git/outside-repository.js';
import { SerialQueue } from '../../../platform/serial-queue.js';
import { isMadeByOthers } from './made-by-others.js';
import { isNewlyNamed, existedBefore } from './newly-named.js';
import { readState, readSmallText } from './read-state.js';
import type { WorkspaceList } from '../workspace-list.js';

export interface GuardedRootDeps {
  readonly store: QuarantineStore;
  /** Absolute paths that are no part of a workspace though they may lie in it. */
  readonly hidden: readonly string[];
  readonly home: string | null;
  /** The folders that are open: one may contain a command's root. */
  readonly folders?: () => readonly string[];
  readonly log: (message: string) => void;
  readonly bounds?: ScanBounds;
  readonly pendingChecks: PendingChecks;
  readonly commits: CommandCommits;
  /** Commands at work in folders that hold this one or lie in it: what these may leave stays here, too. */
  readonly alongside: (root: string) => readonly RunningCommand[];
}

/** Where commands may write: a workspace, or the repository outside that it is a working tree of. */
export interface GuardedPlace {
  readonly root: string;
  readonly is: GuardedKind;
}

export interface ScanResult {
  readonly putAside: readonly QuarantinedFile[];
  readonly carried: CarriedByGit;
  /** Repositories that did not exist before: from the workspace, or absolute. */
  readonly newRepositories: readonly string[];
  /** False where something could not be looked at, or would not go: then nothing is known to be right. */
  readonly complete: boolean;
}

/** A command under way in a place. */
export interface RunningCommand {
  readonly mayLeave: LeaveAllowance;
  readonly watch: CommandWatch;
  /** The list of files from before it; null where none was given. */
  before: WorkspaceList | null;
  /** Absolute: what it couldn't write to. */
  readOnly: readonly string[];
}

interface ScanBaseline {
  readonly scan: ControlScan;
  /** Null where it isn't known what it held. */
  readonly holdings: Holdings | null;
  readonly states: ReadonlyMap<string, KnownState>;
}

type UnremovedPaths = ReadonlySet<string> | 'unknown';

/** The number of rounds after which a process is assumed to write on. */
const MAX_ROUNDS = 4;

/** The guard of one place: its control files, and the commands at work in it. One look or start at a time. */
export class GuardedRoot {
  readonly root: string;
  readonly running = new Map<string, RunningCommand>();
  /** True where something is left that could not be verified as allowed. */
  inDoubt: boolean;
  readonly #place: GuardedPlace;
  readonly #parts: GuardedRootDeps;
  readonly #scanner: ControlScanner;
  /** A workspace's looks at what Git carries in the repository outside, too: by its folder that is judged. */
  readonly #git: GitCarriedCheck | null;
  #baseline: ScanBaseline | null = null;
  /** The repository outside that a workspace is a working tree of, as it was before the commands that run. */
  #outside: string | null = null;
  /**
   * Files that may not stay and could not be removed. They never come to count as right; where this is unknown, nothing
   * new does.
   */
  #unremoved: UnremovedPaths = new Set();
  readonly #turns = new SerialQueue();

  constructor(place: GuardedPlace, parts: GuardedRootDeps) {
    this.root = place.root;
    this.#place = place;
    this.#parts = parts;
    this.inDoubt = parts.pendingChecks.isInDoubt(place.root);
    this.#git = place.is === 'workspace' ? new GitCarriedCheck(place.root, parts.commits) : null;
    this.#scanner = new ControlScanner(place.root, {
      is: place.is,
      hidden: parts.hidden,
      home: parts.home,
      ...(parts.folders === undefined ? {} : { folders: parts.folders }),
      ...(parts.bounds === undefined ? {} : { bounds: parts.bounds }),
    });
  }

  /** The state right before the commands that run there now; null where none does. */
  get beforeCommands(): ControlScan | null {
    return this.running.size === 0 ? null : (this.#baseline?.scan ?? null);
  }

  begin(callId: string, mayLeave: LeaveAllowance, watch: CommandWatch): Promise<ControlScan> {
    return this.#turns.run(async () => {
      // While another command runs, what is right is what was so before it began.
      const known = this.running.size > 0 || this.#unremoved === 'unknown' ? this.#baseline : null;
      const now = known ?? (await this.#takeBaseline());
      this.#baseline = now;
      if (this.running.size === 0) this.#outside = this.#outsideNow();
      this.running.set(callId, { mayLeave, watch, before: null, readOnly: [] });
      this.#keepPendingCheck();
      return now.scan;
    });
  }

  check(callId: string): Promise<ScanResult | null> {
    return this.#turns.run(async () =>
      this.#baseline === null || this.running.size === 0 ? null : this.#scanAfter(callId, this.#baseline),
    );
  }

  end(callId: string): Promise<ScanResult> {
    return this.#turns.run(async () => {
      if (this.#baseline === null) return NOT_SCANNED;
      try {
        const looked = await this.#scanAfter(callId, this.#baseline);
        this.inDoubt = !looked.complete;
        return looked;
      } catch (error) {
        this.inDoubt = true;
        this.#unremoved = 'unknown';
        this.#parts.log(`What ${callId} left could not be looked at: ${String(error)}`);
        return NOT_SCANNED;
      } finally {
        this.#ended(callId);
      }
    });
  }

  /** Forgets a command that never started. */
  forget(callId: string): Promise<void> {
    return this.#turns.run(() => this.#ended(callId));
  }

  /**
   * Quarantines after a crash, by the stored state, what the commands that ran then left. Null where nothing was
   * stored.
   */
  recover(callId: string, told: PendingCheck | null): Promise<ScanResult | null> {
    return this.#turns.run(async () => {
      const kept = await this.#parts.store.loadKnown(this.root);
      const states = kept ?? (told === null ? null : new Map<string, KnownState>());
      if (states === null) return null;
      const scan: ControlScan = {
        found: new Map(),
        repositories: new Set(told?.repositories),
        named: new Set(told?.named),
        byName: new Set(),
        unknownDots: null,
        places: new Set(),
        unread: new Set(),
        complete: true,
      };
      this.#outside = this.#outsideNow();
      this.#baseline = { scan, states, holdings: told?.holdings ?? null };
      for (const call of told?.calls ?? [])
        this.running.set(call.callId, { mayLeave: call, watch: NO_WATCH, before: null, readOnly: [] });
      try {
        const looked = await this.#scanAfter(callId, this.#baseline);
        this.inDoubt = !looked.complete;
        return looked;
      } catch (error) {
        this.inDoubt = true;
        this.#parts.log(`What ${callId} left could not be looked at: ${String(error)}`);
        return null;
      } finally {
        if (this.inDoubt) this.#keepPendingCheck();
        else this.#parts.pendingChecks.settle(this.root);
        this.running.clear();
      }
    });
  }

  /** Keeps the check pending while anything is in doubt: whoever starts next must know. */
  #ended(callId: string): void {
    if (this.running.size > 1 || !this.inDoubt) this.running.delete(callId);
    try {
      if (this.running.size > 0) this.#keepPendingCheck();
      else if (!this.inDoubt) this.#parts.pendingChecks.settle(this.root);
    } catch (error) {
      this.#parts.log(`That a look is owed in ${this.root} could not be kept: ${String(error)}`);
    }
    this.running.delete(callId);
  }

  /** Takes the present state as right. Stores it only where it differs from what was stored last. */
  async #takeBaseline(looked?: ControlScan): Promise<ScanBaseline> {
    const scan = withoutUnremoved(this.#unremoved, looked ?? (await this.#scanner.scan()));
    const known = this.#baseline;
    const { root } = this;
    const stays = this.#unremoved === 'unknown' ? [] : [...this.#unremoved];
    const holdings = this.#git?.readHoldings(scan.repositories) ?? null;
    const kept = await this.#parts.store.loadKnown(root);
    if (kept !== null && known !== null && isSameScan(known.scan, scan))
      return { scan, holdings, states: known.states };
    // Nothing was kept, and there is nothing to keep: most workspaces, at first.
    if (kept === null && scan.found.size === 0) return { scan, holdings, states: new Map() };
    return { scan, holdings, states: await this.#parts.store.keepKnown(root, [...scan.found.keys()], stays) };
  }

  async #scanAfter(callId: string, known: ScanBaseline): Promise<ScanResult> {
    const { root } = this;
    const running = [...this.running.values()];
    const all = [...running, ...this.#parts.alongside(root)];
    const putAside = new Map<string, QuarantinedFile>();
    let look = await this.#scanner.scan(known.scan.named, known.scan.unknownDots);
    for (let round = 0; ; round += 1) {
      const after = this.#statesAfter(root, known, look);
      const left = await findForbiddenChanges({
        root,
        before: known.states,
        after,
        repositoriesBefore: known.scan.repositories,
        repositories: look.repositories,
        outside: this.#outside,
        mayLeave: all.map(({ mayLeave }) => mayLeave),
        leftByTool: (path) => all.map(({ watch }) => watch.getToolLeftState(path)).find((each) => each !== undefined),
        textBefore: (path) => this.#parts.store.loadKnownText(root, path),
        textAfter: (path) => readSmallText(root, path),
      });
      const held = all.map(({ readOnly }) => readOnly.flatMap((path) => relativeBelow(root, path) ?? []));
      const theirs = left.filter(
        ({ path }) => !isMadeByOthers(path, known.scan, look, held) && !this.#isIgnoredDot(known, look, path),
      );
      const { changes, isCertain } = withoutNewlyNamed(theirs, known.scan, look, running);
      if (changes.length === 0 || round >= MAX_ROUNDS) {
        this.#unremoved = new Set(changes.map(({ path }) => path));
        // What the folder holds is settled: by that what Git carries is judged.
        const named = all.flatMap(({ mayLeave }) => mayLeave.named);
        const carried =
          this.#git === null || known.holdings === null
            ? NOTHING_CARRIED
            : await this.#git.removeCarried(known.holdings, named, look.repositories);
        const isKnown = await this.#updateBaseline(withoutNewDotNames(look, known.scan.unknownDots));
        return {
          putAside: [...putAside.values()].map((file) => ({ ...file, path: this.#shown(file.path) })),
          carried,
          newRepositories: [...look.repositories]
            .filter((each) => !known.scan.repositories.has(each))
            .map((each) => this.#shown(each)),
          complete: isKnown && isCertain && changes.length === 0 && isWhole(look, known.scan),
        };
      }
      for (const { path } of changes) restoreOwnerRights(toRawPath(root), parentFolder(toRawPath(path)), WRITE_RIGHTS);
      for (const file of await this.#parts.store.quarantine(callId, root, changes, this.#shownBelow)) {
        putAside.set(file.path, { ...file, change: putAside.get(file.path)?.change ?? file.change });
      }
      look = await this.#scanner.scan(known.scan.named, known.scan.unknownDots);
    }
  }

  /** A dot name that is new and that Git ignores, by what the last commit before the command says. */
  #isIgnoredDot(known: ScanBaseline, look: ControlScan, path: string): boolean {
    const dot = findUnknownDot(path);
    if (dot === null || look.unknownDots?.has(dot) !== true || known.holdings === null) return false;
    return this.#git?.isIgnoredAtHead(known.holdings, path) ?? false;
  }

  /** False where it could not be kept: then what was known before is what the next look goes by. */
  async #updateBaseline(look: ControlScan): Promise<boolean> {
    try {
      this.#baseline = await this.#takeBaseline(look);
      return true;
    } catch (error) {
      this.#parts.log(`What other programs obey in ${this.root} could not be kept: ${String(error)}`);
      return false;
    }
  }

  /** Where nothing at all changed of a file it is what it was; else it is read. */
  #statesAfter(root: string, known: ScanBaseline, look: ControlScan): ReadonlyMap<string, KnownState> {
    const states = new Map<string, KnownState>();
    for (const [path, status] of look.found) {
      const before = known.scan.found.get(path);
      const was = known.states.get(path);
      // After a crash the facts of before are gone; what was too large to be kept is taken for what it was.
      const same = before === undefined ? was?.kind === 'unkept' : isSameState(before, status);
      states.set(path, was !== undefined && same ? was : readState(root, path, status));
    }
    return states;
  }

  /** The prefix of reported paths: a path outside the workspace is reported whole. */
  get #shownBelow(): string {
    return this.#place.is === 'workspace' ? '' : `${this.root}/`;
  }

  #shown(path: string): string {
    return this.#shownBelow + path.toWellFormed();
  }

  #outsideNow(): string | null {
    return this.#place.is === 'workspace' ? (findOutsideRepository(this.root)?.common ?? null) : null;
  }

  #keepPendingCheck(): void {
    if (this.#baseline === null) return;
    const { scan, holdings } = this.#baseline;
    this.#parts.pendingChecks.add({
      root: this.root,
      is: this.#place.is,
      repositories: [...scan.repositories],
      named: [...scan.named],
      holdings,
      inDoubt: this.inDoubt,
      calls: [...this.running].map(([callId, { mayLeave }]) => ({ callId, ...mayLeave })),
    });
  }
}

const NOT_SCANNED: ScanResult = { putAside: [], carried: NOTHING_CARRIED, newRepositories: [], complete: false };

/** The watch of a command that is gone: who else changed something while it ran is not known any more. */
export const NO_WATCH: CommandWatch = {
  isSharedWithCommand: false,
  wasChangedByTool: () => false,
  getToolLeftState: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/** Null for what does not lie in it. */
export const relativeBelow = (root: string, path: string): string | null =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;

/**
 * Leaves out paths that only a new setting names: the setting goes first, which may not stay either, and a path that is
 * no longer named is none of ours. A file that existed before stays, whatever names it now.
 */
function withoutNewlyNamed(
  left: readonly ChangeToQuarantine[],
  before: ControlScan,
  now: ControlScan,
  running: readonly RunningCommand[],
): { readonly changes: readonly ChangeToQuarantine[]; readonly isCertain: boolean } {
  const others = left.filter(({ path }) => !isNewlyNamed(path, before, now));
  if (others.length > 0) return { changes: others, isCertain: true };
  const lists = running.map((each) => each.before);
  const stood = left.map(({ path }) => existedBefore(path, lists));
  return { changes: left.filter((_, index) => stood[index] === false), isCertain: !stood.includes(null) };
}

/** Leaves out new dot names that were allowed to stay: by now they count as existing. */
const withoutNewDotNames = (look: ControlScan, before: ReadonlySet<string> | null): ControlScan => ({
  ...look,
  found: new Map(
    [...look.found].filter(([path]) => {
      const dot = findUnknownDot(path);
      return dot === null || before === null || before.has(dot) || look.unknownDots?.has(dot) !== true;
    }),
  ),
});

const withoutUnremoved = (stays: UnremovedPaths, look: ControlScan): ControlScan =>
  stays === 'unknown' || stays.size === 0
    ? look
    : { ...look, found: new Map([...look.found].filter(([path]) => !stays.has(path))) };

/** Whether the look missed nothing: a folder that could not be read before either can't have been changed. */
const isWhole = (look: ControlScan, before: ControlScan): boolean =>
  look.complete && [...look.unread].every((path) => before.unread.has(path));

function isSameScan(one: ControlScan, other: ControlScan): boolean {
  if (one.found.size !== other.found.size) return false;
  for (const [path, status] of one.found) {
    const now = other.found.get(path);
    if (now === undefined || !isSameState(status, now)) return false;
  }
  return true;
}
