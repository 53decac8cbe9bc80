import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Redactor } from '../domain/ports/redactor.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { ReadableByCommands } from '#contract/window/health.js';
import type {
  CommandLeftovers,
  CommandRequest,
  CommandResult,
  CommandRunner,
  ConfinementState,
} from '../domain/ports/command-runner.js';
import type { OutputStore } from '../domain/ports/output-store.js';
import type {
  WorkspaceChanges,
  AllowedChanges,
  WatchedCommand,
  WorkspaceWatch,
} from '../domain/ports/workspace/workspace-watch.js';
import { isConfinementAtLeast } from '../domain/policy/remembered/standing-confirmation.js';
import { type Availability, confinementState, findConfinement } from './confinement/availability.js';
import {
  chooseConfinement,
  type ConfinementChoice,
  type PossibleConfinement,
} from './confinement/confinement-choice.js';
import type { KeptPaths } from './confinement/workspace-mounts.js';
import { type SharedFiles, findSharedFiles, findUnreadDependencies } from './confinement/shared-files.js';
import { openConfinementTrials } from './confinement/confinement-trials.js';
import { CommandMachine } from './command-machine.js';
import { CONFINED_AGAIN, explainLessConfined, NOT_UNASKED, NOTHING_FOUND, notRunResult } from './not-run.js';
import { createFifoPool } from './start/fifo-pool.js';
import { openFilteringProxy } from './proxy/filtering-proxy.js';
import { runSupervised } from './run-supervised.js';
import { SUPERVISOR_SHELLS } from './start/supervisor.js';
import { createSupervisorPool, type CommandSurroundings } from './start/supervisor-pool.js';
import { isExecutable } from './environment/system-files.js';

export interface CommandRunnerOptions {
  readonly outputs: OutputStore;
  readonly redactor: Redactor;
  /** Gatehouse's own data, and whatever else a confined command must not see. */
  readonly hidden: readonly string[];
  /** Folders that tools may write to, or could once, besides the one that a command runs in. */
  readonly writable: () => readonly string[];
  /** Sees what each command does to its workspace. */
  readonly watch: WorkspaceWatch;
  /** The folder of copies, on a disk that a command must not fill. */
  readonly copies: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Where bubblewrap is looked for; the places where it is installed, unless a test has its own. */
  readonly bubblewraps?: readonly string[];
  /** Called each time that it was found out whether commands can be confined. */
  readonly onConfinement?: (state: ConfinementState) => void;
  /** Records problems that must be known but stop nothing: a process that would not end. */
  readonly log: (message: string) => void;
}

export interface DisposableCommandRunner
  extends CommandRunner, Pick<CommandLeftovers, 'mayBeShared' | 'finds'>, AsyncDisposable {
  /** The newest answer on confinement; until the first, nothing is offered. */
  confinementNow(): ConfinementState;
  /** The places outside the folder that a command sees there without anybody being asked. */
  seen(folder: string | null, config: Config): ReadableByCommands;
  /** The confinement that held programs share with commands. */
  readonly holding: {
    readonly confinement: () => Promise<Availability>;
    readonly hidden: () => readonly string[];
    readonly writable: () => readonly string[];
  };
}

export const createCommandRunner = (options: CommandRunnerOptions): DisposableCommandRunner =>
  new ConfiningCommandRunner(options);

