import { makeAsker, type AskingDoor } from '../../domain/call/asker.js';
import { filesAlone } from '../../gate/recovery/recovery.test-support.js';
import { testSealing } from '../../workspace/images/sealing.test-support.js';
import { createSealer } from '../../keys/sealing.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { composeGate, type ComposedGate, type GateParts } from '../../app/gate/gate.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Batch, BatchRequest, SettledCall } from '../../domain/ports/gate/gate.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';
import type { Journal } from '../../domain/ports/journal.js';
import type { CommandRunner } from '../../domain/ports/command-runner.js';
import { readPlainly } from '../../domain/commands/reading/reading.test-support.js';
import type { SessionRule } from '../../domain/ports/gate/standing-rules.js';
import type { Tool } from '../../domain/tool/tool.js';
import { defaultConfig } from './default-config.test-support.js';
import { openJournal } from '../../journal/opening/open-journal.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';
import { systemClock } from '../../platform/clock.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../workspace/transaction/workspace-transactions.js';
import type { TransactionStepHook } from '../../workspace/transaction/transaction-steps.js';
import { answerTo, followSheets } from './answers.test-support.js';
import { CONFINES } from './confinement.test-support.js';
import { readingClock } from './reading-clock.test-support.js';
import { plainParts } from './gate-parts.test-support.js';

const noCommands: CommandRunner = {
  prepare: () => undefined,
  run: () => Promise.reject(new Error('no test of the gate itself runs commands')),
  confinement: async () => ({ available: false, problem: null }),
};

export function testFolder(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `gatehouse-${name}-`)));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Of who asks, what a test wants other than the person in Compose. */
interface AskedBy {
  readonly door?: AskingDoor;
  readonly client?: string | null;
  readonly agent?: string | null;
  readonly sessionId?: string;
}

export interface TestGate extends ComposedGate {
  readonly journal: SqliteJournal;
  readonly workspace: string;
  readonly dataDir: string;
  readonly events: readonly AppEventBody[];
  readonly faults: readonly unknown[];
  config: Config;
  submit(
    calls: ReadonlyArray<{ readonly tool: string; readonly arguments: unknown; readonly requestId?: string }>,
    more?: Partial<Omit<BatchRequest, 'asker'>> & AskedBy,
  ): Batch;
  run(
    ...calls: ReadonlyArray<{ readonly tool: string; readonly arguments: unknown; readonly requestId?: string }>
  ): Promise<readonly SettledCall[]>;
  /** The sheets that the window shows. */
  sheets(): readonly ApprovalRequest[];
  /** The sheet of that batch, once it is open. */
  sheet(batch: Batch): Promise<ApprovalRequest>;
  /** Half a second goes by: what is drawn may be approved. */
  read(): void;
  decide(batch: Batch, decision: DecisionMessage['decision'], more?: Partial<DecisionMessage>): Promise<void>;
}

export interface TestGateOptions {
  readonly tools: readonly Tool<unknown>[];
  /** Tools that are in the set of the person's doors alone. */
  readonly personsOwn?: readonly Tool<unknown>[];
  readonly config?: Config;
  readonly dataDir?: string;
  readonly workspace?: string;
  /** Without one, as on a system that has no key store. */
  readonly sealingKey?: Uint8Array;
  readonly wrapJournal?: (journal: SqliteJournal) => Journal;
  readonly onStep?: TransactionStepHook;
  readonly parts?: Partial<GateParts>;
}

