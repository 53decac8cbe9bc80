import Type, { type Static } from 'typebox';
import type { ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS, nullable, pathArgument } from '../file-tool-parts.js';

const flag = (initially: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: initially, description }));
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

const ListDirectoryInput = Type.Object(
  {
    path: pathArgument('The folder to list'),
    recursive: flag(false, 'Whether to go into folders. Links are never followed.'),
    max_depth: count('How deep to go when recursive; children are 1. Without it, as deep as is allowed.'),
    max_entries: count('How many entries to give at most. Without it, as many as are allowed.'),
    include_hidden: flag(false, 'Whether to list names that begin with a dot, and go into such folders.'),
    include_files: flag(true, 'Whether to list files.'),
    include_dirs: flag(true, 'Whether to list folders.'),
    include_symlinks: flag(true, 'Whether to list links.'),
    include_other: flag(false, 'Whether to list devices, pipes and sockets.'),
  },
  DIALECT,
);

const ListedEntry = Type.Object(
  {
    name: Type.String({ description: 'Its name.' }),
    path: Type.String({ description: 'Where it is, from the listed folder, with forward slashes.' }),
    depth: Type.Integer({ minimum: 1, description: 'How deep it is; children of the listed folder are 1.' }),
    type: Type.Enum(['file', 'dir', 'symlink', 'other', 'unknown'], { type: 'string', description: 'What it is.' }),
    size_bytes: nullable('integer', 'Its size, for regular files.'),
    modified_epoch_ms: nullable('integer', 'When it was changed last, in Unix milliseconds.'),
    is_hidden: Type.Boolean({ description: 'Whether its name begins with a dot.' }),
    error: nullable('string', 'Why nothing is known of it, for type “unknown”.'),
  },
  { additionalProperties: false, description: 'One entry.' },
);

export type ListedEntry = Static<typeof ListedEntry>;

export const ListDirectoryResult = Type.Object(
  {
    path: Type.String({ description: 'The folder, as it was asked.' }),
    entries: Type.Array(ListedEntry, { description: 'Sorted by path, byte by byte.' }),
    returned: Type.Integer({ minimum: 0, description: 'How many entries there are here.' }),
    max_entries: Type.Integer({ minimum: 1, description: 'How many there could be.' }),
    truncated: Type.Boolean({ description: 'Whether entries were left out for want of room.' }),
    truncated_reason: Type.Unsafe<'max_entries' | 'max_output_bytes' | null>({
      type: ['string', 'null'],
      enum: ['max_entries', 'max_output_bytes', null],
      description: 'Which limit was met.',
    }),
    controlCharactersRemoved,
  },
  DIALECT,
);

export type ListDirectoryResult = Static<typeof ListDirectoryResult>;

export const listDirectory = {
  id: 'gatehouse.list_directory',
  version: '1.0.0',
  name: 'list_directory',
  title: 'List directory',
  description:
    'Lists a folder of the workspace as a JSON object: entries with path, type, size and time, sorted by path. ' +
    'Goes into folders when recursive. Links are listed, not followed. When there are more entries than allowed, the first ones are given.',
  nature: 'reads',
  takesBack: 'whole',
  input: ListDirectoryInput,
  output: ListDirectoryResult,
  requiredCapabilities: ['filesystem.read'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: true,
  idempotent: true,
  sideEffecting: false,
  requiresApproval: false,
  risk: 'low',
  openWorld: false,
  destructive: false,
} satisfies ToolFacts<'reads', typeof ListDirectoryInput, typeof ListDirectoryResult>;
