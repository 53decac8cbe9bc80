import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Redactor } from '../domain/ports/redactor.js';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type {
  CommandLeftovers,
  CommandRequest,
  CommandResult,
  CommandRunner,
  ConfinementState,
} from '../domain/ports/command-runner.js';
import type { OutputStore } from '../domain/ports/output-store.js';
import type { FoundChanges, WatchedCommand, WorkspaceWatch } from '../domain/ports/workspace-watch.js';
import { isAtLeast } from '../domain/policy/standing-confirmation.js';
import { confinementState, findConfinement } from './confinement/availability.js';
import { chooseConfinement, type ConfinementChoice, type PossibleConfinement } from './confinement/choice.js';
import type { KeptPaths } from './confinement/inside-workspace.js';
import { type SharedFiles, sharedFiles, unseenDependencies } from './confinement/shared-files.js';
import { openTrials } from './confinement/trials.js';
import { commandEnvironment } from './environment/environment.js';
import { createFifoPool } from './start/fifo-pool.js';
import { proxyEnvironment } from './proxy/bridge.js';
import { openFilteringProxy } from './proxy/filtering-proxy.js';
import { nothingRan, runSupervised } from './run-supervised.js';
import { limitArguments, SUPERVISOR_SHELLS } from './start/supervisor.js';
import { createSupervisorPool, type Surroundings } from './start/supervisor-pool.js';
import { isExecutable } from './environment/system-files.js';

export interface CommandRunnerOptions {
  readonly outputs: OutputStore;
  readonly redactor: Redactor;
  /** Gatehouse's own data, and whatever else a confined command must not see. */
  readonly hidden: readonly string[];
  /** Sees what each command does to its workspace. */
  readonly watch: WorkspaceWatch;
  /** On a disk that a command must not fill. */
  readonly copies: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Where bubblewrap is looked for; the places where it is installed, unless a test has its own. */
  readonly bubblewraps?: readonly string[];
  /** Each time that it was found out whether commands can be confined. */
  readonly onConfinement?: (state: ConfinementState) => void;
  /** For what must be known but stops nothing: a process that would not end. */
  readonly log: (message: string) => void;
}

export interface DisposableCommandRunner extends CommandRunner, Pick<CommandLeftovers, 'mayBeShared'>, AsyncDisposable {
  /** As it was last found out; until then, nothing is offered. */
  confinementNow(): ConfinementState;
}

