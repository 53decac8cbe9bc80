import { totalmem } from 'node:os';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { RecoveryReport } from '#contract/window/recovery.js';
import { PersonDesk } from '../gate/approval/approval-desk.js';
import { askerAt } from '../domain/call/asker.js';
import { isOffered } from '../domain/policy/authorize.js';
import { definedTool, seenOf } from '../domain/policy/door-tools.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { AdvertisedTool, Gate } from '../domain/ports/gate/gate.js';
import type { CommandAnalyzer } from '../domain/ports/gate/command-analyzer.js';
import type { ConfirmationBook, RunnerTexts } from '../domain/ports/gate/standing-rules.js';
import type { PlanningSituation } from '../domain/ports/gate/planner.js';
import type { Journal } from '../domain/ports/journal.js';
import type { Clock } from '../domain/ports/clock.js';
import type { CommandRunner, ConfinementState } from '../domain/ports/command-runner.js';
import type { WorkspaceTransactions } from '../domain/ports/transaction.js';
import type { Redactor } from '../domain/ports/redactor.js';
import { Listeners } from '../platform/listeners.js';
import { Orchestrator } from '../gate/executor/orchestrator.js';
import { ReadLogs } from '../gate/executor/read-logs.js';
import { Recovery, type RecoveryParts } from '../gate/recovery/recovery.js';
import { Places } from '../gate/queue/places.js';
import { CallPlanner } from '../gate/planner/planner.js';
import { PersonsRules } from '../gate/planner/standing-rules.js';
import type { JailBounds, PathJail } from '../workspace/sandbox/path-jail.js';
import { Jails, NO_WORKSPACE, noSandbox } from './state/jails.js';
import type { ToolRegistry } from '../tools/registry/registry.js';

export interface GateParts {
  readonly redactor: Redactor;
  readonly journal: Journal;
  readonly transactions: WorkspaceTransactions;
  readonly commands: CommandRunner;
  readonly analyzer: CommandAnalyzer;
  readonly confirmations: ConfirmationBook;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly random: () => number;
  readonly config: () => Config;
  /** The person's own roots where a folder's settings narrow them, and the app's own folder. */
  readonly bounds?: () => JailBounds;
  /** The folders that tools may touch now, and those that were asked for and are not granted. */
  readonly onRoots?: (jail: Pick<PathJail, 'roots' | 'refusedRoots'>, workspace: string) => void;
  /** A call begins that may change files; gives what to call when it is over. */
  readonly acting?: () => () => void;
  /** What this machine offers, as it was last found out, and when that was tried. */
  readonly confinement: () => ConfinementState;
  readonly confinementTried: Promise<void>;
  readonly runnerTexts: RunnerTexts;
  readonly changedSince: RecoveryParts['changedSince'];
  readonly partialOutput: RecoveryParts['partialOutput'];
  readonly onCrashTrouble: RecoveryParts['onTrouble'];
  /** Whose token the person revoked. */
  readonly isRevoked?: (agent: string) => boolean;
  readonly publish: (event: AppEventBody) => void;
  readonly onFault: (error: unknown) => void;
}

