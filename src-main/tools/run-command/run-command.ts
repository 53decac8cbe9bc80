import type { JsonObject } from '../../../src-preload/contract/json.js';
import type { Failure } from '../../../src-preload/contract/outcomes.js';
import type { CommandResult } from '../../domain/ports.js';
import { type Tool, ToolFailure, ToolFailureWithOutput, type ToolOutput } from '../../domain/tool.js';
import type { CommandReader } from './analysis/command-reader.js';
import { offerOfRule } from '../../domain/policy/rule-offer.js';
import { runCommandDeclaration, type RunCommandInput } from './definition.js';
import { whatItLacked } from './what-it-lacked.js';

interface RunCommandArgs {
  readonly command: string;
}

/** What “run_command failed: exit code 137 (as after SIGKILL)” and the like need beside the output. */
const RESERVED_ON_FAILURE = 160;

export function runCommandTool(reader: CommandReader): Tool<RunCommandArgs> {
  return {
    declaration: runCommandDeclaration,
    argumentsBoundedElsewhere: [],
    timeoutMs: (config) => config.tools.timeouts.shell_commands_seconds * 1000,

    parse(args) {
      const { command } = args as unknown as RunCommandInput;
      const problem = unusable(command);
      if (problem !== null) throw new ToolFailure({ code: 'BadArgs', message: problem });
      return { command };
    },

    summary: ({ command }) => `Run command: ${command}`,

    preflight: () => Promise.resolve({ risk: 'high', mustAsk: null }),

    async effect({ command }, { sandbox }) {
      const { findings, analysis } = await reader.read(command, sandbox.roots);
      return { kind: 'command', command, findings, rule: offerOfRule(analysis) };
    },

    async execute({ command }, context) {
      const { workingDirectory } = context.sandbox;
      const result = await context.commands.run({
        callId: context.callId,
        // Where a rule lets it run, it is the words that were read that do: what was judged is what is used.
        command: context.byRule?.runs ?? command,
        ...(context.byRule === null ? {} : { leastConfinement: context.byRule.leastConfinement }),
        workingDirectory,
        isDenied: (relative) => context.sandbox.isDenied(relative, workingDirectory),
        config: context.config,
        network: context.network,
        outputLimit: context.outputLimit,
        reservedOnFailure: RESERVED_ON_FAILURE,
        signal: context.signal,
        onOutput: context.emit,
        onEvent: context.onCommandEvent,
      });
      const output = outputOf(result);
      const failure = failureOf(result);
      if (failure !== null) throw new ToolFailureWithOutput(failure, output);
      return output;
    },
  };
}

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

function outputOf(result: CommandResult): ToolOutput {
  const { ending } = result;
  const structured: JsonObject = {
    exitCode: 'code' in ending ? ending.code : null,
    signal: ending.kind === 'signalled' ? ending.signal : null,
    confinement: result.confinement,
    changedFilesComplete: result.changedFilesComplete,
    ...((result.readOnlyAsShared ?? []).length === 0 ? {} : { readOnlyAsShared: [...(result.readOnlyAsShared ?? [])] }),
    ...(result.networkUse === null ? {} : { network: { ...result.networkUse } }),
    ...(result.controlCharactersRemoved > 0 ? { controlCharactersRemoved: result.controlCharactersRemoved } : {}),
  };
  return {
    content: result.stderr === '' ? result.stdout : `${result.stdout}\n\n[stderr]\n${result.stderr}`,
    structured,
    allowTruncation: false,
    outputBytes: result.outputBytes,
    outputBytesLeftOut: result.outputBytesLeftOut,
    storedOutputs: result.storedOutputs,
    changedFiles: result.changedFiles,
    confinement: result.confinement,
    resources: { cpuMs: result.cpuMs, peakMemoryBytes: result.peakMemoryBytes },
  };
}

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
            ? 'The command was ended: it filled the disk, and less than 256 MiB of it were free.'
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
