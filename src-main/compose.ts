import { app, clipboard, dialog } from 'electron';
import type { AppSnapshot, Place } from '../src-preload/contract/app-events.js';
import { AppStream } from './ipc/app-stream.js';
import type { Handlers } from './ipc/border.js';
import { makeHandlers } from './ipc/handlers.js';
import { type DataPaths, usableWorkspace, workspaceName } from './platform/paths.js';
import type { Logger } from './platform/logger.js';
import { RecentWorkspaces } from './platform/recent-workspaces.js';
import { openExternal } from './window/external.js';
import type { MainWindow } from './window/main-window.js';

/** What index.ts made ready before anything of ours is built. */
export interface Shell {
  /** By its real name, and looked at; null for the welcome screen. */
  readonly workspace: string | null;
  readonly gateway: boolean;
  readonly paths: DataPaths;
  readonly logger: Logger;
  readonly window: MainWindow;
  readonly packaged: boolean;
  readonly chromiumSandboxOff: boolean;
}

/** What index.ts needs of the app. */
export interface App {
  readonly handlers: Handlers;
  readonly stream: AppStream;
  /** A second start handed its workspace over. */
  readonly handOver: (workspace: string | null) => void;
  readonly showPlace: (place: Place) => void;
  readonly chooseWorkspace: () => Promise<void>;
  /** False keeps the window open, and asks. */
  readonly mayClose: () => boolean;
  readonly showFault: (title: string, text: string, details: string) => void;
  /** Ends what runs and closes what is open. */
  readonly stop: () => Promise<void>;
}

export async function compose(shell: Shell): Promise<App> {
  const recent = new RecentWorkspaces(shell.paths.recentWorkspaces);
  const stream = new AppStream(initialSnapshot(shell, recent));

  const open = (path: string): string | null => {
    const usable = usableWorkspace(path);
    if (!usable.ok) return usable.problem;
    recent.add(usable.path);
    const workspace = { path: usable.path, name: workspaceName(usable.path) };
    stream.publish({ type: 'workspace', workspace, recentWorkspaces: recent.list() });
    shell.window.setWorkspaceTitle(workspace.name);
    return null;
  };
  const chooseWorkspace = async () => {
    const { canceled, filePaths } = await dialog.showOpenDialog(shell.window.native, {
      title: 'Open workspace',
      properties: ['openDirectory', 'createDirectory'],
    });
    const [path] = filePaths;
    if (!canceled && path !== undefined) open(path);
  };
  if (shell.workspace !== null) open(shell.workspace);

  return {
    stream,
    chooseWorkspace,
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
        shell.window.setTheme(theme);
        stream.publish({ type: 'status', status: { ...stream.snapshot().status, theme } });
      },
    }),
    handOver: (workspace) => void (workspace !== null && open(workspace)),
    showPlace: (place) => stream.publish({ type: 'navigate', place }),
    mayClose: () => true,
    showFault: (title, text, details) =>
      stream.publish({
        type: 'notice',
        notice: { id: 'fault', severity: 'error', title, text, details, dismissible: true },
      }),
    stop: async () => {},
  };
}

function initialSnapshot(shell: Shell, recent: RecentWorkspaces): Omit<AppSnapshot, 'seq'> {
  return {
    status: {
      version: app.getVersion(),
      platform: process.platform,
      chromiumSandboxOff: shell.chromiumSandboxOff,
      confinement: { mode: 'preferred', available: false, problem: null },
      mode: 'enabled',
      journal: { state: 'ok', problem: null },
      gateway: { enabled: false, url: null, problem: null, clients: [] },
      theme: shell.window.theme,
    },
    workspace: null,
    recentWorkspaces: recent.list(),
    notices: shell.chromiumSandboxOff ? [sandboxNotice] : [],
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
