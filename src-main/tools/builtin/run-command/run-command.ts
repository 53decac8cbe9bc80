import type { Failure } from '#contract/vocabulary/outcomes.js';
import { readPlainCommand } from '../../../domain/policy/plain-command.js';
import type { CommandLeftovers, CommandResult, NetworkUse } from '../../../domain/ports/command-runner.js';
import { processTerms } from '../../../domain/tool/terms.js';
import { type Tool, ToolFailure, ToolFailureWithOutput } from '../../../domain/tool/tool.js';
import { certainWords, mayLeaveByWords } from '../../../domain/sensitive/command-leaves.js';
import type { MayLeave } from '../../../domain/sensitive/may-leave.js';
import { inMib, KEPT_FREE } from '../../../domain/size-bounds.js';
import { truncateEnd } from '../../../domain/text/truncate.js';
import type { CommandReader } from './analysis/command-reader.js';
import { mayBeSharedWords, remarksOn } from './remarks.js';
import { offerOfRule } from '../../../domain/policy/rule-offer.js';
import { defineTool } from '../../define-tool.js';
import { runCommand, type RunCommandOutput } from './definition.js';
import { whatItLacked } from './what-it-lacked.js';

interface RunCommandArgs {
  readonly command: string;
}

/** What “run_command failed: exit code 137 (as after SIGKILL)” and the like need beside the output. */
const RESERVED_ON_FAILURE = 160;

export function runCommandTool(
  reader: CommandReader,
  leftovers: CommandLeftovers = NOTHING_LEFT,
): Tool<RunCommandArgs, 'command'> {
  return defineTool(runCommand, {
    timeoutMs: (config) => config.tools.timeouts.shell_commands_seconds * 1000,

    parse({ command }): RunCommandArgs {
      const problem = unusable(command);
      if (problem !== null) throw new ToolFailure({ code: 'BadArgs', message: problem });
      return { command };
    },

    summary: ({ command }) => `Run command: ${command}`,
    standingKey: ({ command }) => ({ of: 'words', words: command }),
    gets: (situation) => ({ ...processTerms(situation), paths: 'change', secrets: [] }),

    preflight: ({ command }, { sandbox }) => {
      const { named } = leavesOf(command);
      const doubt = leftovers.isInDoubt(sandbox.workingDirectory) ? IN_DOUBT : null;
      return Promise.resolve({ risk: 'high', mustAsk: named.length > 0 ? namesWords(named) : doubt });
    },

    async effect({ command }, { sandbox }) {
      const { findings, analysis } = await reader.read(command, sandbox.roots);
      const mayBeShared = leftovers.mayBeShared(sandbox.workingDirectory);
      const { git } = leavesOf(command);
      const rule = offerOfRule(analysis);
      const shared = mayBeShared.length === 0 ? {} : { mayBeShared: mayBeSharedWords(mayBeShared) };
      return { kind: 'command', command, findings, rule, git, ...shared };
    },

    async execute({ command }, context) {
      const { workingDirectory } = context.sandbox;
      const leaves = leavesOf(command);
      const git = leaves.git || context.writesGit;
      const result = await context.commands.run({
        callId: context.callId,
        // Where a rule lets it run, it is the words that were read that do: what was judged is what is used.
        command: context.byRule?.runs ?? command,
        ...(context.byRule === null ? {} : { leastConfinement: context.byRule.leastConfinement }),
        workingDirectory,
        isDenied: (relative) => context.sandbox.isDenied(relative, workingDirectory),
        config: context.config,
        network: context.network,
        mayLeave: {
          git,
          gitCommands: context.writesGit ? null : leaves.gitCommands,
          named: context.byPerson ? leaves.named : [],
        },
        outputLimit: context.outputLimit,
        reservedOnFailure: RESERVED_ON_FAILURE,
        signal: context.signal,
        onOutput: context.emit,
        onEvent: context.onCommandEvent,
      });
      const output = outputOf(result, git, context.outputLimit);
      const failure = failureOf(result);
      if (failure !== null) throw new ToolFailureWithOutput(failure, output);
      return output;
    },
  });
}

const NOTHING_LEFT = { isInDoubt: () => false, mayBeShared: () => [] };

