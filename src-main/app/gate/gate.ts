import type { WithdrawnCalls } from '#contract/window/approvals.js';
import { totalmem } from 'node:os';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { RecoveryReport } from '#contract/window/recovery.js';
import { PersonDesk } from '../../gate/approval/approval-desk.js';
import type { Asker } from '../../domain/call/asker.js';
import { mayUseFolder } from '../../domain/policy/client-rules.js';
import { listOfferedTools } from '../../domain/policy/offered-tools.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import type { CommandAnalyzer } from '../../domain/ports/gate/command-analyzer.js';
import type { RuleStore, RunnerScriptStore } from '../../domain/ports/gate/standing-rules.js';
import type { CallHooks } from '../../domain/ports/gate/hooks.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Journal } from '../../domain/ports/journal.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { GitIgnored, GivenTextLog, ReadFileContent } from '../../domain/ports/given-text-log.js';
import type { CommandRunner, ConfinementState } from '../../domain/ports/command-runner.js';
import type { WorkspaceTransactions } from '../../domain/ports/workspace/transaction.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { Listeners } from '../../platform/listeners.js';
import { Orchestrator } from '../../gate/executor/orchestrator.js';
import { ReadLogs } from '../../gate/executor/given/read-logs.js';
import { listForeignFiles } from '../../gate/executor/given/given-text.js';
import type { ChangedSince } from '../../gate/recovery/interrupted-calls.js';
import { Recovery, type RecoveryParts } from '../../gate/recovery/recovery.js';
import { BoundedQueue } from '../../gate/queue/bounded-queue.js';
import { QueuePools } from '../../gate/queue/queue-pools.js';
import { CallPlanner } from '../../gate/planner/planner.js';
import { PersonsRules } from '../../gate/planner/standing-rules.js';
import type { SituationOf } from '../../gate/executor/batch/batches.js';
import type { JailOptions } from '../../workspace/sandbox/path-jail.js';
import { applyOwnSettings } from '../state/own-settings.js';
import { Folders, type Roots } from '../state/folders/folders.js';
import type { ToolRegistry } from '../../tools/registry/registry.js';

export interface GateParts {
  readonly redactor: Redactor;
  readonly journal: Journal;
  readonly transactions: WorkspaceTransactions;
  readonly commands: CommandRunner;
  readonly analyzer: CommandAnalyzer;
  readonly confirmations: RuleStore;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly random: () => number;
  /** The configuration in force in a folder, and (with none) for the whole app. */
  readonly config: (folder?: string) => Config;
  /** The queue limits for calls of the domain's tools; null without a package. */
  readonly domainQueue: (toolId?: string) => Config['tools']['queue'] | null;
  /** The person's own roots where a folder's settings narrow them, and the app's own folder. */
  readonly bounds: (folder: string) => JailOptions;
  /** The folders that tools may touch now, and those that were asked for and are not granted, by open folder. */
  readonly onRoots: (roots: ReadonlyMap<string, Roots>) => void;
  /** A call begins that may change files; gives what to call when it is over. */
  readonly acting: () => () => void;
  /** The confinement that this machine offers, as last probed; `confinementTried` resolves when it was. */
  readonly confinement: () => ConfinementState;
  readonly confinementTried: () => Promise<void>;
  readonly runnerTexts: RunnerScriptStore;
  /** The texts that models were given. */
  readonly texts: GivenTextLog;
  readonly git: GitIgnored;
  readonly contents: ReadFileContent;
  readonly changedSince: (workspace: string, since: number) => Promise<Omit<ChangedSince, 'foreign'>>;
  readonly partialOutput: RecoveryParts['partialOutput'];
  readonly onCrashTrouble: RecoveryParts['onTrouble'];
  /** How the names of agents stand. */
  readonly statusOf: Agents['getStatus'];
  /** How the person wants to be asked in a conversation; null as everywhere. */
  readonly askingOf: (conversation: string) => AskingPreset | null;
  /** Set where nobody sees a window: calls that would ask are denied at once. */
  readonly unattended: boolean;
  /** The title of a conversation. */
  readonly titleOf: (conversation: string) => string | null;
  /** Whether the person paused the agent with this key. */
  readonly isPaused: (pausedAs: string) => boolean;
  /** The person's programs around calls. */
  readonly hooks: CallHooks;
  readonly publish: (event: AppEventBody) => void;
  readonly onFault: (error: unknown) => void;
}

