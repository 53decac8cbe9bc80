import Type from 'typebox';
import type { ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS } from '../file-tool-parts.js';

const LP1_IN_SHORT = `An LP1 patch. Line-oriented, exact matching, several files in one patch:

LP1
F src/app.ts
R
old line
.
new line
.
END

LP1 and END stand alone on the first and last line. F starts a file (quote a path with blanks). Operations, each followed by its blocks; a lone dot ends a block:
R [n] find, new: replace. I [n] find, new: insert after. P [n] find, new: insert before. E [n] find: delete. T new: append at the end. B new: prepend.
N + or N -: the file does or does not end with a newline.
The find block must match whole lines exactly once; with n it is the n-th match. A content line that begins with a dot gets one more dot. A missing file is created by T or B.`;

const ApplyPatchInput = Type.Object({ patch: Type.String({ description: LP1_IN_SHORT }) }, DIALECT);

const ApplyPatchResult = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: 'The file, relative to its root.' }),
          change: Type.Enum(['created', 'modified'], { type: 'string', description: 'What was done to it.' }),
          bytes: Type.Integer({ minimum: 0, description: 'Its size now.' }),
          sha256: Type.String({ description: 'SHA-256 of what it holds now, in hex.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'The files that are changed, in the order of the patch. Empty when nothing was to be changed.' },
    ),
    controlCharactersRemoved,
  },
  DIALECT,
);

export const applyPatch = {
  id: 'gatehouse.apply_patch',
  version: '1.0.0',
  name: 'apply_patch',
  title: 'Apply patch',
  description:
    'Changes text files of the workspace by an LP1 patch, or creates them. All of it is applied or nothing. ' +
    'A file that exists must have been read with read_file in this conversation, and not have changed since.',
  nature: 'files',
  takesBack: 'whole',
  input: ApplyPatchInput,
  output: ApplyPatchResult,
  requiredCapabilities: ['filesystem.read', 'filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: true,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: false,
  risk: 'medium',
  openWorld: false,
  destructive: true,
} satisfies ToolFacts<'files', typeof ApplyPatchInput, typeof ApplyPatchResult>;
