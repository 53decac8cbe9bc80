import { app, dialog } from 'electron';
import type { ConversationLoops } from '../conversation/loop/conversation-loops.js';
import { OpenWorkspaces } from '../platform/data-folder/open-workspaces.js';
import { answerProblem, nothing } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Commands } from './commands.js';
import type { Front } from './front.js';
import type { ComposedGate } from './gate/gate.js';
import { healthChannels } from './health-channels.js';
import type { Shell } from './shell.js';
import { wideWorkspaces } from './state/folders/workspace-notices.js';
import { Workspaces } from './state/folders/workspaces.js';

/** Opens the workspaces: the folders that the gate and the settings know of, and the one that the window shows. */
export function openWorkspaces(
  { config, logger, paths, window }: Shell,
  front: Front,
  gate: ComposedGate,
  conversations: Pick<ConversationLoops, 'stopIn'>,
): Workspaces {
  const { orchestrator, recovery } = gate;
  const showNotices = (open: readonly string[]): void =>
    front.notices.showOnly('workspace-', wideWorkspaces(open, paths.root));
  const workspaces: Workspaces = new Workspaces({
    dataDir: paths.root,
    recent: front.recent,
    kept: new OpenWorkspaces(paths.openWorkspaces, (error) =>
      logger.warn('Which folders are open could not be kept', { error }),
    ),
    publish: front.publish,
    enter: async (path) => {
      config.openFolder(path);
      try {
        await gate.openFolder(path);
      } catch (error) {
        config.closeFolder(path);
        throw error;
      }
      showNotices([...workspaces.open, path]);
    },
    leave: (path) => {
      conversations.stopIn(path);
      gate.closeFolder(path);
      config.closeFolder(path);
      showNotices(workspaces.open);
    },
    onShown: (shown) => {
      config.show(shown?.path ?? null);
      window.setWorkspaceTitle(shown?.name ?? null);
    },
    callsIn: (path) => {
      const { waiting, running } = orchestrator.activityIn(path);
      return waiting + running;
    },
    isRecovering: () => recovery.isOpen,
    running: () => orchestrator.activity.running,
    quit: () => app.quit(),
    onProblem: (text) => notOpened(front, text),
  });
  return workspaces;
}

export const notOpened = (front: Front, why: string): void => front.problem('The workspace was not opened', why);

/** Null when it is open, or nothing was chosen; otherwise why not. */
export async function chooseWorkspace({ window }: Shell, workspaces: Workspaces): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window.native, {
    title: 'Open workspace',
    properties: ['openDirectory', 'createDirectory'],
  });
  const [path] = filePaths;
  return canceled || path === undefined ? null : workspaces.openAndShow(path);
}

export const workspaceChannels = (shell: Shell, workspaces: Workspaces, commands: Commands) =>
  ({
    ...healthChannels(shell, commands, () => workspaces.current),
    'app.answer': async ({ yes }) => {
      workspaces.answer(yes);
      return nothing;
    },
    'workspace.choose': async () => answerProblem(await chooseWorkspace(shell, workspaces)),
    'workspace.open': async ({ path }) => answerProblem(await workspaces.openAndShow(path)),
    'workspace.show': async ({ path }) => answerProblem(workspaces.show(path)),
    'workspace.close': async ({ path }) => answerProblem(workspaces.close(path)),
    'workspace.forgetRecent': async ({ path }) => {
      workspaces.forget(path);
      return nothing;
    },
  }) satisfies Partial<Handlers>;
