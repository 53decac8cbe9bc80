import Type from 'typebox';
import type { ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS } from '../file-tool-parts.js';
import { filesOfCallFields } from '../call-files-input.js';

const ofCall = filesOfCallFields(
  'The call whose changes are undone.',
  'A file that the call changed.',
  'Only these files. Without it, all that the call changed.',
);

export const MAX_CALLS = 1000;

const UndoChangesInput = Type.Object(
  {
    ...ofCall,
    earlier: Type.Optional(
      Type.Array(Type.Object(ofCall, { additionalProperties: false }), {
        minItems: 1,
        maxItems: MAX_CALLS,
        description: 'Calls before it whose changes are undone with it, the latest first: all of them or none.',
      }),
    ),
  },
  DIALECT,
);

const UndoChangesResult = Type.Object(
  {
    undoes: Type.String({ description: 'The call whose changes were undone.' }),
    earlier: Type.Optional(
      Type.Array(Type.String({ description: 'A call.' }), {
        description: 'The calls before it whose changes were undone with it.',
      }),
    ),
    files: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: 'The file.' }),
          action: Type.Enum(['restored', 'deleted', 'recreated'], {
            type: 'string',
            description: 'What was done to it.',
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'The files that were put back.' },
    ),
    controlCharactersRemoved,
  },
  DIALECT,
);

/** Asked for by the person, never offered to models; a call like any other, so it is recorded and can be undone itself. */
export const undoChanges = {
  id: 'gatehouse.undo_changes',
  version: '1.1.0',
  name: 'undo_changes',
  title: 'Undo changes',
  description:
    'Puts the files that a call, or several, changed back as they were before, unless they were changed since.',
  nature: 'files',
  takesBack: 'whole',
  input: UndoChangesInput,
  output: UndoChangesResult,
  requiredCapabilities: ['filesystem.read', 'filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: false,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: false,
  risk: 'medium',
  openWorld: false,
  destructive: true,
} satisfies ToolFacts<'files', typeof UndoChangesInput, typeof UndoChangesResult>;
