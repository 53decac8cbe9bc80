import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { AppEventBody } from '#contract/window/app-events.js';
import { composeConversations, type Conversations } from '../../app/conversations/conversations.js';
import { composeGate, type ComposedGate } from '../../app/gate/gate.js';
import type { CommandRunner } from '../../domain/ports/command-runner.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Model } from '../../domain/ports/conversation/model.js';
import type { Journal } from '../../domain/ports/journal.js';
import { readingThatSays } from '../../domain/commands/reading/reading.test-support.js';
import { endBrokenAnswers } from '../../gate/recovery/end-broken-answers.js';
import { filesAlone } from '../../gate/recovery/recovery.test-support.js';
import type { Tool } from '../../domain/tool/tool.js';
import { openJournal } from '../../journal/opening/open-journal.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';
import { systemClock } from '../../platform/clock.js';
import { createSealer } from '../../keys/sealing.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { listDirectoryTool } from '../../tools/builtin/list-directory/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { testSealing } from '../../workspace/images/sealing.test-support.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../workspace/transaction/workspace-transactions.js';
import { CONFINES } from '../gate/confinement.test-support.js';
import { defaultConfig } from '../gate/default-config.test-support.js';
import { readingClock } from '../gate/reading-clock.test-support.js';
import { followSheets } from '../gate/answers.test-support.js';
import { plainParts } from '../gate/gate-parts.test-support.js';

export interface ConversationGateOptions {
  readonly dataDir: string;
  readonly workspace: string;
  readonly model: Model;
  readonly provider?: string;
  readonly config?: () => Config;
  /** Called at every place where a crash can strike. */
  readonly place?: () => void;
  /** The tool `note` ran: it must never do so twice for a call. Ends when its call ends. */
  readonly ran?: (callId: string, text: string, signal: AbortSignal) => void | Promise<void>;
  readonly publish?: (event: AppEventBody) => void;
  /** Where commands are to run as well: what runs them, and the tool that asks for it. */
  readonly commands?: { readonly runner: CommandRunner; readonly tool: Tool<unknown> };
}

export interface ConversationGate extends ComposedGate, Conversations {
  readonly journal: SqliteJournal;
  readonly record: ConversationRecord;
  readonly events: readonly AppEventBody[];
  /** The sheets that the window shows. */
  readonly sheets: () => readonly ApprovalRequest[];
  /** Half a second goes by: what is drawn may be approved. */
  readonly read: () => void;
  readonly idle: (id: string) => Promise<void>;
}

/** `note` changes something and is never asked about; `write_file` is asked about. */
export const conversationConfig = (tools: Parameters<typeof defaultConfig>[0] = {}): Config =>
  defaultConfig({
    ...tools,
    approval: { allowlist: ['read_file', 'list_directory', 'note'] },
  });

/** Conversations joined with the real gate, its real file tools and a real journal. */
export async function openConversationGate(options: ConversationGateOptions): Promise<ConversationGate> {
  const { dataDir, workspace, model, place = () => undefined, ran = () => undefined } = options;
  const usual = conversationConfig();
  const config = options.config ?? (() => usual);
  const events: AppEventBody[] = [];
  const { hear, sheets } = followSheets();
  const waiting = new Set<() => void>();
  const publish = (event: AppEventBody): void => {
    events.push(event);
    hear(event);
    options.publish?.(event);
    for (const look of waiting) look();
  };
  const fail = (error: unknown): never => {
    throw error;
  };
  const clock = readingClock();
  const redactor = openTestRedactor();
  const journal = openJournal({
    dataDir,
    sealer: createSealer(null),
    clock: systemClock,
    signer: { available: false, sign: () => new Uint8Array(), verify: () => false },
    onSideError: fail,
  });
  const record = journal.conversations(redactor);
  journal.onCommit((_events, calls) => calls.forEach((call) => publish({ type: 'call', call })));
  const registry = new ToolRegistry();
  registry.register(readFileTool);
  registry.register(listDirectoryTool);
  registry.register(writeFileTool);
  registry.register(applyPatchTool);
  if (options.commands !== undefined) registry.register(options.commands.tool);
  const execute: Parameters<typeof noteTool>[1] = {
    execute: async ({ text }, context) => {
      await ran(context.callId, text, context.signal);
      place();
      return noteOutput(`noted ${text}`);
    },
  };
  registry.register(noteTool({ name: 'note', sideEffecting: true, requiredCapabilities: ['process.run'] }, execute));
  const transactions = createWorkspaceTransactions(
    createTransactionDeps({
      sealing: testSealing(null),
      dataDir,
      clock: systemClock,
      imageQuotaBytes: () => 2 ** 30,
      onProblem: fail,
      onStep: place,
    }),
  );
  const watched = breaking(journal, place);
  const gate = composeGate({
    ...plainParts(),
    journal: watched,
    transactions,
    redactor,
    commands: options.commands?.runner ?? {
      prepare: () => undefined,
      run: () => Promise.reject(new Error('no commands here')),
      confinement: async () => ({ available: false, problem: null }),
    },
    analyzer: { analyze: async () => readingThatSays({}) },
    confirmations: { session: [], remember: async () => undefined },
    registry,
    clock,
    random: () => 0,
    config,
    confinement: () => CONFINES,
    confinementTried: () => Promise.resolve(),
    runnerTexts: { find: () => null, keep: () => undefined },
    texts: journal.given,
    changedSince: async () => ({ changed: [], createdFolders: [], complete: true }),
    partialOutput: async () => null,
    onCrashTrouble: (_what, error) => fail(error),
    askingOf: (id) => record.get(id)?.asking ?? null,
    publish,
    onFault: fail,
  });
  const conversations = composeConversations({
    record,
    gate,
    journal,
    clock,
    models: {
      of: () => ({ model, name: 'scripted', provider: options.provider ?? 'anthropic', settings: config().model }),
    },
    instructions: () => Promise.resolve([]),
    config,
    publish,
    onTrouble: fail,
  });
  await gate.recovery.begin({
    ...filesAlone(transactions),
    answers: ({ found }) => endBrokenAnswers(record.leftByCrash(), { journal: watched, redactor }, found),
  });
  conversations.begin();
  await gate.openFolder(workspace);
  let closed = false;
  return {
    ...gate,
    ...conversations,
    journal,
    record,
    events,
    sheets,
    read: clock.read,
    idle: (id) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!conversations.loops.of(id).isIdle) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      if (closed) return;
      closed = true;
      await Promise.all([conversations.loops.close(), gate.close()]);
      journal.close();
    },
  };
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
