import Type, { type Static } from 'typebox';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { HandlerOutput, ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, nullable, OWN_TOOL_LIMITS } from '../file-tool-parts.js';

const RunCommandInput = Type.Object(
  {
    command: Type.String({
      minLength: 1,
      description:
        'A shell command, run by “sh -c” in the workspace. It gets no input: what asks for some gets end of file.',
    }),
  },
  DIALECT,
);

const hostList = (description: string) => Type.Array(Type.String({ description: 'host:port' }), { description });

const RunCommandResult = Type.Object(
  {
    exitCode: nullable('integer', 'The exit code; null where the command was stopped or never ran.'),
    signal: nullable('string', 'The signal that such an exit code stands for, if it stands for one.'),
    confinement: Type.Unsafe<Confinement | null>({
      type: ['string', 'null'],
      enum: ['confined', 'network', 'unconfined', null],
      description: 'What was in force while it ran; null where nothing ran.',
    }),
    network: Type.Optional(
      Type.Object(
        { reached: hostList('Hosts it reached.'), refused: hostList('Hosts it asked for that it may not reach.') },
        {
          additionalProperties: false,
          description:
            'Where it had a network: what it asked for. The network is an HTTP proxy; programs that use none have no network.',
        },
      ),
    ),
    networkOff: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The network was off, and it failed for that: the hosts that it needed, as far as they are known. A person can allow them for a call.',
      }),
    ),
    readOnlyAsShared: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What it could not write to: files with other names outside the workspace (hard links), such as those that pnpm shares among projects.',
      }),
    ),
    readOnlyAsNotKept: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What it could not write to, since nobody was asked about it and no copy is kept: files and folders; “.” is all of the workspace.',
      }),
    ),
    changedFilesComplete: Type.Boolean({ description: 'Whether all changed files could be listed.' }),
    putAside: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({ description: 'The file.' }),
            change: Type.Enum(['created', 'modified', 'deleted'], {
              type: 'string',
              description: 'What the command did.',
            }),
            note: Type.Optional(nullable('string', 'What else is to be known of it.')),
          },
          { additionalProperties: false },
        ),
        {
          description:
            'Files that other programs obey, as the command left them: taken away, and put back to what they were. The person can put them back.',
        },
      ),
    ),
    lookComplete: Type.Optional(
      Type.Boolean({ description: 'False where it is not certain that no such file stayed.' }),
    ),
    controlCharactersRemoved,
  },
  DIALECT,
);

export type RunCommandOutput = HandlerOutput<Static<typeof RunCommandResult>>;

export const runCommand = {
  id: 'gatehouse.run_command',
  version: '1.0.0',
  name: 'run_command',
  title: 'Run command',
  description:
    'Runs a shell command in the workspace and gives its output; errors follow under “[stderr]”. A person is asked first. Not for reading or changing files: read_file and apply_patch do that better, and what they do can be undone.',
  nature: 'command',
  takesBack: 'partly',
  input: RunCommandInput,
  output: RunCommandResult,
  requiredCapabilities: ['process.run', 'filesystem.read', 'filesystem.write'],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: false,
  idempotent: false,
  sideEffecting: true,
  requiresApproval: true,
  risk: 'high',
  openWorld: true,
  destructive: true,
} satisfies ToolFacts<'command', typeof RunCommandInput, typeof RunCommandResult>;
