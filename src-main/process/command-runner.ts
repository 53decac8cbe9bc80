import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import type { CommandUndo } from '../domain/command-undo.js';
import type { CommandRequest, CommandResult, CommandRunner, OutputStore } from '../domain/ports.js';
import { type Availability, confinementState, findConfinement } from './confinement/availability.js';
import { type ConfinementChoice, chooseConfinement } from './confinement/choice.js';
import { commandEnvironment } from './environment.js';
import { createFifoPool } from './fifo-pool.js';
import { runSupervised } from './run-supervised.js';
import { limitArguments, SUPERVISOR_SHELLS } from './supervisor.js';
import { createSupervisorPool, type Surroundings } from './supervisor-pool.js';
import { WorkspaceSnapshot } from './workspace/snapshot/workspace-snapshot.js';
import { TrackedCommand, type TrackingParts } from './workspace/track-changes.js';

export interface CommandRunnerOptions {
  readonly outputs: OutputStore;
  /** Gatehouse's own data, and whatever else a confined command must not see. */
  readonly hidden: readonly string[];
  /** Where what commands change is kept for undo, and the folder for copies of what was there before. */
  readonly undo: CommandUndo;
  readonly copies: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** For what must be known but stops nothing: a process that would not end. */
  readonly log: (message: string) => void;
}

export interface DisposableCommandRunner extends CommandRunner, AsyncDisposable {}

export function createCommandRunner(options: CommandRunnerOptions): DisposableCommandRunner {
  const platform = options.platform ?? process.platform;
  const environment = options.environment ?? process.env;
  const fifos = createFifoPool();
  const supervisors = createSupervisorPool(fifos);
  const { hidden, log, undo } = options;
  const snapshot = new WorkspaceSnapshot({ folder: options.copies, hidden, log });
  const tracking: TrackingParts = { undo, snapshot, hidden, log };
  let found: Promise<Availability> | null = null;
  const availability = (): Promise<Availability> => (found ??= findConfinement(platform));

  return {
    prepare({ workingDirectory, isDenied }) {
      if (platform !== 'win32') snapshot.prepare({ root: workingDirectory, isDenied });
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
      const choice = chooseConfinement(await availability(), request, {
        home: environment['HOME'] ?? homedir(),
        hidden: options.hidden,
      });
      if (!choice.possible) return notRun({ kind: 'unstartable', reason: choice.reason });
      try {
        return await supervise(request, shell, choice);
      } catch (error) {
        const reason = `The command could not be started: ${error instanceof Error ? error.message : String(error)}`;
        return notRun({ kind: 'unstartable', reason });
      }
    },
    confinement: async () => confinementState(await availability()),
    async [Symbol.asyncDispose]() {
      await supervisors.dispose();
      await fifos.dispose();
      await snapshot.close();
    },
  };

  async function supervise(
    request: CommandRequest,
    shell: string,
    choice: ConfinementChoice & { possible: true },
  ): Promise<CommandResult> {
    const settings = request.config.tools.run_command;
    const env = {
      ...commandEnvironment(
        environment,
        { allowlist: settings.env_allowlist, denylist: request.config.tools.environment.denylist },
        platform === 'win32',
      ),
      ...(choice.confinement === 'unconfined' ? {} : PRIVATE_PLACES),
    };
    const place = { root: request.workingDirectory, isDenied: request.isDenied };
    await using tracked = await TrackedCommand.begin(tracking, request.callId, place);
    const surroundings: Surroundings = {
      shell,
      folder: request.workingDirectory,
      env,
      limits: limitArguments(settings),
    };
    using supervisor = await supervisors.take(surroundings);
    const ran = await runSupervised({
      request,
      supervisor,
      words: [...choice.prefix, '/bin/sh', '-c', request.command],
      confinement: choice.confinement,
      outputs: options.outputs,
      log: options.log,
    });
    supervisors.prepare(surroundings);
    return { ...ran, ...(await tracked.end()) };
  }
}

/** Confined, the home folder can't be written to: what tools keep for later goes into the command's own /tmp. */
const PRIVATE_PLACES = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/npm' } as const;

/** Nothing ran, so nothing was produced, changed or used. */
const notRun = (ending: CommandResult['ending']): CommandResult => ({
  ending,
  stdout: '',
  stderr: '',
  outputBytes: 0,
  outputBytesLeftOut: 0,
  controlCharactersRemoved: 0,
  storedOutputs: [],
  changedFiles: [],
  changedFilesComplete: true,
  confinement: 'unconfined',
  cpuMs: 0,
  peakMemoryBytes: 0,
});

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
