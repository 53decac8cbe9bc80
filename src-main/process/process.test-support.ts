import { openTestRedactor } from '../platform/redaction/redactor.test-support.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import type { AllowedNetwork } from '#contract/vocabulary/network.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandEvent } from '../domain/call/outputs.js';
import type { CommandResult, ConfinementState } from '../domain/ports/command-runner.js';
import type { OutputSink, OutputStore } from '../domain/ports/output-store.js';
import type { QuarantineStore } from '../domain/ports/workspace/quarantine-store.js';
import type { NamedFile } from '../domain/commands/reading/reading.js';
import { readAlone } from '../domain/commands/reading/reading.test-support.js';
import type { LeaveAllowance } from '../domain/sensitive/leave-allowance.js';
import type { UnattendedWrites } from '../domain/policy/unattended.js';
import { createQuarantineStore } from '../workspace/quarantine/quarantine-store.js';
import { createCommandUndo } from '../workspace/undo/command-undo.js';
import { Bench } from '../workspace/transaction/transaction.test-support.js';
import { LIST_BOUNDS } from '../workspace/watching/workspace-list.js';
import { SNAPSHOT_BOUNDS } from '../workspace/watching/snapshot/workspace-snapshot.js';
import { openWorkspaceWatch, type OpenWorkspaceWatch } from '../workspace/watching/workspace-watch.js';
import { createCommandRunner, type DisposableCommandRunner } from './command-runner.js';

type Settings = Config['tools']['run_command'];

const defaults = parse(readFileSync('resources/default-config.toml', 'utf8')) as unknown as Config;

export function configWith(settings: Partial<Settings>): Config {
  return {
    ...defaults,
    tools: { ...defaults.tools, run_command: { ...defaults.tools.run_command, ...settings } },
  };
}

export interface RunOptions {
  readonly settings?: Partial<Settings>;
  /** Allowed by the person for this one call. */
  readonly network?: AllowedNetwork;
  readonly mayLeave?: Partial<LeaveAllowance>;
  readonly names?: readonly NamedFile[];
  readonly unasked?: UnattendedWrites;
  readonly sees?: 'folder' | 'machine';
  readonly readable?: readonly string[];
  readonly outputLimit?: number;
  /** The runner's own workspace, unless a test has another. */
  readonly workingDirectory?: string;
  readonly isDenied?: (relative: string) => boolean;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => Promise<void>;
  readonly onEvent?: (event: CommandEvent) => void;
}

export interface TestRunner extends AsyncDisposable {
  readonly workspace: string;
  /** Outside the workspace. */
  readonly outside: string;
  readonly outputs: string;
  readonly log: string[];
  /** The answers on confinement so far. */
  readonly confinements: ConfinementState[];
  /** Transactions and undo of the same workspace. */
  readonly bench: Bench;
  readonly runner: DisposableCommandRunner;
  readonly aside: QuarantineStore;
  readonly watch: OpenWorkspaceWatch;
  /** How many commands began so far. */
  started(): number;
  run(command: string, options?: RunOptions): Promise<CommandResult>;
  lastCall(): string;
}

/**
 * Not under /tmp, which a confined command does not share: what is refused must be refused for its own sake. The project
 * itself may lie there; then a folder of the person's home does.
 */
async function sharedPlace(): Promise<string> {
  const artifacts = resolve('artifacts');
  const place = /^\/(?:var\/)?tmp\//u.test(artifacts) ? join(homedir(), '.cache', 'gatehouse-tests') : artifacts;
  await mkdir(place, { recursive: true });
  return place;
}

/** Bounds under which all that a command leaves is found and can be undone, however busy the machine is. */
export const UNHURRIED = {
  list: { ...LIST_BOUNDS, maxMs: 60_000 },
  copies: { ...SNAPSHOT_BOUNDS, catchUpMs: 60_000 },
};