class ConfiningCommandRunner implements DisposableCommandRunner {
  readonly #options: CommandRunnerOptions;
  readonly #platform: NodeJS.Platform;
  readonly #machine: CommandMachine;
  readonly #fifos = createFifoPool();
  readonly #supervisors = createSupervisorPool(this.#fifos);
  readonly #trials: ReturnType<typeof openConfinementTrials>;
  readonly holding: DisposableCommandRunner['holding'] = {
    confinement: async () => {
      const known = await this.#trials.known();
      return known.available ? known : this.#trials.again();
    },
    hidden: () => this.#machine.places.hidden(),
    writable: () => this.#options.writable(),
  };
  #newest: ConfinementState = { available: false, problem: null };

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
    this.#platform = options.platform ?? process.platform;
    this.#machine = new CommandMachine({
      platform: this.#platform,
      environment: options.environment ?? process.env,
      // The pipes of other commands are hidden, too, wherever the temporary files are.
      hidden: () => [...options.hidden, ...(this.#fifos.folder === null ? [] : [this.#fifos.folder])],
      writable: options.writable,
    });
    this.#trials = openConfinementTrials({
      attempt: () => findConfinement(this.#platform, options.bubblewraps),
      onFound: (found) => {
        this.#newest = confinementState(found);
        options.onConfinement?.(this.#newest);
      },
    });
  }

  prepare({ workingDirectory, isDenied, config, unasked }: Parameters<CommandRunner['prepare']>[0]): void {
    if (this.#platform === 'win32') return;
    this.#options.watch.prepare({ root: workingDirectory, isDenied }, unasked);
    this.#makeReady(workingDirectory, config).catch((error: unknown) =>
      this.#options.log(`Nothing could be made ready: ${String(error)}`),
    );
  }

  async run(request: CommandRequest): Promise<CommandResult> {
    if (request.signal.aborted) return notRunResult({ kind: 'stopped' });
    const shell = SUPERVISOR_SHELLS.find(isExecutable);
    if (this.#platform === 'win32' || shell === undefined) {
      const reason =
        this.#platform === 'win32'
          ? 'Commands can’t be run on Windows by this version of Gatehouse.'
          : 'Commands need bash, which is not installed. Install the package “bash”.';
      return notRunResult({ kind: 'unstartable', reason });
    }
    const choice = await this.#choose(request);
    if (!choice.possible) return notRunResult({ kind: 'unstartable', reason: choice.reason });
    if (request.leastConfinement !== undefined && !isConfinementAtLeast(choice.confinement, request.leastConfinement))
      return notRunResult({
        kind: 'unstartable',
        reason: explainLessConfined(choice.confinement, request.leastConfinement),
      });
    if (request.unasked !== undefined && choice.confinement !== 'confined')
      return notRunResult({ kind: 'unstartable', reason: NOT_UNASKED });
    const progress: Progress = { mayHaveRun: false };
    try {
      // What can write to nothing disturbs nobody, and leaves nothing.
      if (request.unasked?.writes === 'nothing') return await this.#runReading(request, shell, choice, progress);
      return await this.#options.watch.runInTurn(
        request.workingDirectory,
        mayDo(request, choice.confinement !== 'unconfined'),
        request.signal,
        () => this.#runTracked(request, shell, choice, progress),
      );
    } catch (error) {
      // While it waited for its turn.
      if (request.signal.aborted && !progress.mayHaveRun) return notRunResult({ kind: 'stopped' });
      const said = error instanceof Error ? error.message : String(error);
      return notRunResult(
        progress.mayHaveRun
          ? { kind: 'lost', reason: `The command may have run; what became of it is not known: ${said}` }
          : { kind: 'unstartable', reason: `The command could not be started: ${said}` },
      );
    }
  }

  async confinement(): Promise<ConfinementState> {
    return confinementState(await this.#trials.known());
  }

  confinementNow(): ConfinementState {
    return this.#newest;
  }

  mayBeShared(workingDirectory: string): ReturnType<CommandLeftovers['mayBeShared']> {
    return findUnreadDependencies(workingDirectory);
  }

  finds(program: string, { workingDirectory, config }: Parameters<CommandLeftovers['finds']>[1]): boolean {
    return this.#machine.finds(program, workingDirectory, config);
  }

  seen(folder: string | null, config: Config): ReadableByCommands {
    return this.#machine.seen(folder, config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#trials[Symbol.dispose]();
    await this.#supervisors.dispose();
    await this.#fifos.dispose();
  }

  /** A command is not run unconfined, or refused, for what was so a while ago. */
  async #choose(request: CommandRequest): Promise<ConfinementChoice> {
    const known = await this.#trials.known();
    const isNeeded = request.config.tools.run_command.confinement !== 'off';
    const now = known.available || !isNeeded ? known : await this.#trials.again();
    if (isNeeded && now.available && !known.available && request.config.tools.run_command.confinement === 'preferred') {
      return { possible: false, reason: CONFINED_AGAIN };
    }
    const writesGit = request.mayLeave.git;
    const places = this.#machine.placesFor(request.workingDirectory, request.config);
    return chooseConfinement(now, { ...request, writesGit }, places);
  }

  /** Prepares a supervisor in the surroundings that most commands use; it waits for the word to begin. */
  async #makeReady(workingDirectory: string, config: Config): Promise<void> {
    const shell = SUPERVISOR_SHELLS.find(isExecutable);
    const choice = chooseConfinement(
      await this.#trials.again(),
      { workingDirectory, config, network: NOTHING_ALLOWED, sees: 'folder', readable: [] },
      this.#machine.places,
    );
    if (shell !== undefined && choice.possible) {
      this.#supervisors.prepare(this.#machine.surroundingsOf(workingDirectory, config, shell, choice));
    }
  }

  async #runReading(
    request: CommandRequest,
    shell: string,
    choice: PossibleConfinement,
    progress: Progress,
  ): Promise<CommandResult> {
    const surroundings = this.#machine.surroundingsOf(request.workingDirectory, request.config, shell, choice);
    const kept = { readOnly: [request.workingDirectory], own: [], hides: this.#hides(request) };
    const ran = await this.#supervise(request, surroundings, choice, kept, progress);
    this.#supervisors.prepareSoon(surroundings);
    return { ...ran, ...NOTHING_FOUND, couldOnlyRead: true };
  }

  async #runTracked(
    request: CommandRequest,
    shell: string,
    choice: PossibleConfinement,
    progress: Progress,
  ): Promise<CommandResult> {
    const surroundings = this.#machine.surroundingsOf(request.workingDirectory, request.config, shell, choice);
    const place = { root: request.workingDirectory, isDenied: request.isDenied };
    const may = mayDo(request, choice.confinement !== 'unconfined');
    await using tracked = await this.#options.watch.begin(request.callId, place, may);
    const shared =
      choice.confinement === 'unconfined' ? NONE_SHARED : findSharedFiles(request.workingDirectory, tracked.before);
    const absolute = (paths: readonly string[]) => paths.map((path) => join(request.workingDirectory, path));
    const kept = {
      readOnly: [...tracked.readOnly, ...absolute(shared.readOnly)],
      own: [...tracked.own, ...absolute(shared.own)],
      hides: choice.confinement === 'unconfined' ? [] : this.#hides(request),
    };
    let ran = await this.#supervise(request, surroundings, choice, kept, progress);
    // A socket that was to be covered may be gone by then. Nothing ran, so it can be tried again, with what is there now.
    for (let tries = 1; ran.ending.kind === 'unstartable' && tries < MAX_TRIES && !request.signal.aborted; tries += 1) {
      ran = await this.#supervise(request, surroundings, choice, kept, progress);
    }
    const found = await this.#whatChanged(tracked);
    this.#supervisors.prepareSoon(surroundings);
    return {
      ...ran,
      ...found,
      readOnlyAsShared: shared.readOnly,
      readOnlyAsUnkept: tracked.unkept,
      mayBeShared: shared.unseen,
    };
  }

  /** The files of the folder that are hidden without an approval, but for those that the command may read. */
  #hides({ sees, readable, workingDirectory, config, mayLeave }: CommandRequest): readonly string[] {
    if (sees === 'machine') return [];
    return this.#options.watch
      .listHiddenPaths(workingDirectory, config, mayLeave.git)
      .filter((path) => !readable.includes(path));
  }

  #lackedBy(
    { ending, stdout, stderr }: Omit<ResultWithoutChanges, 'networkUse'>,
    choice: PossibleConfinement,
    { hides }: CommandMounts,
  ) {
    if (ending.kind !== 'exited' || ending.code === 0) return {};
    try {
      const said = `${stdout.slice(-LAST_WORDS)}\n${stderr.slice(-LAST_WORDS)}`;
      return { notShown: choice.notShown(said), hiddenFiles: sortByMention(hides, said) };
    } catch (error) {
      this.#options.log(`What a command didn’t see could not be found out: ${String(error)}`);
      return {};
    }
  }

  /** The command has run, whatever comes of the look at what it left: it may have taken its folder away. */
  async #whatChanged(tracked: WatchedCommand): Promise<WorkspaceChanges> {
    try {
      return await tracked.end();
    } catch (error) {
      this.#options.log(`What a command changed could not be found out: ${String(error)}`);
      return { ...NOTHING_FOUND, changedFilesComplete: false, lookComplete: false };
    }
  }

  async #supervise(
    request: CommandRequest,
    surroundings: CommandSurroundings,
    choice: PossibleConfinement,
    kept: CommandMounts,
    progress: Progress,
  ): Promise<ResultWithoutChanges> {
    using supervisor = await this.#supervisors.take(surroundings);
    const socketPath = supervisor.fifo.networkPath;
    await using proxy = choice.reach === null ? null : await openFilteringProxy({ socketPath, reach: choice.reach });
    const ran = await runSupervised({
      request,
      supervisor,
      words: [
        ...choice.prefix(socketPath, coverHidden(kept, request.workingDirectory, supervisor.fifo.emptyPath)),
        '/bin/sh',
        '-c',
        '--',
        request.command,
      ],
      confinement: choice.confinement,
      ownProcesses: choice.ownProcesses,
      onBegun: () => void (progress.mayHaveRun = true),
      outputs: this.#options.outputs,
      disks: [request.workingDirectory, this.#options.copies],
      redactor: this.#options.redactor,
      log: this.#options.log,
    });
    if (ran.ending.kind === 'unstartable') progress.mayHaveRun = false;
    return { ...ran, networkUse: proxy?.use ?? null, ...this.#lackedBy(ran, choice, kept) };
  }
}

/** Far enough from the end for what a package manager says after it. */
const LAST_WORDS = 4000;

const mayDo = ({ mayLeave, unasked, names }: CommandRequest, isHeld: boolean): AllowedChanges => ({
  mayLeave,
  unasked: unasked ?? null,
  names: names ?? [],
  isHeld,
});

type ResultWithoutChanges = Omit<CommandResult, keyof WorkspaceChanges>;

/** The mounts, with the files hidden in the folder, by path from there. */
interface CommandMounts extends KeptPaths {
  readonly hides: readonly string[];
}

/** Covers the hidden files with an empty file. */
function coverHidden({ hides, ...kept }: CommandMounts, folder: string, by: string): KeptPaths {
  if (hides.length === 0) return kept;
  writeFileSync(by, '', { mode: 0o444 });
  return { ...kept, covered: { paths: hides.map((path) => join(folder, path)), by } };
}

/** Puts the paths first that the output names. */
const sortByMention = (paths: readonly string[], said: string): readonly string[] =>
  paths
    .toSorted((one, other) => Number(said.includes(basename(other))) - Number(said.includes(basename(one))))
    .slice(0, MAX_HIDDEN_SHOWN);

const MAX_HIDDEN_SHOWN = 5;

/** The progress of a start, to report truly where something of ours fails. */
interface Progress {
  mayHaveRun: boolean;
}

const MAX_TRIES = 3;
const NONE_SHARED: SharedFiles = { readOnly: [], own: [], unseen: [] };