export function createCommandRunner(options: CommandRunnerOptions): DisposableCommandRunner {
  const platform = options.platform ?? process.platform;
  const environment = options.environment ?? process.env;
  const fifos = createFifoPool();
  const supervisors = createSupervisorPool(fifos);
  const { hidden, log, watch } = options;
  let newest: ConfinementState = { available: false, problem: null };
  const trials = openTrials({
    attempt: () => findConfinement(platform, options.bubblewraps),
    onFound: (found) => {
      newest = confinementState(found);
      options.onConfinement?.(newest);
    },
  });

  const machine = () => ({
    homes: [...new Set([environment['HOME'] ?? homedir(), userInfo().homedir])],
    environment,
    // What other commands are talked to through, wherever the temporary files are.
    hidden: () => [...hidden, ...(fifos.folder === null ? [] : [fifos.folder])],
  });

  return {
    prepare({ workingDirectory, isDenied, config }) {
      if (platform === 'win32') return;
      watch.prepare({ root: workingDirectory, isDenied });
      makeReady(workingDirectory, config).catch((error: unknown) =>
        log(`Nothing could be made ready: ${String(error)}`),
      );
    },
    async run(request) {
      if (request.signal.aborted) return notRun({ kind: 'stopped' });
      const shell = SUPERVISOR_SHELLS.find(isExecutable);
      if (platform === 'win32' || shell === undefined) {
        const reason =
          platform === 'win32'
            ? 'Commands can’t be run on Windows by this version of Gatehouse.'
            : 'Commands need bash, which is not installed. Install the package “bash”.';
        return notRun({ kind: 'unstartable', reason });
      }
      const choice = await choose(request);
      if (!choice.possible) return notRun({ kind: 'unstartable', reason: choice.reason });
      if (request.leastConfinement !== undefined && !isAtLeast(choice.confinement, request.leastConfinement))
        return notRun({ kind: 'unstartable', reason: heldLess(choice.confinement, request.leastConfinement) });
      const progress: Progress = { mayHaveRun: false };
      try {
        return await watch.inTurn(request.workingDirectory, request.mayLeave, request.signal, () =>
          runTracked(request, shell, choice, progress),
        );
      } catch (error) {
        // While it waited for its turn.
        if (request.signal.aborted && !progress.mayHaveRun) return notRun({ kind: 'stopped' });
        const said = error instanceof Error ? error.message : String(error);
        return notRun(
          progress.mayHaveRun
            ? { kind: 'lost', reason: `The command may have run; what became of it is not known: ${said}` }
            : { kind: 'unstartable', reason: `The command could not be started: ${said}` },
        );
      }
    },
    confinement: async () => confinementState(await trials.known()),
    confinementNow: () => newest,
    mayBeShared: (workingDirectory) => unseenDependencies(workingDirectory),
    async [Symbol.asyncDispose]() {
      trials[Symbol.dispose]();
      await supervisors.dispose();
      await fifos.dispose();
    },
  };

  /** A command is not run unconfined, or refused, for what was so a while ago. */
  async function choose(request: CommandRequest): Promise<ConfinementChoice> {
    const known = await trials.known();
    const isNeeded = request.config.tools.run_command.confinement !== 'off';
    const now = known.available || !isNeeded ? known : await trials.again();
    if (isNeeded && now.available && !known.available && request.config.tools.run_command.confinement === 'preferred') {
      return { possible: false, reason: CONFINED_AGAIN };
    }
    return chooseConfinement(now, request, machine());
  }

  /** What a command would be started in, waiting for the word: most commands use no more than that. */
  async function makeReady(workingDirectory: string, config: Config): Promise<void> {
    const shell = SUPERVISOR_SHELLS.find(isExecutable);
    const choice = chooseConfinement(await trials.again(), { workingDirectory, config, network: false }, machine());
    if (shell !== undefined && choice.possible) {
      supervisors.prepare(surroundingsOf(workingDirectory, config, shell, choice));
    }
  }

  function surroundingsOf(folder: string, config: Config, shell: string, choice: PossibleConfinement): Surroundings {
    const { run_command: settings, environment: variables } = config.tools;
    const rules = { allowlist: settings.env_allowlist, denylist: variables.denylist };
    const bounds = { processes: settings.max_processes, memoryBytes: settings.max_memory_bytes };
    const env = {
      ...commandEnvironment(environment, { ...rules, writable: folder }, platform === 'win32'),
      ...(choice.confinement === 'unconfined' ? {} : PRIVATE_PLACES),
      ...(choice.reach === null ? {} : proxyEnvironment(choice.reach.hosts)),
    };
    return { shell, folder, env, limits: limitArguments(settings), bounds };
  }

  async function runTracked(
    request: CommandRequest,
    shell: string,
    choice: PossibleConfinement,
    progress: Progress,
  ): Promise<CommandResult> {
    const surroundings = surroundingsOf(request.workingDirectory, request.config, shell, choice);
    const place = { root: request.workingDirectory, isDenied: request.isDenied };
    await using tracked = await watch.begin(request.callId, place, request.mayLeave);
    const shared =
      choice.confinement === 'unconfined' ? NONE_SHARED : sharedFiles(request.workingDirectory, tracked.before);
    const absolute = (paths: readonly string[]) => paths.map((path) => join(request.workingDirectory, path));
    const kept = { readOnly: [...tracked.readOnly, ...absolute(shared.readOnly)], own: absolute(shared.own) };
    let ran = await supervise(request, surroundings, choice, kept, progress);
    // A socket that was to be covered may be gone by then. Nothing ran, so it can be tried again, with what is there now.
    for (
      let tries = 1;
      ran.ending.kind === 'unstartable' && tries < MOST_TRIES && !request.signal.aborted;
      tries += 1
    ) {
      ran = await supervise(request, surroundings, choice, kept, progress);
    }
    // Nothing may start in this workspace before what this command left was looked at: so that is asked for at once.
    const found = whatChanged(tracked);
    supervisors.prepare(surroundings);
    return { ...ran, ...(await found), readOnlyAsShared: shared.readOnly, mayBeShared: shared.unseen };
  }

  /** The command has run, whatever comes of the look at what it left: it may have taken its folder away. */
  async function whatChanged(tracked: WatchedCommand): Promise<FoundChanges> {
    try {
      return await tracked.end();
    } catch (error) {
      log(`What a command changed could not be found out: ${String(error)}`);
      return { ...NOTHING_FOUND, changedFilesComplete: false, lookComplete: false };
    }
  }

  async function supervise(
    request: CommandRequest,
    surroundings: Surroundings,
    choice: PossibleConfinement,
    kept: KeptPaths,
    progress: Progress,
  ): Promise<Ran> {
    using supervisor = await supervisors.take(surroundings);
    const socketPath = supervisor.fifo.networkPath;
    await using proxy = choice.reach === null ? null : await openFilteringProxy({ socketPath, reach: choice.reach });
    const ran = await runSupervised({
      request,
      supervisor,
      words: [...choice.prefix(socketPath, kept), '/bin/sh', '-c', '--', request.command],
      confinement: choice.confinement,
      ownProcesses: choice.ownProcesses,
      onBegun: () => void (progress.mayHaveRun = true),
      outputs: options.outputs,
      disks: [request.workingDirectory, options.copies],
      redactor: options.redactor,
      log,
    });
    if (ran.ending.kind === 'unstartable') progress.mayHaveRun = false;
    return { ...ran, networkUse: proxy?.use ?? null };
  }
}

type Ran = Omit<CommandResult, keyof FoundChanges>;

const NOTHING_FOUND: FoundChanges = {
  changedFiles: [],
  changedFilesComplete: true,
  putAside: [],
  lookComplete: true,
};

/** What is told where something of ours fails. */
interface Progress {
  mayHaveRun: boolean;
}

const MOST_TRIES = 3;
const NONE_SHARED: SharedFiles = { readOnly: [], own: [], unseen: [] };

const heldLess = (now: Confinement, least: Confinement): string =>
  `The rule that lets it run holds where commands are held as “${least}”, and it would run as “${now}”. Ask again, and the person is asked.`;

/** What was judged is what is used, or it is judged again: here with more protection than anybody was shown. */
const CONFINED_AGAIN =
  'It was to run unconfined, and by now commands can be confined. Nothing ran; ask again, and it runs confined.';

/** Confined, the home folder can't be written to: what tools keep for later goes into the command's own /tmp. */
const PRIVATE_PLACES = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/npm' } as const;

const notRun = (ending: CommandResult['ending']): CommandResult => ({
  ...nothingRan(ending),
  ...NOTHING_FOUND,
  changedFilesComplete: ending.kind !== 'lost',
  lookComplete: ending.kind !== 'lost',
  networkUse: null,
});
