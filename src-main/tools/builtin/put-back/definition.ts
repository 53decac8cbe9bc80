import Type, { type Static } from 'typebox';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ToolDeclaration } from '../../../domain/tool/tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS } from '../file-tool-parts.js';

export const PutBackInput = Type.Object(
  {
    callId: Type.String({ minLength: 1, maxLength: 200, description: 'The command after which they were put aside.' }),
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1, description: 'A file that was put aside.' }), {
        minItems: 1,
        maxItems: 100_000,
        uniqueItems: true,
        description: 'Only these files. Without it, all of them.',
      }),
    ),
  },
  DIALECT,
);

export type PutBackInput = Static<typeof PutBackInput>;

const PutBackResult = Type.Object(
  {
    files: Type.Array(Type.String({ description: 'The file.' }), { description: 'What is there again.' }),
    controlCharactersRemoved,
  },
  DIALECT,
);

/** The person's own: what other programs obey comes back only by their hand. A call like any other, so it can be undone. */
export const putBackDeclaration: ToolDeclaration = {
  id: 'gatehouse.put_back',
  version: '1.0.0',
  name: 'put_back',
  title: 'Put back',
  description: 'Brings files back as a command left them, which were put aside because other programs obey them.',
  inputSchema: PutBackInput as unknown as JsonObject,
  outputSchema: PutBackResult as unknown as JsonObject,
  requiredCapabilities: ['filesystem.read', 'filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: false,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: false,
  risk: 'high',
  openWorld: false,
  destructive: true,
};