/** The gate, joined: what the app, the tests and the benchmarks all run. It needs no window. */
export interface ComposedGate {
  readonly gate: Gate;
  readonly orchestrator: Orchestrator;
  readonly planner: CallPlanner;
  readonly rules: PersonsRules;
  readonly desk: PersonDesk;
  readonly recovery: Recovery;
  /** The situation in force in a folder for an asker; for nobody in particular where that is left out. */
  readonly situation: (folder: string, asker?: Asker) => PlanningSituation;
  /** Opens a folder by its real path. Throws, with words for a person, where no root of it is a folder. */
  readonly openFolder: (folder: string) => Promise<void>;
  /** Closes a folder: calls that wait or run there are ended, and nothing more happens there. */
  readonly closeFolder: (folder: string) => void;
  /** Lets calls that were requested while no folder was open go on without one. */
  readonly openNoFolder: () => Promise<void>;
  /** While the person acts themselves in a folder that may be closed. */
  readonly during: Folders['during'];
  /** The configuration changed: the jails are built anew; what runs keeps the one it began with. */
  readonly configChanged: () => Promise<void>;
  /** Reviews the queue: agents were paused or resumed, or the domain's policies changed. */
  readonly queueChanged: () => void;
  readonly close: () => Promise<void>;
}

export function composeGate(parts: GateParts): ComposedGate {
  const advertisedListeners = new Listeners();
  const { config, bounds, onRoots, isPaused, statusOf } = parts;
  const folders = new Folders({ config, bounds, onRoots });
  const situation: SituationOf = (folder, asker) => applyOwnSettings(asker, folders.situation(folder, asker), parts);
  const { rules, planner } = openPlanning(parts, (asker) =>
    folders.open.filter((each) => mayUseFolder(config(), asker, each)),
  );
  const desk = new PersonDesk({
    planner,
    rules,
    clock: parts.clock,
    confinement: parts.confinement,
    statusOf,
    isPaused: (asker) => isPaused(buildPauseKey(asker) ?? ''),
    unattended: parts.unattended,
    situation: (batchId) => orchestrator.situationOf(batchId),
    whenPlanned: (batchId) => orchestrator.whenPlanned(batchId),
    onWithdrawn: (what) => parts.publish(takenBack(what, parts.titleOf)),
    publish: (approval) => parts.publish({ type: 'approval', approval }),
    gone: (batchId) => parts.publish({ type: 'approval-gone', batchId }),
  });
  const readLogs = new ReadLogs(parts.clock);
  const queue = poolsOf(parts);
  const orchestrator = new Orchestrator({
    journal: parts.journal,
    redactor: parts.redactor,
    planner,
    queue,
    desk,
    tools: parts.registry,
    transactions: parts.transactions,
    commands: parts.commands,
    readLogs,
    clock: parts.clock,
    random: parts.random,
    situation,
    texts: parts.texts,
    git: parts.git,
    contents: parts.contents,
    hooks: parts.hooks,
    settled: () => folders.settled,
    acting: parts.acting,
    onOutput: (callId, stream, text) => parts.publish({ type: 'output', callId, pieces: [{ stream, text }] }),
    onWaitingForInput: (callId, waiting) => parts.publish({ type: 'waiting-for-input', callId, waiting }),
    onFault: parts.onFault,
  });
  desk.listen(orchestrator);
  const recovery = recoveryOf(parts, orchestrator);
  parts.registry.onChange(() => {
    advertisedListeners.tell();
  });

  return {
    gate: {
      submit: (request) => orchestrator.submit(request),
      giveResult: (asker, folder, callId) => orchestrator.give(asker, folder, callId),
      listAdvertised: (folder, used = NOTHING_USED) =>
        listOfferedTools(parts.registry, folders.situation(folder).config, used).listed,
      findActiveCall: (callId) => orchestrator.underWay(callId),
      onAdvertisedChange: (listener) => advertisedListeners.add(listener),
    },
    orchestrator,
    planner,
    rules,
    desk,
    recovery,
    situation: (folder, asker) => (asker === undefined ? folders.situation(folder) : situation(folder, asker)),
    openFolder: async (folder) => {
      await folders.enter(folder);
      await recovery.folderOpened(folder, situation);
    },
    openNoFolder: () => recovery.folderOpened('', situation),
    closeFolder: (folder) => {
      folders.leave(folder);
      recovery.folderClosed(folder);
      orchestrator.stopFolder(folder);
    },
    during: (folder, work) => folders.during(folder, work),
    configChanged: async () => {
      await folders.rebuild();
      await desk.refresh();
      queue.review();
      advertisedListeners.tell();
    },
    queueChanged: () => queue.review(),
    close: async () => {
      await orchestrator.close();
      desk.dispose();
    },
  };
}

