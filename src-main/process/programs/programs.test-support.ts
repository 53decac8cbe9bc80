import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ProgramEnded, ProgramStarted } from '../../domain/call/program-facts.js';
import type { ProcessTerms } from '../../domain/tool/terms.js';
import type {
  HeldProgram,
  HeldProgramEnd,
  HeldProgramRequest,
  StartHeldProgram,
} from '../../domain/ports/sources/held-program.js';
import { type NetworkTerms, NO_NETWORK } from '#contract/vocabulary/network.js';
import type { Config } from '#contract/vocabulary/config.js';
import { configWith, openTestRunner, type TestRunner } from '../process.test-support.js';
import { createHeldPrograms, type HeldPrograms } from './held-programs.js';

export const CONFINED: ProcessTerms = { asked: 'required', held: 'confined', lacks: null, why: null };
export const UNCONFINED: ProcessTerms = { asked: 'off', held: 'unconfined', lacks: null, why: null };

export interface TestPrograms extends AsyncDisposable {
  readonly runner: TestRunner;
  readonly runningFolder: string;
  /** The recorded starts and ends; with a reason in `whyNot`, nothing can be recorded. */
  readonly recorded: { readonly started: ProgramStarted[]; readonly ended: ProgramEnded[]; whyNot: string | null };
  readonly find: HeldPrograms['find'];
  /** Starts exactly the given request. */
  readonly held: StartHeldProgram;
  start(command: readonly [string, ...string[]], options?: ProgramOptions): Promise<HeldProgram>;
  /** Run to its own end, with this on its standard input. */
  run(command: readonly [string, ...string[]], options?: ProgramOptions & { readonly input?: string }): Promise<Ran>;
}

export interface ProgramOptions extends Partial<Omit<HeldProgramRequest, 'command' | 'args'>> {
  readonly settings?: Partial<Config['tools']['run_command']>;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly side: string;
  readonly end: HeldProgramEnd;
}

export const onlyHosts = (...hosts: string[]): NetworkTerms => ({ reach: 'hosts', hosts, by: 'settings' });

export async function openTestPrograms(
  environment?: Record<string, string>,
  places: { readonly bubblewraps?: readonly string[]; readonly writable?: readonly string[] } = {},
): Promise<TestPrograms> {
  const runner = await openTestRunner(environment, places);
  const runningFolder = join(runner.outputs, 'running-programs');
  const recorded: TestPrograms['recorded'] = { started: [], ended: [], whyNot: null };
  const programs = createHeldPrograms({
    ...runner.runner.holding,
    folders: () => [runner.workspace],
    standing: (root) => runner.watch.standing(root),
    live: (root) => runner.watch.live(root),
    hides: (root, config) => runner.watch.listHiddenPaths(root, config, false),
    runningFolder,
    record: {
      recordStart: (facts) => {
        if (recorded.whyNot !== null) throw new Error(recorded.whyNot);
        recorded.started.push(facts);
      },
      recordEnd: (facts) => void recorded.ended.push(facts),
    },
    environment: environment ?? { PATH: process.env['PATH'] ?? '', HOME: runner.outside, LANG: 'C.UTF-8' },
    log: (message) => runner.log.push(message),
  });
  const start: TestPrograms['start'] = ([command, ...args], { settings, ...options } = {}) =>
    programs.start({
      startedFor: 'tests',
      command,
      args,
      workingDirectory: null,
      environment: {},
      process: CONFINED,
      network: NO_NETWORK,
      folder: null,
      reads: [],
      memoryBytes: null,
      cpuSeconds: null,
      side: false,
      config: configWith({ confinement: options.process?.asked ?? 'required', ...settings }),
      ...options,
    });
  return {
    runner,
    runningFolder,
    recorded,
    find: programs.find,
    held: programs.start,
    start,
    async run(command, { input = '', ...options } = {}) {
      const program = await start(command, options);
      void program.write(input).catch(() => undefined);
      program.endInput();
      const [stdout, stderr, side, end] = await Promise.all([
        text(program.stdout),
        text(program.stderr),
        text(program.side),
        program.ended,
      ]);
      return { stdout, stderr, side, end };
    },
    async [Symbol.asyncDispose]() {
      await programs[Symbol.asyncDispose]();
      await runner[Symbol.asyncDispose]();
    },
  };
}
