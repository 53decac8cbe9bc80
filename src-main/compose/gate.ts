import type { AppEventBody } from '../../src-preload/contract/app-events.js';
import type { RecoveryReport } from '../../src-preload/contract/recovery.js';
import { PersonDesk } from '../approval/approval-desk.js';
import { offered } from '../domain/door-tools.js';
import type { Config } from '../domain/config.js';
import type { AdvertisedTool, Gate } from '../domain/gate.js';
import type {
  CommandAnalyzer,
  CommandConfinement,
  CommandsHeld,
  ConfirmationBook,
  RunnerTexts,
  PlanningSituation,
} from '../domain/gate-ports.js';
import { isJsonObject } from '../domain/hostile-json.js';
import type { Journal } from '../domain/journal.js';
import type { Clock, CommandRunner, Sandbox, WorkspaceTransactions } from '../domain/ports.js';
import { ToolFailure } from '../domain/tool.js';
import { Orchestrator } from '../executor/orchestrator.js';
import { ReadLogs } from '../executor/read-logs.js';
import { Recovery, type RecoveryParts } from '../executor/recovery.js';
import { CallPlanner } from '../planner/planner.js';
import { PersonsRules } from '../planner/standing-rules.js';
import { PathJail } from '../sandbox/path-jail.js';
import type { ToolRegistry } from '../tools/registry.js';

export interface GateParts {
  readonly journal: Journal;
  readonly transactions: WorkspaceTransactions;
  readonly commands: CommandRunner;
  readonly analyzer: CommandAnalyzer;
  readonly confirmations: ConfirmationBook;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly random: () => number;
  readonly config: () => Config;
  readonly confinement: () => CommandConfinement;
  readonly confinementTried: Promise<void>;
  readonly held: () => Promise<CommandsHeld>;
  readonly runnerTexts: RunnerTexts;
  readonly reap: RecoveryParts['reap'];
  readonly changedSince: RecoveryParts['changedSince'];
  readonly partialOutput: RecoveryParts['partialOutput'];
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
  const advertisedListeners = new Set<() => void>();
  let situation: PlanningSituation = { config: parts.config(), sandbox: noSandbox, workspace: '' };

  const publishRecovery = (recovery: RecoveryReport | null): void => parts.publish({ type: 'recovery', recovery });
  const rules = new PersonsRules({
    analyzer: parts.analyzer,
    confirmations: parts.confirmations,
    clock: parts.clock,
    held: parts.held,
    texts: parts.runnerTexts,
  });
  const planner = new CallPlanner({
    tools: parts.registry,
    rules,
    confinement: parts.confinement,
    confinementTried: parts.confinementTried,
  });
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
  const orchestrator = new Orchestrator({
    journal: parts.journal,
    planner,
    desk,
    tools: parts.registry,
    transactions: parts.transactions,
    commands: parts.commands,
    readLogs,
    clock: parts.clock,
    random: parts.random,
    situation: () => situation,
    onOutput: (callId, stream, text) => parts.publish({ type: 'output', callId, stream, text }),
    onWaitingForInput: (callId, waiting) => parts.publish({ type: 'waiting-for-input', callId, waiting }),
    onFault: parts.onFault,
  });
  desk.listen(orchestrator);
  const recovery = new Recovery({
    journal: parts.journal,
    tools: parts.registry,
    transactions: parts.transactions,
    orchestrator,
    reap: parts.reap,
    changedSince: parts.changedSince,
    partialOutput: parts.partialOutput,
    publish: publishRecovery,
  });
  parts.registry.onChange(() => {
    for (const listener of advertisedListeners) listener();
  });

  return {
    gate: {
      submit: (request) => orchestrator.submit(request),
      advertised: () => offered(advertised(parts.registry, situation.config), situation.config.tools.approval.denylist),
      onAdvertisedChange: (listener) => {
        advertisedListeners.add(listener);
        return () => advertisedListeners.delete(listener);
      },
    },
    orchestrator,
    planner,
    desk,
    recovery,
    readLogs,
    situation: () => situation,
    openWorkspace: async (path) => {
      const config = parts.config();
      situation = { config, sandbox: await PathJail.create(path, config.tools.sandbox), workspace: path };
      await recovery.workspaceOpened(situation);
    },
    configChanged: async () => {
      const config = parts.config();
      // In force at once, as the sheets say, even where the jail can't be built.
      situation = { ...situation, config };
      const sandbox =
        situation.workspace === '' ? noSandbox : await PathJail.create(situation.workspace, config.tools.sandbox);
      situation = { ...situation, sandbox };
      await desk.refresh();
      for (const listener of advertisedListeners) listener();
    },
    close: async () => {
      await orchestrator.close();
      desk.dispose();
    },
  };
}

/** FR-REG-03a: the registry when enabled, the person's own definitions too in parse-only mode, nothing when disabled. */
function advertised(registry: ToolRegistry, config: Config): readonly AdvertisedTool[] {
  const registered = registry.definitions();
  switch (config.tools.mode) {
    case 'disabled':
      return [];
    case 'enabled':
      return registered;
    case 'parse_only': {
      const names = new Set(registered.map(({ name }) => name));
      const own = config.tools.definitions.filter(({ name }) => !names.has(name)).map(defined);
      return [...registered, ...own].sort((one, other) => (one.name < other.name ? -1 : 1));
    }
  }
}

const defined = ({ name, description, parameters }: Config['tools']['definitions'][number]): AdvertisedTool => ({
  name,
  title: name,
  description,
  inputSchema: isJsonObject(parameters) ? parameters : { type: 'object' },
  outputSchema: null,
  declaration: null,
});

const refuse = (): never => {
  throw new ToolFailure({ code: 'Disabled', message: 'No workspace is open in Gatehouse. Open one, then ask again.' });
};

const noSandbox: Sandbox = {
  workingDirectory: '',
  roots: [],
  validate: async () => refuse(),
  openFile: async () => refuse(),
  openDirectory: async () => refuse(),
  facts: async () => refuse(),
  rootsNow: () => [],
  standing: async () => refuse(),
  isDenied: () => true,
};
