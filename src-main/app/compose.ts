import type { Handlers } from '../window/border/border.js';
import { openExternal } from '../window/external.js';
import type { MenuActions } from '../window/menu.js';
import { agentChannels, openAgents } from './agents.js';
import { openCommands } from './commands.js';
import { doorChannels, openDoors } from './doors-in-window.js';
import { frontChannels, openFront } from './front.js';
import { gateChannels, openGate } from './gate-in-window.js';
import { openRecord, recordChannels } from './record.js';
import { openSettings } from './settings.js';
import type { Shell } from './shell.js';
import type { AppStream } from './state/app-stream.js';
import { openTools, toolChannels } from './tools.js';
import { chooseWorkspace, notOpened, openWorkspaces, workspaceChannels } from './workspaces.js';

/** What index.ts needs of the app. */
export interface App {
  readonly handlers: Handlers;
  readonly stream: AppStream;
  /** A second start handed its workspace over. */
  readonly handOver: (workspace: string | null) => void;
  readonly menu: MenuActions;
  /** False keeps the window open, and asks. */
  readonly mayClose: () => boolean;
  readonly showFault: (title: string, text: string, details: string) => void;
  /** Ends what runs and closes what is open. */
  readonly stop: () => Promise<void>;
}

/** The one place where the wings are joined, in the order in which they need each other. */
export async function compose(shell: Shell): Promise<App> {
  const { config } = shell;
  const front = openFront(shell);
  const settingsChannels = openSettings(shell, front);
  const record = openRecord(shell, front);
  const commands = openCommands(shell, front, record);
  const tools = openTools(shell, front, record, commands);
  const agents = openAgents(shell, front, record);
  const gate = openGate(shell, front, { record, commands, tools, agents });
  const workspaces = openWorkspaces(shell, front, gate);
  const doors = openDoors(shell, front, { record, agents, gate });
  const putOut = (agent: string): void => {
    doors.doors.disconnectAgent(agent);
    gate.orchestrator.stopAgent(agent);
  };

  // Before anything else can happen: what a crash left is put right, and told.
  await gate.recovery.begin({ ...record.clearings, ...commands.clearings, ...doors.clearings });
  if (shell.workspace !== null) {
    const refused = await workspaces.open(shell.workspace);
    if (refused !== null) notOpened(front, refused);
  }
  doors.open();
  void config.startWatching();
  record.startUpkeep();

  return {
    stream: front.stream,
    handlers: {
      ...frontChannels(shell, front),
      ...workspaceChannels(shell, workspaces),
      ...gateChannels(gate, record),
      ...recordChannels(shell, record),
      ...toolChannels(shell, tools),
      ...settingsChannels,
      ...agentChannels(agents, putOut),
      ...doorChannels(doors),
    },
    handOver: (workspace) => void workspaces.handOver(workspace),
    menu: {
      openWorkspace: () =>
        void chooseWorkspace(shell, workspaces).then((refused) => refused !== null && notOpened(front, refused)),
      showPlace: front.showPlace,
      openHelp: () => void openExternal('https://modelcontextprotocol.io/'),
      showLogs: front.showLogs,
    },
    mayClose: () => workspaces.mayClose(),
    showFault: (title, text, details) =>
      front.notices.show({ id: 'fault', severity: 'error', title, text, details, dismissible: true }),
    stop: async () => {
      await doors.close();
      await gate.close();
      await commands.close();
      await config.close();
      await record.close();
    },
  };
}
