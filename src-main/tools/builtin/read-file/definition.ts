import Type, { type Static } from 'typebox';
import type { HandlerOutput, ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS, nullable, pathArgument } from '../file-tool-parts.js';

const line = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 4_294_967_295, description }));

const ReadFileInput = Type.Object(
  {
    path: pathArgument('The file to read'),
    start_line: line('First line to read, counted from 1. Without it, the first.'),
    end_line: line('Last line to read, included. Without it, or past the end: to the end of the file.'),
  },
  DIALECT,
);

const ReadFileResult = Type.Object(
  {
    path: Type.String({ description: 'The file, relative to its root.' }),
    kind: Type.Enum(['text', 'binary'], { type: 'string', description: 'Whether it is text in UTF-8.' }),
    bytes: Type.Integer({ minimum: 0, description: 'The size of the whole file.' }),
    sha256: nullable(
      'string',
      'SHA-256 of the whole file as it was read, in hex; null when it can’t be patched: binary, or too large.',
    ),
    startLine: nullable('integer', 'The first line that was asked for; null when the whole file was read.'),
    endLine: nullable('integer', 'The last line that was given; null when the whole file was read.'),
    truncated: Type.Boolean({ description: 'Whether more was read than fits into a result.' }),
    controlCharactersRemoved,
  },
  DIALECT,
);

export type ReadFileOutput = HandlerOutput<Static<typeof ReadFileResult>>;

export const readFile = {
  id: 'gatehouse.read_file',
  version: '1.0.0',
  name: 'read_file',
  title: 'Read file',
  description:
    'Reads a file of the workspace: text as it is, anything else as base64 under the line “[binary:base64]”. ' +
    'Read large text files in parts, with start_line and end_line. A file must be read before apply_patch may change it.',
  nature: 'reads',
  takesBack: 'whole',
  input: ReadFileInput,
  output: ReadFileResult,
  requiredCapabilities: ['filesystem.read'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: true,
  idempotent: true,
  sideEffecting: false,
  requiresApproval: false,
  risk: 'low',
  openWorld: false,
  destructive: false,
} satisfies ToolFacts<'reads', typeof ReadFileInput, typeof ReadFileResult>;