/** By the reading that rules go by; where that is not certain, by one of plain words, which knows `cd` and `>` besides. */
function leavesOf(command: string): MayLeave {
  const reading = readPlainCommand(command);
  return mayLeaveByWords(reading.understood ? reading.commands : certainWords(command));
}

const IN_DOUBT =
  'After an earlier command not all of this folder could be looked at: something may be there that other programs obey.';

const namesWords = (named: readonly string[]): string =>
  named.length === 1
    ? `“${named[0] ?? ''}” is one of the files that make other programs run something.`
    : `${named.map((path) => `“${path}”`).join(', ')} are files that make other programs run something.`;

/** What a shell can't be given as it is. The bytes that are shown are the bytes that run. */
function unusable(command: string): string | null {
  if (command.trim() === '') return 'command is blank.';
  if (command.includes('\0')) return 'command has a NUL character in it, which no shell can take.';
  if (!command.isWellFormed()) return 'command is not valid Unicode (it has half of a surrogate pair).';
  // Linux takes no single argument longer than this.
  if (Buffer.byteLength(command) >= MAX_ARGUMENT_BYTES) {
    return `command has ${Buffer.byteLength(command)} bytes; a shell takes less than ${MAX_ARGUMENT_BYTES}. Put it into a script with write_file.`;
  }
  return null;
}

const MAX_ARGUMENT_BYTES = 131_072;

function outputOf(result: CommandResult, writesGit: boolean, limit: number): RunCommandOutput {
  const { ending } = result;
  const said = result.stderr === '' ? result.stdout : `${result.stdout}\n\n[stderr]\n${result.stderr}`;
  const remarks = remarksOn(result, writesGit);
  const room = remarks === '' ? null : truncateEnd(said, Math.max(0, limit - Buffer.byteLength(remarks)));
  const structured: RunCommandOutput['structured'] = {
    exitCode: 'code' in ending ? ending.code : null,
    signal: ending.kind === 'signalled' ? ending.signal : null,
    confinement: result.confinement,
    changedFilesComplete: result.changedFilesComplete,
    ...((result.readOnlyAsShared ?? []).length === 0 ? {} : { readOnlyAsShared: [...(result.readOnlyAsShared ?? [])] }),
    ...(result.putAside.length === 0 ? {} : { putAside: result.putAside.map((file) => ({ ...file })) }),
    ...(result.lookComplete ? {} : { lookComplete: false }),
    ...(result.networkUse === null ? {} : { network: copyOf(result.networkUse) }),
  };
  return {
    content: room === null ? said : `${room.text}${remarks}`,
    structured,
    allowTruncation: false,
    outputBytes: result.outputBytes,
    outputBytesLeftOut: result.outputBytesLeftOut + (room?.leftOut ?? 0),
    redactions: result.redactions,
    controlCharactersRemoved: result.controlCharactersRemoved,
    storedOutputs: result.storedOutputs,
    changedFiles: result.changedFiles,
    confinement: result.confinement,
    resources: { cpuMs: result.cpuMs, peakMemoryBytes: result.peakMemoryBytes },
  };
}

const copyOf = ({ reached, refused }: NetworkUse) => ({ reached: [...reached], refused: [...refused] });

function failureOf(result: CommandResult): Failure | null {
  const { ending } = result;
  switch (ending.kind) {
    case 'exited': {
      const lacked = whatItLacked(result);
      const message = `exit code ${ending.code}${lacked === null ? '' : `. ${lacked}`}`;
      return ending.code === 0 ? null : { code: 'ExecutionFailed', message };
    }
    case 'signalled':
      return { code: 'ExecutionFailed', message: `exit code ${ending.code} (as after ${ending.signal})` };
    // The executor knows whether it was a time-out or a cancel, and says so instead.
    case 'stopped':
      return { code: 'Cancelled', message: 'The command was stopped.' };
    case 'limit':
      return {
        code: 'ResourceExhausted',
        message:
          ending.limit === 'disk_free'
            ? `The command was ended: it filled the disk, and less than ${inMib(KEPT_FREE)} of it were free.`
            : ending.code === null
              ? `The command was ended: it reached the limit tools.run_command.${ending.limit}.`
              : `exit code ${ending.code}. What it said last tells of the limit tools.run_command.${ending.limit}.`,
        limit: ending.limit,
      };
    case 'unstartable':
    case 'lost':
      return { code: 'ExecutionFailed', message: ending.reason };
  }
}
