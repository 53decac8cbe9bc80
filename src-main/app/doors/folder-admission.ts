import { startElsewhere } from '../../domain/policy/work-folders.js';
import type { FolderAdmission } from '../../domain/ports/gate/gate.js';
import type { FolderQuestions } from '../state/folders/folder-questions.js';

/** No folder is offered to it. */
export const NEVER_ADMITTED: FolderAdmission = { isNeeded: () => true, admit: async () => startElsewhere };

/**
 * Creates the admission that the calls of one pipe wait for. What the person refused it stays refused, as long as they
 * don't open the folder themselves.
 */
export function admissionTo(
  { folder, pipe }: { readonly folder: string; readonly pipe: string | null },
  questions: Pick<FolderQuestions, 'ask' | 'refusedBefore' | 'refused'>,
  isOpen: () => boolean,
): FolderAdmission {
  let refused = questions.refusedBefore(pipe, folder);
  let admitted = false;
  return {
    isNeeded: () => !admitted,
    async admit(call, gone) {
      if (refused !== null && !isOpen()) return refused;
      const answer = await questions.ask(folder, call, gone);
      if (answer === null) admitted ||= isOpen();
      else if (answer.code === 'DeniedByPerson') {
        refused = answer;
        questions.refused(pipe, folder);
      }
      return answer;
    },
  };
}
