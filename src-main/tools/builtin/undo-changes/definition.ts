import Type, { type Static } from 'typebox';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ToolDeclaration } from '../../../domain/tool/tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS } from '../file-tool-parts.js';

export const UndoChangesInput = Type.Object(
  {
    callId: Type.String({ minLength: 1, maxLength: 200, description: 'The call whose changes are taken back.' }),
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1, description: 'A file that the call changed.' }), {
        minItems: 1,
        maxItems: 100_000,
        uniqueItems: true,
        description: 'Only these files. Without it, all that the call changed.',
      }),
    ),
  },
  DIALECT,
);

export type UndoChangesInput = Static<typeof UndoChangesInput>;

export const UndoChangesResult = Type.Object(
  {
    undoes: Type.String({ description: 'The call whose changes were taken back.' }),
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
export const undoChangesDeclaration: ToolDeclaration = {
  id: 'gatehouse.undo_changes',
  version: '1.0.0',
  name: 'undo_changes',
  title: 'Undo changes',
  description: 'Puts the files that a call changed back as they were before it, unless they were changed since.',
  inputSchema: UndoChangesInput as unknown as JsonObject,
  outputSchema: UndoChangesResult as unknown as JsonObject,
  requiredCapabilities: ['filesystem.read', 'filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: false,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: false,
  risk: 'medium',
  openWorld: false,
  destructive: true,
};