export async function openTestRunner(
  environment?: Record<string, string>,
  places: {
    readonly copies?: string;
    readonly bubblewraps?: readonly string[];
    /** Folders besides the workspace. */
    readonly writable?: readonly string[];
    readonly outputs?: (files: OutputStore) => OutputStore;
  } = {},
): Promise<TestRunner> {
  const base = await realpath(await mkdtemp(join(await sharedPlace(), 't-')));
  const [workspace, outside, outputs] = await Promise.all(
    ['ws-', 'out-', 'data-'].map((name) => mkdtemp(join(base, name))),
  );
  if (workspace === undefined || outside === undefined || outputs === undefined) throw new Error('no folders');
  const log: string[] = [];
  const confinements: ConfinementState[] = [];
  const bench = await Bench.at(base, { workspace, dataDir: outputs });
  const aside = createQuarantineStore(bench.parts);
  const copies = places.copies ?? join(outputs, 'copies');
  const variables = environment ?? { PATH: process.env['PATH'] ?? '', HOME: outside, LANG: 'C.UTF-8' };
  const watch = openWorkspaceWatch({
    hidden: [outputs],
    home: variables['HOME'] ?? homedir(),
    undo: createCommandUndo(bench.parts),
    copies,
    quarantine: aside,
    pendingChecksFolder: join(outputs, 'owed-looks'),
    bounds: UNHURRIED,
    log: (message) => log.push(message),
  });
  const runner = createCommandRunner({
    redactor: openTestRedactor(),
    outputs: places.outputs?.(fileStore(outputs)) ?? fileStore(outputs),
    hidden: [outputs],
    writable: () => [workspace, ...(places.writable ?? [])],
    watch,
    copies,
    ...(places.bubblewraps === undefined ? {} : { bubblewraps: places.bubblewraps }),
    environment: variables,
    onConfinement: (state) => confinements.push(state),
    log: (message) => log.push(message),
  });
  let calls = 0;
  let started = 0;
  return {
    aside,
    started: () => started,
    workspace,
    outside,
    outputs,
    log,
    confinements,
    bench,
    runner,
    watch,
    lastCall: () => `call-${calls}`,
    run: (command, options = {}) =>
      runner.run({
        callId: `call-${(calls += 1)}`,
        command,
        workingDirectory: options.workingDirectory ?? workspace,
        isDenied: options.isDenied ?? (() => false),
        config: configWith(options.settings ?? {}),
        network: options.network ?? [],
        sees: options.sees ?? (options.unasked === undefined ? 'machine' : 'folder'),
        readable: options.readable ?? [],
        mayLeave: { git: false, gitCommands: readAlone(command).leaves.gitCommands, named: [], ...options.mayLeave },
        names: options.names ?? readAlone(command).files,
        ...(options.unasked === undefined ? {} : { unasked: options.unasked }),
        outputLimit: options.outputLimit ?? 102_400,
        signal: options.signal ?? new AbortController().signal,
        onOutput: options.onOutput ?? (() => Promise.resolve()),
        onEvent: (event) => {
          if (event.type === 'started') started += 1;
          options.onEvent?.(event);
        },
      }),
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await watch.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Files, as the journal's store keeps them, without the journal. */
function fileStore(folder: string): OutputStore {
  return {
    seal: () => null,
    open(callId, stream, maxBytes): OutputSink {
      const file = open(join(folder, `${callId}.${stream}`), 'w');
      const hash = createHash('sha256');
      let bytes = 0;
      return {
        async write(chunk) {
          const kept = chunk.subarray(0, Math.max(0, maxBytes - bytes));
          bytes += kept.length;
          hash.update(kept);
          await (await file).write(kept);
          return kept.length === chunk.length;
        },
        async finish() {
          await (await file).close();
          return { stream, sha256: hash.digest('hex'), bytes };
        },
        async abandon() {
          await (await file).close();
        },
      };
    },
  };
}
