import { app, dialog } from 'electron';
import { answered, nothing } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Front } from './front.js';
import type { ComposedGate } from './gate.js';
import type { Shell } from './shell.js';
import { wideWorkspace } from './state/workspace-notices.js';
import { Workspaces } from './state/workspaces.js';

/** Which folder the gate and the settings are pointed at. */
export function openWorkspaces({ config, paths, window }: Shell, front: Front, gate: ComposedGate): Workspaces {
  const { orchestrator, recovery } = gate;
  return new Workspaces({
    dataDir: paths.root,
    recent: front.recent,
    publish: front.publish,
    enter: async (path) => {
      const before = gate.situation().workspace;
      config.setWorkspace(path);
      try {
        await gate.openWorkspace(path);
      } catch (error) {
        config.setWorkspace(before === '' ? null : before);
        throw error;
      }
      front.notices.showOnly('workspace-', wideWorkspace(path, paths.root));
    },
    setTitle: (name) => window.setWorkspaceTitle(name),
    busy: () => {
      const { waiting, running } = orchestrator.activity;
      if (recovery.isOpen) return 'Decide about the unfinished work first.';
      return waiting + running === 0
        ? null
        : `${waiting + running} calls wait or run in this workspace. Decide about them or stop them, then switch.`;
    },
    running: () => orchestrator.activity.running,
    quit: () => app.quit(),
    onProblem: (text) => notOpened(front, text),
  });
}

export const notOpened = (front: Front, why: string): void => front.problem('The workspace was not opened', why);

/** Null when it is open, or nothing was chosen; otherwise why not. */
export async function chooseWorkspace({ window }: Shell, workspaces: Workspaces): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window.native, {
    title: 'Open workspace',
    properties: ['openDirectory', 'createDirectory'],
  });
  const [path] = filePaths;
  return canceled || path === undefined ? null : workspaces.open(path);
}

export const workspaceChannels = (shell: Shell, workspaces: Workspaces) =>
  ({
    'app.answer': async ({ yes }) => {
      await workspaces.answer(yes);
      return nothing;
    },
    'workspace.choose': async () => answered(await chooseWorkspace(shell, workspaces)),
    'workspace.open': async ({ path }) => answered(await workspaces.open(path)),
    'workspace.forgetRecent': async ({ path }) => {
      workspaces.forget(path);
      return nothing;
    },
  }) satisfies Partial<Handlers>;
