import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { SqliteConversations } from '../../journal/conversations/sqlite-conversations.js';
import { endBrokenAnswers } from '../../gate/recovery/end-broken-answers.js';
import type { CrashContext, CrashCleanups } from '../../gate/recovery/crash-leftovers.js';
import { filesAlone } from '../../gate/recovery/recovery.test-support.js';
import { testSealing } from '../../workspace/images/sealing.test-support.js';
import { createSealer } from '../../keys/sealing.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { Config } from '#contract/vocabulary/config.js';
import { composeGate, type ComposedGate, type GateParts } from '../../app/gate/gate.js';
import type { Journal } from '../../domain/ports/journal.js';
import { readingThatSays } from '../../domain/commands/reading/reading.test-support.js';
import { openJournal } from '../../journal/opening/open-journal.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';
import { systemClock } from '../../platform/clock.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../workspace/transaction/workspace-transactions.js';
import { defaultConfig } from './default-config.test-support.js';
import { elsewhereTool, sent } from './elsewhere-tool.test-support.js';
import { CONFINES } from './confinement.test-support.js';
import { readingClock } from './reading-clock.test-support.js';
import { followSheets } from './answers.test-support.js';
import { plainParts } from './gate-parts.test-support.js';

export interface CrashGateOptions {
  readonly dataDir: string;
  readonly workspace: string;
  /** Called at every place where a crash can strike. */
  readonly place: () => void;
  /** Called when a tool's effect outside the workspace happens: it must never happen twice for a call. */
  readonly ran: (callId: string) => void;
  /** The data folder's key, where there is a key store. */
  readonly sealingKey?: Uint8Array;
  readonly publish?: (event: AppEventBody) => void;
  /** As without a window. */
  readonly unattended?: boolean;
  readonly config?: Config;
  /** What else can be called. */
  readonly register?: (registry: ToolRegistry) => Promise<void>;
  readonly changedSince?: GateParts['changedSince'];
  /** Called by every wing as it puts right what is its own. */
  readonly clearing?: (name: string, gate: ComposedGate, crash: CrashContext) => void;
}

export interface CrashGate extends ComposedGate {
  readonly journal: SqliteJournal;
  readonly conversations: SqliteConversations;
  /** The sheets that the window shows. */
  readonly sheets: () => readonly ApprovalRequest[];
  /** Half a second goes by: what is drawn may be approved. */
  readonly read: () => void;
}

/** The real gate with its real file tools; it asks for everything that changes something, and runs nothing of itself. */
export async function openCrashGate({
  dataDir,
  workspace,
  place,
  ran,
  sealingKey,
  publish = () => undefined,
  clearing,
  changedSince = async () => ({ changed: [], createdFolders: [], complete: true }),
  unattended = false,
  register = async () => undefined,
  config = defaultConfig(),
}: CrashGateOptions): Promise<CrashGate> {
  const { hear, sheets } = followSheets();
  const clock = readingClock();
  const journal = openJournal({
    dataDir,
    sealer: createSealer(sealingKey ?? null),
    clock: systemClock,
    signer: { available: false, sign: () => new Uint8Array(), verify: () => false },
    onSideError: (error) => {
      throw error;
    },
  });
  const redactor = openTestRedactor();
  const conversations = journal.conversations(redactor);
  const registry = new ToolRegistry();
  registry.register(readFileTool);
  await register(registry);
  registry.register(writeFileTool);
  registry.register(applyPatchTool);
  registry.register(
    noteTool(
      { name: 'note', sideEffecting: true, requiredCapabilities: ['process.run'] },
      {
        execute: async ({ text }, context) => {
          ran(context.callId);
          place();
          return noteOutput(text);
        },
      },
    ),
  );
  registry.register(
    elsewhereTool(async ({ text }, context) => {
      ran(context.callId);
      place();
      return sent(text);
    }),
  );
  const transactions = createWorkspaceTransactions(
    createTransactionDeps({
      sealing: testSealing(sealingKey),
      dataDir,
      clock: systemClock,
      imageQuotaBytes: () => 2 ** 30,
      onProblem: () => undefined,
      onStep: place,
    }),
  );
  const gate = composeGate({
    ...plainParts(),
    journal: breaking(journal, place),
    transactions,
    redactor,
    commands: {
      prepare: () => undefined,
      run: () => Promise.reject(new Error('no commands here')),
      confinement: async () => ({ available: false, problem: null }),
    },
    analyzer: { analyze: async () => readingThatSays({}) },
    confirmations: { session: [], remember: async () => undefined },
    registry,
    clock,
    random: () => 0,
    config: () => config,
    confinement: () => CONFINES,
    confinementTried: () => Promise.resolve(),
    runnerTexts: { find: () => null, keep: () => undefined },
    changedSince,
    partialOutput: async () => null,
    onCrashTrouble: (_what, error) => {
      throw error;
    },
    publish: (event) => {
      hear(event);
      publish(event);
    },
    unattended,
    onFault: (error) => {
      throw error;
    },
  });
  const clearings: CrashCleanups = {
    ...filesAlone(transactions),
    answers: ({ found }) => endBrokenAnswers(conversations.leftByCrash(), { journal, redactor }, found),
  };
  await gate.recovery.begin(watched(clearings, (name, crash) => clearing?.(name, gate, crash)));
  await gate.openFolder(workspace);
  return {
    ...gate,
    journal,
    conversations,
    sheets,
    read: clock.read,
    close: async () => {
      await gate.close();
      journal.close();
    },
  };
}

function watched(clearings: CrashCleanups, see: (name: string, crash: CrashContext) => void): CrashCleanups {
  return Object.fromEntries(
    Object.entries(clearings).map(([name, clear]) => [
      name,
      async (crash: CrashContext) => {
        see(name, crash);
        await clear(crash);
      },
    ]),
  ) as unknown as CrashCleanups;
}

/** A crash can strike right before an append and right after it. */
function breaking(journal: SqliteJournal, place: () => void): Journal {
  return new Proxy<Journal>(journal, {
    get: (target, key) => {
      if (key === 'append') {
        return (events: Parameters<Journal['append']>[0]) => {
          place();
          const committed = target.append(events);
          place();
          return committed;
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
