import type { Handlers } from '../window/border/border.js';
import { AddressResolutions } from '../platform/data-folder/address-resolutions.js';
import type { MenuActions } from '../window/menu.js';
import { agentChannels, openAgents } from './doors/agents.js';
import { changeChannels } from './changes.js';
import { clientChannels, openClients } from './doors/clients.js';
import { openCommands } from './commands.js';
import { openConversations } from './conversations/in-window.js';
import { openDemo } from './demo/demo.js';
import { doorChannels, openDoors } from './doors/doors-in-window.js';
import { openHooks } from './hooks.js';
import { type Front, frontChannels, openFront } from './front.js';
import { gateChannels, openGate } from './gate/gate-in-window.js';
import { ownActChannels } from './gate/own-acts.js';
import { openingChannels } from './opening.js';
import { pauseChannels } from './doors/pausing.js';
import { openModels } from './conversations/models.js';
import { openRecord, recordChannels } from './record.js';
import { openRules, ruleChannels } from './rules/rule-channels.js';
import { openSettings } from './settings.js';
import type { Shell } from './shell.js';
import { instructionChannels, openInstructions } from './trust/instructions.js';
import { givenChannels, showGiven } from './trust/given.js';
import { openDomain } from './domain/domain.js';
import { openSources } from './sources/sources.js';
import type { AppStream } from './state/app-stream.js';
import type { Workspaces } from './state/folders/workspaces.js';
import { openTools, toolChannels } from './tools.js';
import { openTray } from './tray.js';
import { chooseWorkspace, notOpened, openWorkspaces, workspaceChannels } from './workspaces.js';

/** The parts of the app that index.ts needs. */
export interface App {
  readonly handlers: Handlers;
  readonly stream: AppStream;
  /** A second start handed its workspace over. */
  readonly handOver: (workspace: string | null) => void;
  readonly menu: MenuActions;
  /** Plays the demo, decided by script; gives the exit code. */
  readonly playDemo: (print: (line: string) => void) => Promise<0 | 1>;
  /** False keeps the window open, and asks. */
  readonly mayClose: () => boolean;
  /** The window may go without the app. */
  readonly staysInTray: () => Promise<boolean>;
  readonly showFault: (title: string, text: string, details: string) => void;
  /** Ends what runs and closes what is open. */
  readonly stop: () => Promise<void>;
}

/** The one place where the wings are joined, in the order in which they need each other. */
export async function compose(shell: Shell): Promise<App> {
  const { config } = shell;
  const front = openFront(shell);
  const settings = openSettings(shell, front);
  const models = openModels(shell);
  const record = openRecord(shell, front);
  const commands = openCommands(shell, front, record);
  const tools = openTools(shell, front, record, commands);
  const agents = openAgents(shell, front, record);
  const rules = openRules(shell, front);
  const shownFolder = (): string | null => workspaces.current;
  const led = ledAddresses(shell);
  const sources = openSources(shell, { front, record, commands, tools, rules, shownFolder, settings, models, led });
  const { workers: runner, written } = commands;
  const domain = openDomain(shell, { front, tools, rules, sources, keys: settings.keys, runner, written, led });
  const { hooks, codeDigests, channels: hookChannels } = openHooks(shell, record, commands);
  const gate = openGate(shell, front, { record, commands, tools, agents, rules, domain, hooks });
  showGiven(record.journal, front, gate);
  const instructions = openInstructions(shell, gate);
  const conversations = openConversations(shell, front, { record, gate, instructions, models, sources });
  const workspaces = openWorkspaces(shell, front, gate, conversations.loops);
  const doors = openDoors(shell, front, { record, commands, agents, gate, workspaces, sources, domain, tools });
  const clients = openClients(shell, front, { register: agents.register, rules }, doors.tests);
  const putOut = (agent: string): void => {
    doors.doors.disconnectAgent(agent);
    gate.orchestrator.stopAgent(agent);
  };

  // What stands on a sheet is what is in force, whose rule could be made of it too.
  agents.register.onChange(() => void gate.desk.refresh());
  // Before anything is started from one.
  commands.codeCopies.forgetAllBut(new Set([...sources.codeDigests(), ...codeDigests()]));
  // Before anything else can happen: what a crash left is put right, and told.
  await gate.recovery.begin({ ...record.clearings, ...commands.clearings, ...doors.clearings });
  conversations.begin();
  // What waits is judged by the tools that are there: the domain’s are, before anything is asked again or queued.
  await domain.load(gate.queueChanged);
  await gate.openNoFolder();
  await workspaces.begin(shell.workspace);
  doors.open();
  sources.begin();
  domain.begin();
  tools.watchEntries(sources.unknown);
  settings.onSecrets(domain.secretsChanged);
  settings.onKeyGiven(domain.secretsChanged);
  void config.startWatching();
  record.startUpkeep();
  const tray = openTray(shell, front);
  const ownActs = ownActChannels(gate, record);
  const { redactor } = shell;
  const rulesNeed = { front, record, tools, redactor, agents: agents.register, folder: () => workspaces.current };
  const demo = openDemo(shell, front, { record, gate, workspaces, conversations, undo: ownActs['undo.apply'] });

  return {
    stream: front.stream,
    playDemo: demo.playToItsEnd,
    handlers: {
      ...frontChannels(shell, front),
      ...workspaceChannels(shell, workspaces, commands),
      ...gateChannels(gate),
      ...givenChannels(record.journal, (id, callIds) => record.conversations.fold(id, callIds)),
      ...instructionChannels(instructions),
      ...ownActs,
      ...changeChannels(gate, record),
      ...openingChannels(gate, workspaces),
      ...pauseChannels(agents, gate, front),
      ...ruleChannels(gate, rules, { ...rulesNeed, confinement: () => commands.runner.confinementNow() }),
      ...recordChannels(shell, record),
      ...toolChannels(shell, tools),
      ...sources.channels(gate),
      ...domain.channels,
      ...settings.channels,
      ...hookChannels,
      ...models.channels,
      ...agentChannels(shell, agents, record, { putOut, rules, knownFolders: () => workspaces.known }),
      ...doorChannels(doors),
      ...clientChannels(clients),
      ...conversations.handlers,
      ...demo.handlers,
    },
    handOver: (workspace) => void workspaces.handOver(workspace),
    menu: menuOf(shell, front, workspaces),
    mayClose: () => workspaces.mayClose(),
    staysInTray: tray.staysInTray,
    showFault: faultsOf(front),
    stop: async () => {
      tray.close();
      demo.close();
      workspaces.end();
      await doors.close();
      await Promise.all([conversations.loops.close(), gate.close()]);
      await Promise.all([sources.close(), domain.close()]);
      await commands.close();
      models.close();
      tools.search.close();
      await config.close();
      await record.close();
    },
  };
}

const ledAddresses = ({ paths, logger }: Shell): AddressResolutions =>
  new AddressResolutions(paths.ledAddresses, (error) =>
    logger.error('Where an address leads could not be kept', { error }),
  );

const menuOf = (shell: Shell, front: Front, workspaces: Workspaces): MenuActions => ({
  openWorkspace: () =>
    void chooseWorkspace(shell, workspaces).then((refused) => refused !== null && notOpened(front, refused)),
  showPlace: front.showPlace,
  showLogs: front.showLogs,
  reloadWindow: () => shell.window.reload(),
});

const faultsOf =
  (front: Front): App['showFault'] =>
  (title, text, details) =>
    front.notices.show({ id: 'fault', severity: 'error', title, text, details, dismissible: true });
