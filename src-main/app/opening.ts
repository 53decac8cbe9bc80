import { shell as system } from 'electron';
import { answerProblem } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import { resolveOpenable, resolveShowable } from '../workspace/opening/openable.js';
import type { ComposedGate } from './gate/gate.js';
import type { Workspaces } from './state/folders/workspaces.js';

/** The person looks at a file of an open folder with their own programs. */
export function openingChannels({ during }: Pick<ComposedGate, 'during'>, workspaces: Pick<Workspaces, 'open'>) {
  const within = async (folder: string, look: typeof resolveShowable, path: string) =>
    workspaces.open.includes(folder)
      ? await during(folder, async ({ sandbox }) => await look(sandbox, path))
      : { problem: `${folder} isn’t open. Open the folder, then try again.` };
  return {
    'files.open': async ({ workspace, path }) => {
      const found = await within(
        workspace,
        async (sandbox, asked) => resolveOpenable(sandbox, asked, process.platform),
        path,
      );
      if ('problem' in found) return answerProblem(found.problem);
      const refused = await system.openPath(found.absolute);
      return answerProblem(refused === '' ? null : `${path} could not be opened: ${refused}. Use “Show in folder”.`);
    },
    'files.show': async ({ workspace, path }) => {
      const found = await within(workspace, resolveShowable, path);
      if ('problem' in found) return answerProblem(found.problem);
      system.showItemInFolder(found.absolute);
      return answerProblem(null);
    },
  } satisfies Partial<Handlers>;
}