function recoveryOf(parts: GateParts, orchestrator: Orchestrator): Recovery {
  return new Recovery({
    journal: parts.journal,
    orchestrator,
    changedSince: async (workspace, since) => {
      const found = await parts.changedSince(workspace, since);
      // Whether its caller had read text of others by then, or it had fetched some, is not known: the worst that it can be.
      return {
        ...found,
        foreign: await listForeignFiles(workspace, found, { ...parts, isAll: true }),
      };
    },
    onTrouble: parts.onCrashTrouble,
    unattended: parts.unattended,
    partialOutput: parts.partialOutput,
    publish: (report: RecoveryReport | null) => parts.publish({ type: 'recovery', recovery: report }),
  });
}

/** Places for the app's own calls, and for those of the domain's tools. */
function poolsOf(parts: GateParts): QueuePools {
  const shared = {
    isPaused: parts.isPaused,
    starvationMs: () => parts.config().invoke.starvation_seconds * 1000,
    now: () => parts.clock.monotonic(),
    memoryBytes: totalmem(),
  };
  return new QueuePools({
    app: new BoundedQueue({ ...shared, limits: (folder) => parts.config(folder).tools.queue }),
    domain: new BoundedQueue({
      ...shared,
      // The domain's policies bound no agent by itself.
      sharesRoom: true,
      limits: (_folder, toolId) => parts.domainQueue(toolId) ?? parts.config().tools.queue,
    }),
  });
}

/** Builds the planner, which judges calls before anybody is asked, and the person's rules that it judges by. */
function openPlanning(
  parts: GateParts,
  openTo: (asker: Asker) => readonly string[],
): { readonly rules: PersonsRules; readonly planner: CallPlanner } {
  const rules = new PersonsRules({
    analyzer: parts.analyzer,
    confirmations: parts.confirmations,
    clock: parts.clock,
    confinement: parts.confinement,
    confinementTried: parts.confinementTried,
    texts: parts.runnerTexts,
    statusOf: parts.statusOf,
  });
  const planner = new CallPlanner({
    tools: parts.registry,
    rules,
    confinement: parts.confinement,
    confinementTried: parts.confinementTried,
    redactor: parts.redactor,
    statusOf: parts.statusOf,
    keeping: parts.transactions,
    openTo,
    texts: parts.texts,
    clock: parts.clock,
  });
  return { rules, planner };
}

const NOTHING_USED: ReadonlySet<string> = new Set();
/** A conversation is told by its title. */
const takenBack = (what: Omit<WithdrawnCalls, 'conversation'>, titleOf: GateParts['titleOf']): AppEventBody => ({
  type: 'taken-back',
  what: { ...what, conversation: what.door === 'conversation' ? titleOf(what.session) : null },
});