/** The gate, joined: what the app, the tests and the benchmarks all run. It needs no window. */
export interface ComposedGate {
  readonly gate: Gate;
  readonly orchestrator: Orchestrator;
  readonly planner: CallPlanner;
  readonly desk: PersonDesk;
  readonly recovery: Recovery;
  readonly readLogs: ReadLogs;
  readonly situation: () => PlanningSituation;
  /** Canonical path. Throws, with words for a person, where no root of it is a folder. */
  readonly openWorkspace: (path: string) => Promise<void>;
  /** The configuration changed: the jail is built anew; what runs keeps the one it began with. */
  readonly configChanged: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function composeGate(parts: GateParts): ComposedGate {
  const advertisedListeners = new Listeners();
  let situation: PlanningSituation = { config: parts.config(), sandbox: noSandbox(NO_WORKSPACE), workspace: '' };
  const jails = new Jails({
    config: parts.config,
    bounds: parts.bounds ?? (() => ({})),
    now: () => situation,
    change: (next) => void (situation = next),
    onRoots: parts.onRoots ?? (() => undefined),
  });

  const { rules, planner } = openPlanning(parts);
  const desk = new PersonDesk({
    planner,
    rules,
    clock: parts.clock,
    confinement: parts.confinement,
    situation: (batchId) => orchestrator.situationOf(batchId),
    publish: (approval) => parts.publish({ type: 'approval', approval }),
    gone: (batchId) => parts.publish({ type: 'approval-gone', batchId }),
  });
  const readLogs = new ReadLogs(parts.clock);
  const queue = new Places({ limits: () => parts.config().tools.queue, memoryBytes: totalmem() });
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
    situation: () => situation,
    settled: () => jails.settled,
    acting: parts.acting ?? (() => () => undefined),
    onOutput: (callId, stream, text) => parts.publish({ type: 'output', callId, stream, text }),
    onWaitingForInput: (callId, waiting) => parts.publish({ type: 'waiting-for-input', callId, waiting }),
    onFault: parts.onFault,
  });
  desk.listen(orchestrator);
  const recovery = new Recovery({
    journal: parts.journal,
    tools: parts.registry,
    orchestrator,
    changedSince: parts.changedSince,
    onTrouble: parts.onCrashTrouble,
    partialOutput: parts.partialOutput,
    publish: (report: RecoveryReport | null) => parts.publish({ type: 'recovery', recovery: report }),
  });
  parts.registry.onChange(() => {
    advertisedListeners.tell();
  });

  return {
    gate: {
      submit: (request) => orchestrator.submit(request),
      advertised: () => advertised(parts.registry, situation.config),
      onAdvertisedChange: (listener) => {
        return advertisedListeners.add(listener);
      },
    },
    orchestrator,
    planner,
    desk,
    recovery,
    readLogs,
    situation: () => situation,
    openWorkspace: async (path) => {
      await jails.open(path);
      await recovery.workspaceOpened(situation);
    },
    configChanged: async () => {
      await jails.rebuild();
      await desk.refresh();
      queue.review();
      advertisedListeners.tell();
    },
    close: async () => {
      await orchestrator.close();
      desk.dispose();
    },
  };
}

/** What is made of a call before anybody is asked: by whose rules, and with what it would get. */
function openPlanning(parts: GateParts): { readonly rules: PersonsRules; readonly planner: CallPlanner } {
  const rules = new PersonsRules({
    analyzer: parts.analyzer,
    confirmations: parts.confirmations,
    clock: parts.clock,
    confinement: parts.confinement,
    confinementTried: parts.confinementTried,
    texts: parts.runnerTexts,
  });
  const planner = new CallPlanner({
    tools: parts.registry,
    rules,
    confinement: parts.confinement,
    confinementTried: parts.confinementTried,
    redactor: parts.redactor,
    isRevoked: parts.isRevoked ?? (() => false),
  });
  return { rules, planner };
}

/** FR-REG-03a: the registry when enabled, the person's own definitions too in parse-only mode, nothing when disabled. */
function advertised(registry: ToolRegistry, config: Config): readonly AdvertisedTool[] {
  const anybody = askerAt('mcp', '');
  const rules = { config, place: 'open', revoked: false, confirmation: null, approved: false } as const;
  const registered = registry.definitions();
  const { mode, definitions } = config.tools;
  const own =
    mode === 'parse_only' ? [...registry.defined(definitions).byName.values()].map((tool) => tool.advertised) : [];
  const offered = [...registered, ...own].filter(({ name }) => {
    const found = registry.lookup(name);
    const tool = found === null ? null : seenOf(found);
    return isOffered(anybody, { seen: 'name', name, tool, defined: definedTool(registry, name, config) }, rules);
  });
  return offered.sort((one, other) => (one.name < other.name ? -1 : 1));
}
