import type { AppEvent } from '#contract/window/app-events.js';
import { systemClock } from '../../platform/clock.js';
import { answerProblem } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Front } from '../front.js';
import type { Shell } from '../shell.js';
import { AgentFolders } from '../state/folders/agent-folders.js';
import { FolderQuestions } from '../state/folders/folder-questions.js';
import type { Workspaces } from '../state/folders/workspaces.js';

/** Opens the questions about folders that agents were started in, with the answers that the person gave before. */
export function openFolderQuestions(
  { paths, logger, headless }: Pick<Shell, 'paths' | 'logger' | 'headless'>,
  { stream, publish }: Pick<Front, 'stream' | 'publish'>,
  workspaces: Pick<Workspaces, 'open' | 'openBeside'>,
): FolderQuestions {
  const kept = new AgentFolders(paths.agentFolders, (error) =>
    logger.warn('Which folders were opened for agents could not be kept', { error }),
  );
  const questions = new FolderQuestions({
    kept,
    // What was shown is what is opened: a folder that another stands in for by now is not.
    openBeside: (folder) => workspaces.openBeside(folder, { exactly: true }),
    isOpen: (folder) => workspaces.open.includes(folder),
    unattended: headless,
    clock: systemClock,
    publish: (asked) => publish({ type: 'folder-questions', questions: asked }),
  });
  let before: readonly string[] = workspaces.open;
  stream.onEvent((event: AppEvent) => {
    if (event.type !== 'workspace') return;
    const now = event.workspaces.map(({ path }) => path);
    const [closed, opened] = [
      before.filter((path) => !now.includes(path)),
      now.filter((path) => !before.includes(path)),
    ];
    before = now;
    for (const path of closed) kept.closed(path);
    for (const path of opened) {
      kept.wanted(path);
      questions.nowOpen(path);
    }
  });
  return questions;
}

export const folderQuestionChannels = (questions: FolderQuestions) =>
  ({
    'folders.answer': async ({ id, answer }) => answerProblem(await questions.answer(id, answer)),
  }) satisfies Partial<Handlers>;
