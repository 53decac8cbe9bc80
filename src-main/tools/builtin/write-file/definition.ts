import Type from 'typebox';
import type { ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS, pathArgument } from '../file-tool-parts.js';

const WriteFileInput = Type.Object(
  {
    path: pathArgument('The file to create; it must not exist yet. Missing folders are created'),
    content: Type.String({ description: 'What the file shall hold, exactly; written as UTF-8.' }),
  },
  DIALECT,
);

const WriteFileResult = Type.Object(
  {
    path: Type.String({ description: 'The file, relative to its root.' }),
    bytes: Type.Integer({ minimum: 0, description: 'How many bytes were written.' }),
    sha256: Type.String({ description: 'SHA-256 of what was written, in hex.' }),
    controlCharactersRemoved,
  },
  DIALECT,
);

export const writeFile = {
  id: 'gatehouse.write_file',
  version: '1.0.0',
  name: 'write_file',
  title: 'Write file',
  description:
    'Creates a new text file in the workspace, and the folders on the way to it. Never overwrites: to change a file that exists, read it and use apply_patch.',
  nature: 'files',
  takesBack: 'whole',
  input: WriteFileInput,
  output: WriteFileResult,
  requiredCapabilities: ['filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: true,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: false,
  risk: 'medium',
  openWorld: false,
  destructive: false,
} satisfies ToolFacts<'files', typeof WriteFileInput, typeof WriteFileResult>;
