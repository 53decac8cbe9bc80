import { join } from 'node:path';
import type { CommandWatch } from '../../../domain/ports/workspace/command-undo.js';
import { foldPath } from '../../../domain/sensitive/name-folding.js';
import type { LeaveAllowance } from '../../../domain/sensitive/leave-allowance.js';
import { findOutsideRepository } from '../../../platform/git/outside-repository.js';
import { CommandCommits } from './git/command-commits.js';
import type { GuardedKind } from './control-scanner.js';
import { GitCarriedCheck, NOTHING_CARRIED } from './git/git-carried-check.js';
import {
  GuardedRoot,
  type ScanResult,
  NO_WATCH,
  relativeBelow,
  type GuardedRootDeps,
  type RunningCommand,
} from './guarded-root.js';
import type { ControlScan } from './scan-pass.js';
import { PendingChecks } from './pending-checks.js';
import type { WorkspaceList } from '../workspace-list.js';

export interface CommandGuardDeps extends Omit<GuardedRootDeps, 'pendingChecks' | 'commits' | 'alongside'> {
  /** A folder of our own: what a crash must find again. */
  readonly folder: string;
}

/** The options of one command's start. */
interface GuardStart {
  readonly mayLeave: LeaveAllowance;
  readonly watch: CommandWatch;
  /** Whether it may write to the repository outside that its workspace is a working tree of. */
  readonly writesOutside: boolean;
}

/**
 * Looks at the files that other programs obey before each command and after it, and lets nothing of it stay that nobody
 * was asked about: in its workspace, and in the repository outside that this is a working tree of, where it may write
 * there. Until that scan is done, no other command starts there.
 */
export class CommandGuard {
  readonly #parts: GuardedRootDeps;
  readonly #owed: PendingChecks;
  readonly #roots = new Map<string, GuardedRoot>();
  /**
   * The repository outside that each running command may write to, by call id. The folder's own word on that may be
   * forged by the command's end.
   */
  readonly #outside = new Map<string, GuardedRoot>();

  constructor({ folder, ...parts }: CommandGuardDeps) {
    this.#owed = new PendingChecks(folder);
    const commits = new CommandCommits(join(folder, 'commits'));
    this.#parts = { ...parts, pendingChecks: this.#owed, commits, alongside: (root) => this.#alongside(root) };
  }

  /** Right before a command starts. Throws where what is there can't be kept: then it must not start. */
  async begin(callId: string, root: string, { mayLeave, watch, writesOutside }: GuardStart): Promise<ControlScan> {
    const look = await this.#rootOf(root).begin(callId, mayLeave, watch);
    const outside = writesOutside ? findOutsideRepository(root) : null;
    if (outside === null) return look;
    const guarded = this.#rootOf(outside.common, 'repository');
    try {
      await guarded.begin(callId, { ...mayLeave, named: namedInGit(mayLeave.named, outside) }, NO_WATCH);
      this.#outside.set(callId, guarded);
      return look;
    } catch (error) {
      await this.forget(callId, root);
      throw error;
    }
  }

  /**
   * Records the full list of files right before the command: a path that a setting names only afterwards may have been
   * in it.
   */
  setFilesBefore(callId: string, root: string, before: WorkspaceList, readOnly: readonly string[]): void {
    const running = this.#rootOf(root).running.get(callId);
    if (running !== undefined) Object.assign(running, { before, readOnly });
  }

  /** Checks what a long-running program left since the last check; null where none runs there. */
  check(callId: string, root: string): Promise<ScanResult | null> {
    return this.#rootOf(root).check(callId);
  }

  /** Whether a check is pending for this call. */
  hasPendingCheck(callId: string): boolean {
    return this.#owed.ofCall(callId).length > 0;
  }

  /** Whether something is left in this workspace, or its repository, that could not be verified as allowed. */
  isInDoubt(root: string): boolean {
    const outside = findOutsideRepository(root);
    return this.#rootOf(root).inDoubt || (outside !== null && this.#rootOf(outside.common, 'repository').inDoubt);
  }

  /** The state right before the commands that run there now; null where none does. */
  beforeCommands(root: string): ControlScan | null {
    return this.#roots.get(root)?.beforeCommands ?? null;
  }

