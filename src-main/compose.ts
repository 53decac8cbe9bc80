import { app, clipboard, dialog, shell } from 'electron';
import type { AppSnapshot } from '../src-preload/contract/app-events.js';
import type { Notice } from '../src-preload/contract/notices.js';
import { AppStream } from './ipc/app-stream.js';
import type { Handlers } from './ipc/border.js';
import { makeHandlers } from './ipc/handlers.js';
import { type DataPaths, usableWorkspace, workspaceName } from './platform/paths.js';
import type { ConfigStore } from './platform/config/config-store.js';
import type { Logger } from './platform/logger.js';
import { RecentWorkspaces } from './platform/recent-workspaces.js';
import type { Secrets } from './platform/secrets.js';
import { openExternal } from './window/external.js';
import type { MainWindow } from './window/main-window.js';
import type { MenuActions } from './window/menu.js';

/** What index.ts made ready before anything of ours is built. */
export interface Shell {
  /** By its real name, and looked at; null for the welcome screen. */
  readonly workspace: string | null;
  readonly gateway: boolean;
  readonly paths: DataPaths;
  readonly logger: Logger;
  readonly window: MainWindow;
  /** Read once; `startWatching` follows the files from then on. */
  readonly config: ConfigStore;
  readonly secrets: Secrets;
  readonly packaged: boolean;
  readonly chromiumSandboxOff: boolean;
}

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

export async function compose(parts: Shell): Promise<App> {
  const recent = new RecentWorkspaces(parts.paths.recentWorkspaces);
  const stream = new AppStream(initialSnapshot(parts, recent));

  const open = (path: string): string | null => {
    const usable = usableWorkspace(path);
    if (!usable.ok) return usable.problem;
    recent.add(usable.path);
    parts.config.setWorkspace(usable.path);
    const workspace = { path: usable.path, name: workspaceName(usable.path) };
    stream.publish({ type: 'workspace', workspace, recentWorkspaces: recent.list() });
    parts.window.setWorkspaceTitle(workspace.name);
    return null;
  };
  const chooseWorkspace = async () => {
    const { canceled, filePaths } = await dialog.showOpenDialog(parts.window.native, {
      title: 'Open workspace',
      properties: ['openDirectory', 'createDirectory'],
    });
    const [path] = filePaths;
    if (!canceled && path !== undefined) open(path);
  };
  const { config } = parts;
  let shown: readonly Notice[] = [];
  const showConfig = () => {
    const notices = config.notices;
    for (const { id } of shown)
      if (!notices.some((each) => each.id === id)) stream.publish({ type: 'notice-gone', id });
    for (const notice of notices) stream.publish({ type: 'notice', notice });
    shown = notices;
    const { tools } = config.current;
    const { status } = stream.snapshot();
    const confinement = { ...status.confinement, mode: tools.run_command.confinement };
    stream.publish({ type: 'status', status: { ...status, mode: tools.mode, confinement } });
    stream.publish({ type: 'settings-changed' });
  };
  config.onChange(showConfig);
  if (parts.workspace !== null) open(parts.workspace);
  showConfig();
  void config.startWatching();

  return {
    stream,
    handlers: makeHandlers({
      snapshot: () => stream.snapshot(),
      chooseWorkspace,
      openWorkspace: open,
      forgetRecent: (path) => {
        recent.forget(path);
        stream.publish({ type: 'workspace', workspace: stream.snapshot().workspace, recentWorkspaces: recent.list() });
      },
      copyText: (text) => clipboard.writeText(text),
      openExternal,
      setTheme: (theme) => {
        parts.window.setTheme(theme);
        stream.publish({ type: 'status', status: { ...stream.snapshot().status, theme } });
      },
    }),
    handOver: (workspace) => void (workspace !== null && open(workspace)),
    menu: {
      openWorkspace: () => void chooseWorkspace(),
      showPlace: (place) => stream.publish({ type: 'navigate', place }),
      openHelp: () => void openExternal('https://modelcontextprotocol.io/'),
      showLogs: () => void shell.openPath(parts.paths.logs),
    },
    mayClose: () => true,
    showFault: (title, text, details) =>
      stream.publish({
        type: 'notice',
        notice: { id: 'fault', severity: 'error', title, text, details, dismissible: true },
      }),
    stop: async () => await config.close(),
  };
}

function initialSnapshot(parts: Shell, recent: RecentWorkspaces): Omit<AppSnapshot, 'seq'> {
  return {
    status: {
      version: app.getVersion(),
      platform: process.platform,
      chromiumSandboxOff: parts.chromiumSandboxOff,
      confinement: { mode: 'preferred', available: false, problem: null },
      mode: 'enabled',
      journal: { state: 'ok', problem: null },
      gateway: { enabled: false, url: null, problem: null, clients: [] },
      theme: parts.window.theme,
    },
    workspace: null,
    recentWorkspaces: recent.list(),
    notices: parts.chromiumSandboxOff ? [sandboxNotice] : [],
    approvals: [],
    calls: [],
    recovery: null,
    question: null,
  };
}

const sandboxNotice = {
  id: 'chromium-sandbox-off',
  severity: 'warning',
  title: 'Chromium’s own sandbox is off',
  text: 'Gatehouse runs as root, and Chromium can’t sandbox itself then. Start it as an ordinary user to have the sandbox.',
  details: null,
  dismissible: true,
} as const;
