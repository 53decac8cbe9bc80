import Type from 'typebox';
import type { ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS } from '../file-tool-parts.js';
import { filesOfCallInput } from '../call-files-input.js';

const PutBackInput = filesOfCallInput(
  'The command after which they were put aside.',
  'A file that was put aside.',
  'Only these files. Without it, all of them.',
);

const PutBackResult = Type.Object(
  {
    files: Type.Array(Type.String({ description: 'The file.' }), { description: 'What is there again.' }),
    controlCharactersRemoved,
  },
  DIALECT,
);

/** The person's own: what other programs obey comes back only by their hand. A call like any other, so it can be undone. */
export const putBack = {
  id: 'gatehouse.put_back',
  version: '1.0.0',
  name: 'put_back',
  title: 'Put back',
  description: 'Brings files back as a command left them, which were put aside because other programs obey them.',
  nature: 'files',
  takesBack: 'whole',
  input: PutBackInput,
  output: PutBackResult,
  requiredCapabilities: ['filesystem.read', 'filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: false,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: false,
  risk: 'high',
  openWorld: false,
  destructive: true,
} satisfies ToolFacts<'files', typeof PutBackInput, typeof PutBackResult>;