/** The real gate on a real journal, real transactions and a real jail; the tests play the person. */
export async function openTestGate(options: TestGateOptions): Promise<TestGate> {
  const dataDir = options.dataDir ?? testFolder('data');
  const workspace = options.workspace ?? testFolder('workspace');
  const events: AppEventBody[] = [];
  const { hear, sheets } = followSheets();
  const faults: unknown[] = [];
  const journal = openJournal({
    dataDir,
    sealer: createSealer(options.sealingKey ?? null),
    clock: systemClock,
    signer: { available: false, sign: () => new Uint8Array(), verify: () => false },
    onSideError: (error) => faults.push(error),
  });
  const registry = new ToolRegistry();
  for (const tool of options.tools) registry.register(tool);
  for (const tool of options.personsOwn ?? []) registry.register(tool, { advertise: false });
  const session: SessionRule[] = [];
  const clock = readingClock(options.parts?.clock);
  const state = { config: options.config ?? defaultConfig() };
  const transactions = createWorkspaceTransactions(
    createTransactionDeps({
      sealing: testSealing(options.sealingKey ?? null),
      dataDir,
      clock: systemClock,
      imageQuotaBytes: () => 2 ** 30,
      onProblem: (problem) => faults.push(problem),
      ...(options.onStep === undefined ? {} : { onStep: options.onStep }),
    }),
  );
  const gate = composeGate({
    ...plainParts(),
    journal: options.wrapJournal?.(journal) ?? journal,
    transactions,
    redactor: openTestRedactor(),
    commands: noCommands,
    analyzer: { analyze: async (command) => readPlainly(command) },
    confirmations: {
      session,
      remember: async (rule) => void session.push({ ...rule, id: `session-${session.length + 1}` }),
    },
    registry,
    random: () => 0,
    config: () => state.config,
    confinement: () => CONFINES,
    confinementTried: () => Promise.resolve(),
    runnerTexts: { find: () => null, keep: () => undefined },
    texts: journal.given,
    changedSince: async () => ({ changed: [], createdFolders: [], complete: true }),
    partialOutput: async () => null,
    onCrashTrouble: (_what, error) => faults.push(error),
    publish: (event) => {
      events.push(event);
      hear(event);
    },
    onFault: (error) => faults.push(error),
    ...options.parts,
    clock,
  });
  await gate.recovery.begin(filesAlone(transactions));
  await gate.openFolder(workspace);
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await gate.close();
    journal.close();
  };
  onTestFinished(close);

  const submit: TestGate['submit'] = (
    calls,
    { door = 'compose', client = null, agent = null, sessionId = 'session', ...more } = {},
  ) =>
    gate.gate.submit({
      asker: makeAsker(door, sessionId, { client, agent }),
      folder: workspace,
      calls: calls.map(({ tool, requestId, arguments: args }) => ({
        tool,
        requestId: requestId ?? null,
        arguments: args as never,
      })),
      capacityBytes: null,
      joinable: false,
      ...more,
    });
  const sheet = async (batch: Batch): Promise<ApprovalRequest> => {
    for (const began = performance.now(); ;) {
      if (performance.now() - began > LONGEST_WAIT_MS)
        throw new Error(`Nobody was asked about the batch ${batch.batchId} within ${LONGEST_WAIT_MS / 1000} s.`);
      const request = sheets().find(({ batchId }) => batchId === batch.batchId);
      if (request !== undefined) return request;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    ...gate,
    close,
    journal,
    workspace,
    dataDir,
    events,
    faults,
    get config() {
      return state.config;
    },
    set config(config) {
      state.config = config;
    },
    submit,
    run: (...calls) => submit(calls).settled,
    sheets,
    sheet,
    read: clock.read,
    decide: async (batch, decision, more = {}) => {
      const request = await sheet(batch);
      clock.read();
      const answer = await gate.desk.decide(answerTo(request, 'approve-all', { decision, ...more }));
      if (!answer.ok) throw new Error(answer.message);
    },
  };
}

/** A question that never comes is a failure, and no hang. */
const LONGEST_WAIT_MS = 20_000;

export const codes = (calls: readonly SettledCall[]): ReadonlyArray<string | null> =>
  calls.map(({ failure }) => failure?.code ?? null);
export const states = (calls: readonly SettledCall[]): readonly string[] => calls.map(({ summary }) => summary.state);