  /** Whether the last commit there that no command is known to have made ignores a path. */
  isIgnoredAtHead(root: string, repositories: Iterable<string>, relative: string): boolean {
    const git = new GitCarriedCheck(root, this.#parts.commits);
    return git.isIgnoredAtHead(git.readHoldings(repositories), relative);
  }

  /** Right after all of a command has ended, before anything else is done about it. */
  async end(callId: string, root: string): Promise<ScanResult> {
    const outside = this.#outside.get(callId);
    this.#outside.delete(callId);
    // What settings outside say of the workspace has to be right before it is looked at by them.
    const there = await outside?.end(callId);
    const here = await this.#rootOf(root).end(callId);
    return there === undefined ? here : mergeResults(here, there);
  }

  /** Forgets a command that never started. */
  async forget(callId: string, root: string): Promise<void> {
    await this.#outside.get(callId)?.forget(callId);
    this.#outside.delete(callId);
    await this.#rootOf(root).forget(callId);
  }

  /** Quarantines after a crash what the commands that ran then left. */
  async recover(callId: string, workspace: string): Promise<ScanResult> {
    const owed = this.#owed.ofCall(callId);
    const [here] = owed.filter(({ is }) => is !== 'repository');
    let all = NOTHING_LEFT;
    for (const look of owed.filter(({ is }) => is === 'repository'))
      all = mergeResults(all, (await this.#rootOf(look.root, 'repository').recover(callId, look)) ?? NOTHING_LEFT);
    const root = here?.root ?? workspace;
    all = mergeResults((await this.#rootOf(root).recover(callId, here ?? null)) ?? NOTHING_LEFT, all);
    // Also what was put aside before the crash, or by a look that another crash broke off.
    return { ...all, putAside: await this.#parts.store.listQuarantined(callId) };
  }

  #rootOf(root: string, is: GuardedKind = 'workspace'): GuardedRoot {
    let guarded = this.#roots.get(root);
    if (guarded === undefined) {
      guarded = new GuardedRoot({ root, is }, this.#parts);
      this.#roots.set(root, guarded);
    }
    return guarded;
  }

  /** The commands that run in folders which contain this one or lie in it: what these may leave, by path from here. */
  #alongside(root: string): readonly RunningCommand[] {
    return [...this.#roots.values()]
      .filter((each) => each.root.startsWith(`${root}/`) || root.startsWith(`${each.root}/`))
      .flatMap((each) => [...each.running.values()].map((running) => mapRunning(root, each.root, running)));
  }
}

const NOTHING_LEFT: ScanResult = {
  putAside: [],
  carried: NOTHING_CARRIED,
  newRepositories: [],
  complete: true,
};

/** Joins the results of workspace and repository. A repository without a working tree has nothing that Git carries. */
const mergeResults = (one: ScanResult, other: ScanResult): ScanResult => ({
  putAside: [...one.putAside, ...other.putAside],
  carried: one.carried,
  newRepositories: [...one.newRepositories, ...other.newRepositories],
  complete: one.complete && other.complete,
});

/**
 * Maps paths in a worktree's `.git` to its repository: Git finds the settings of all working trees in the one that they
 * share.
 */
function namedInGit(
  named: readonly string[],
  { own, common }: { readonly own: string; readonly common: string },
): readonly string[] {
  const inGit = named.flatMap((path) => (foldPath(path).startsWith('.git/') ? [path.slice('.git/'.length)] : []));
  return own === common ? inGit : [...inGit, ...inGit.map((path) => `${own.slice(common.length + 1)}/${path}`)];
}

function mapRunning(root: string, from: string, running: RunningCommand): RunningCommand {
  const there = (path: string): string => `${from}/${path}`;
  return {
    mayLeave: {
      ...running.mayLeave,
      named: running.mayLeave.named.map(there).flatMap((path) => relativeBelow(root, path) ?? []),
    },
    watch: {
      ...NO_WATCH,
      getToolLeftState: (path) => {
        const below = relativeBelow(from, `${root}/${path}`);
        return below === null ? undefined : running.watch.getToolLeftState(below);
      },
    },
    before: null,
    readOnly: running.readOnly,
  };
}
