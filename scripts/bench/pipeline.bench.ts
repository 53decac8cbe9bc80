import { makeAsker } from '../../src-main/domain/call/asker.js';
import { filesAlone } from '../../src-main/gate/recovery/recovery.test-support.js';
import { testSealing } from '../../src-main/workspace/images/sealing.test-support.js';
import { createSealer } from '../../src-main/keys/sealing.js';
import { openTestRedactor } from '../../src-main/platform/redaction/redactor.test-support.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadLogs } from '../../src-main/gate/executor/given/read-logs.js';
import { composeGate, type ComposedGate } from '../../src-main/app/gate/gate.js';
import type { CommitReceipt, Journal } from '../../src-main/domain/ports/journal.js';
import type { ToolContext } from '../../src-main/domain/tool/tool.js';
import { readingThatSays } from '../../src-main/domain/commands/reading/reading.test-support.js';
import { defaultConfig } from '../../src-main/tests/gate/default-config.test-support.js';
import { openJournal } from '../../src-main/journal/opening/open-journal.js';
import { systemClock } from '../../src-main/platform/clock.js';
import { readFileTool } from '../../src-main/tools/builtin/read-file/handler.js';
import { ToolRegistry } from '../../src-main/tools/registry/registry.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../src-main/workspace/transaction/workspace-transactions.js';
import { writeFileTool } from '../../src-main/tools/builtin/write-file/handler.js';
import { type Compare, timed } from './harness.js';
import { plainParts } from '../../src-main/tests/gate/gate-parts.test-support.js';

const AT_ONCE = 100;
const KILOBYTE = 'x'.repeat(1023).concat('\n');

/**
 * What the gate itself costs a call: a read of 1 KB through the whole of it, against the tool called bare; and a file made
 * through it, against one made bare.
 */
export async function run(compare: Compare): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-bench-')));
  const workspace = join(base, 'workspace');
  const dataDir = join(base, 'data');
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), KILOBYTE);
  const journal = openJournal({
    dataDir,
    sealer: createSealer(null),
    clock: systemClock,
    signer: { available: false, sign: () => new Uint8Array(), verify: () => false },
    onSideError: rethrow,
  });
  try {
    const without = await openGate(dataDir, workspace, forgetful);
    const withJournal = await openGate(dataDir, workspace, journal);
    const bare = { name: 'the tool called bare', sample: each(() => callBare(without)) };
    await compare({
      name: 'read_file of 1 KB through the gate, without the journal (goal: the difference at most 150 µs)',
      unit: 'µs',
      subject: { name: 'gate', sample: each(() => callThrough(without)) },
      peer: bare,
      warmUp: 10,
      samples: 60,
    });
    await compare({
      name: 'read_file of 1 KB through the gate, with the journal (two durable commits)',
      unit: 'µs',
      subject: { name: 'gate and journal', sample: each(() => callThrough(withJournal), 10) },
      peer: bare,
      warmUp: 3,
      samples: 30,
    });
    await compare({
      name: 'write_file of 1 KB through the gate, with the journal',
      unit: 'µs',
      subject: { name: 'gate and journal', sample: each(() => writeThrough(withJournal), 10) },
      peer: { name: 'a file made and synced bare', sample: each(() => writeBare(workspace), 10) },
      warmUp: 3,
      samples: 30,
    });
    await withJournal.close();
  } finally {
    journal.close();
    await rm(base, { recursive: true, force: true });
  }
}

function each(work: () => Promise<unknown>, times = AT_ONCE): () => Promise<number> {
  return async () => {
    const ms = await timed(async () => {
      for (let done = 0; done < times; done += 1) await work();
    });
    return (ms / times) * 1000;
  };
}

const callThrough = (gate: ComposedGate): Promise<void> => call(gate, 'read_file', { path: 'a.txt' });

let written = 0;

function writeThrough(gate: ComposedGate): Promise<void> {
  written += 1;
  return call(gate, 'write_file', { path: `w${written}.txt`, content: KILOBYTE });
}

async function writeBare(workspace: string): Promise<void> {
  written += 1;
  await writeFile(join(workspace, `w${written}.txt`), KILOBYTE, { flag: 'wx', flush: true });
}

/** The folder that each gate was opened on. */
const folders = new WeakMap<ComposedGate, string>();

async function call(composed: ComposedGate, tool: string, args: JsonObject): Promise<void> {
  const [settled] = await composed.gate.submit({
    asker: makeAsker('compose', 'bench'),
    folder: folders.get(composed) ?? '',
    calls: [{ requestId: null, tool, arguments: args }],
    capacityBytes: null,
    joinable: false,
  }).settled;
  if (settled?.failure !== null) throw new Error('The call failed.');
}

const readLogs = new ReadLogs(systemClock);

async function callBare(gate: ComposedGate): Promise<void> {
  const { config, sandbox } = gate.situation(folders.get(gate) ?? '');
  const context: ToolContext<'reads'> = {
    callId: 'bare',
    sandbox,
    readLog: readLogs.of('bare'),
    findsSecrets: () => Promise.resolve(false),
    config,
    signal: new AbortController().signal,
    outputLimit: config.tools.output.max_bytes,
    capacityBytes: Number.MAX_SAFE_INTEGER,
    timeoutMs: 30_000,
    emit: () => Promise.resolve(),
  };
  await readFileTool.execute(readFileTool.parse({ path: 'a.txt' }), context, null);
}

async function openGate(dataDir: string, workspace: string, journal: Journal): Promise<ComposedGate> {
  const registry = new ToolRegistry();
  registry.register(readFileTool);
  registry.register(writeFileTool);
  const config = defaultConfig({ approval: { allowlist: ['write_file'] } });
  const transactions = createWorkspaceTransactions(
    createTransactionDeps({
      sealing: testSealing(),
      dataDir,
      clock: systemClock,
      imageQuotaBytes: () => 2 ** 30,
      onProblem: rethrow,
    }),
  );
  const gate = composeGate({
    ...plainParts(),
    journal,
    transactions,
    redactor: openTestRedactor(),
    commands: noCommands,
    analyzer: { analyze: async () => readingThatSays({}) },
    confirmations: { session: [], remember: async () => undefined },
    registry,
    clock: systemClock,
    random: Math.random,
    config: () => config,
    confinement: () => ({ available: true, problem: null }),
    confinementTried: () => Promise.resolve(),
    runnerTexts: { find: () => null, keep: () => undefined },
    changedSince: async () => ({ changed: [], createdFolders: [], complete: true }),
    partialOutput: async () => null,
    onCrashTrouble: (_what, error) => rethrow(error),
    publish: () => undefined,
    onFault: rethrow,
  });
  await gate.recovery.begin(filesAlone(transactions));
  await gate.openFolder(workspace);
  folders.set(gate, workspace);
  return gate;
}

function rethrow(error: unknown): never {
  throw error;
}

const noCommands = {
  prepare: () => undefined,
  run: () => Promise.reject(new Error('no commands here')),
  confinement: async () => ({ available: false, problem: null }),
};

/** A journal that takes everything and keeps nothing: what is left is the gate. */
const forgetful: Journal = {
  health: { state: 'ok', problem: null },
  onHealthChange: () => () => undefined,
  append: () => ({ calls: [] }) as unknown as CommitReceipt,
  onCommit: () => () => undefined,
  openBatches: () => [],
  lastAlive: null,
  close: () => undefined,
};
