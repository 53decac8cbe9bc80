import type { InstructionFile } from '#contract/vocabulary/conversation/instructions.js';
import { AcceptedTexts } from '../../conversation/instructions/accepted-texts.js';
import { InstructionFiles } from '../../conversation/instructions/instruction-files.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Shell } from '../shell.js';

/** The instruction files of the folders that are open. */
export interface OpenInstructions {
  /** Reads the instruction files as they are now; null where the folder is not open. */
  readonly look: (workspace: string) => Promise<readonly InstructionFile[] | null>;
  /** The texts that count as the person's: of those that were accepted as they stand. */
  readonly accepted: (workspace: string) => Promise<readonly string[]>;
  readonly accept: (workspace: string, path: string, digest: string) => Promise<string | null>;
}

export function openInstructions({ config, paths, redactor }: Shell, gate: ComposedGate): OpenInstructions {
  const files = new InstructionFiles({ accepted: new AcceptedTexts(paths.acceptedInstructions), redactor });
  const names = (): readonly string[] => config.everywhere.model.instructions;
  const openAt = (workspace: string): PlanningSituation | null => {
    const situation = gate.situation(workspace);
    return situation.isOpen && situation.workspace !== '' ? situation : null;
  };
  const look: OpenInstructions['look'] = async (workspace) => {
    const folder = openAt(workspace);
    return folder === null ? null : files.inspect(folder, names());
  };
  return {
    look,
    accepted: async (workspace) =>
      ((await look(workspace)) ?? []).flatMap((file) =>
        file.state === 'accepted' ? [`${file.path}:\n\n${file.text}`] : [],
      ),
    accept: async (workspace, path, digest) => {
      const folder = openAt(workspace);
      if (folder === null) return NOT_OPEN;
      // What the settings do not name is no instruction file, whoever asks.
      if (!names().includes(path)) return `${path} is not among the instruction files in the settings.`;
      return files.accept(folder, path, digest);
    },
  };
}

const NOT_OPEN = 'This folder isn’t open any more.';

export const instructionChannels = ({ look, accept }: OpenInstructions) => {
  const answer = async (workspace: string) => {
    const files = await look(workspace);
    return files === null ? refuse('not-found', NOT_OPEN) : done(files);
  };
  return {
    'instructions.review': async ({ workspace }) => answer(workspace),
    'instructions.accept': async ({ workspace, path, digest }) => {
      const problem = await accept(workspace, path, digest);
      return problem === null ? answer(workspace) : refuse('refused', problem);
    },
  } satisfies Partial<Handlers>;
};
