import { formatExitCodeReason } from '#contract/vocabulary/call-labels.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { NetworkUse } from '#contract/vocabulary/calls.js';
import type { NamedFiles } from '../../../domain/ports/workspace/named-files.js';
import type { CommandLeftovers, CommandResult } from '../../../domain/ports/command-runner.js';
import type { Reading } from '../../../domain/commands/reading/reading.js';
import { resolveProcessTerms } from '../../../domain/tool/terms.js';
import { type Tool, ToolFailure, ToolFailureWithOutput } from '../../../domain/tool/tool.js';
import { inMib, KEPT_FREE } from '../../../domain/size-bounds.js';
import { truncateEnd } from '../../../domain/text/truncate.js';
import type { CommandReader, CommandReading } from './analysis/command-reader.js';
import { askAboutNamedSecrets, createNamedSecretFinder } from './named-secrets.js';
import { listNeededHosts } from './needed-hosts.js';
import { mayBeSharedWords, describeResult } from './remarks.js';
import { describeCarriedFiles } from '../../../domain/text/carried-words.js';
import { offerRule } from '../../../domain/policy/remembered/rule-offer.js';
import { defineTool } from '../../define-tool.js';
import { runCommand, type RunCommandOutput } from './definition.js';
import { judgeCommand } from './judge-unattended.js';
import { allowReadableFolders } from './readable-folders.js';
import { type MissingAccess, explainFailure } from './explain-failure.js';

interface RunCommandArgs {
  readonly command: string;
}

/** Bytes that “run_command failed: exit code 137 (as after SIGKILL)” and the like need beside the output. */
const RESERVED_ON_FAILURE = 160;

export function runCommandTool(
  reader: CommandReader,
  leftovers: CommandLeftovers = NOTHING_LEFT,
  files: NamedFiles = NOTHING_KNOWN,
): Tool<RunCommandArgs, 'command', CommandReading> {
  return defineTool(runCommand, {
    timeoutMs: (config) => config.tools.timeouts.shell_commands_seconds * 1000,

    parse({ command }): RunCommandArgs {
      const problem = explainUnusable(command);
      if (problem !== null) throw new ToolFailure({ code: 'BadArgs', message: problem });
      return { command };
    },

    summary: ({ command }) => command,
    standingKey: ({ command }) => ({ of: 'words', words: command }),
    gets: (situation) => ({ ...resolveProcessTerms(situation), paths: 'change', secrets: [] }),

    understand: ({ command }, { sandbox }, before) => reader.read(command, sandbox.roots, before),
    readingOf: ({ analysis }) => analysis,

    async preflight({ command }, context, { analysis: whole }) {
      const { sandbox, config } = context;
      const { readable } = config.tools.run_command;
      const analysis = allowReadableFolders(whole, readable);
      const { named } = analysis.leaves;
      const doubt = leftovers.isInDoubt(sandbox.workingDirectory) ? IN_DOUBT : null;
      const { mustAsk: secret, secrets } = await askAboutNamedSecrets(command, analysis.secrets, context);
      const mustAsk = secret ?? (named.length > 0 ? namesWords(named) : doubt);
      const { risk, unasked } = await judgeCommand(analysis, sandbox, files);
      const needs = listNeededHosts(analysis);
      const { anyHost: unknownHosts } = analysis;
      const { outside } = whole;
      return {
        risk: mustAsk === null ? risk : 'high',
        mustAsk,
        secrets,
        outside,
        readable,
        needs,
        unknownHosts,
        unasked,
      };
    },

    async effect({ command }, { sandbox }, { findings, analysis }) {
      const mayBeShared = leftovers.mayBeShared(sandbox.workingDirectory);
      const { git } = analysis.leaves;
      const rule = offerRule(analysis);
      const shared = mayBeShared.length === 0 ? {} : { mayBeShared: mayBeSharedWords(mayBeShared) };
      return { kind: 'command', command, findings, rule, git, ...shared };
    },

    async foresee(_args, { sandbox, config }, { analysis }) {
      const program = findOnlyProgram(analysis);
      const isFound =
        program === null || leftovers.finds(program, { workingDirectory: sandbox.workingDirectory, config });
      return isFound ? null : { code: 'ExecutionFailed', message: `exit code 127: “${program}” was not found.` };
    },

    async execute({ command }, context, understood) {
      const { workingDirectory } = context.sandbox;
      const { analysis } = await reader.read(command, context.sandbox.roots, understood);
      const { secrets, leaves, files: names } = analysis;
      const git = leaves.git || context.writesGit;
      const alsoSecret = await createNamedSecretFinder(command, secrets, context.sandbox);
      const result = await context.commands.run({
        callId: context.callId,
        // Where a rule lets it run, it is the words that were read that do: what was judged is what is used.
        command: context.byRule?.runs ?? command,
        ...(context.byRule === null ? {} : { leastConfinement: context.byRule.leastConfinement }),
        workingDirectory,
        isDenied: (relative) => context.sandbox.isDenied(relative, workingDirectory),
        config: context.config,
        network: context.network,
        sees: 'folder',
        readable: [],
        mayLeave: {
          git,
          gitCommands: context.writesGit ? null : leaves.gitCommands,
          named: context.byPerson ? leaves.named : [],
        },
        names,
        ...(alsoSecret === null ? {} : { alsoSecret }),
        outputLimit: context.outputLimit,
        reservedOnFailure: RESERVED_ON_FAILURE,
        signal: context.signal,
        onOutput: context.emit,
        onEvent: context.onCommandEvent,
      });
      const lacked = lackedBy(result, git, analysis);
      const output = outputOf(result, lacked, context.outputLimit);
      const failure = failureOf(result, lacked);
      if (failure !== null) {
        const askAgain = lacked?.askAgain ?? null;
        const hidden = lacked?.hidden === undefined ? {} : { hidden: lacked.hidden };
        throw new ToolFailureWithOutput(failure, askAgain === null ? output : { ...output, askAgain, ...hidden });
      }
      return output;
    },
  });
}

/** Where nobody looks, nothing is known to be kept. */
const NOTHING_KNOWN: NamedFiles = { lookAt: () => Promise.resolve(null) };

/**
 * Names the program that a command runs that is nothing but one; null where that is not certain, or the shell itself
 * does it.
 */
function findOnlyProgram({ read, notWhole }: Reading): string | null {
  const [first, ...more] = read ?? [];
  if (first === undefined || more.length > 0 || notWhole !== null || first.variables.length > 0) return null;
  const [program] = first.words;
  return program === undefined || !/^[\w.+-]+$/u.test(program) || OF_THE_SHELL.has(program) ? null : program;
}

const OF_THE_SHELL: ReadonlySet<string> = new Set(
  (
    '. alias bg break builtin case cd command continue declare dirs disown do done echo elif else enable esac eval exec exit export ' +
    'false fc fg fi for function getopts hash help history if in jobs kill let local logout popd printf pushd pwd read readonly ' +
    'return select set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while'
  ).split(' '),
);

const NOTHING_LEFT: CommandLeftovers = { isInDoubt: () => false, mayBeShared: () => [], finds: () => true };

const IN_DOUBT =
  'This folder couldn’t be checked completely after an earlier command: it may hold files that make other programs run code.';

const namesWords = (named: readonly string[]): string =>
  `${named.map((path) => `“${path}”`).join(', ')} can make other programs run code.`;

/** Explains why a shell can't be given a command as it is. The bytes that are shown are the bytes that run. */
function explainUnusable(command: string): string | null {
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

/** Only what failed lacked something; what it needs is looked at only then. */
function lackedBy(result: CommandResult, mayWriteGit: boolean, analysis: Reading): MissingAccess | null {
  const { ending, confinement } = result;
  if (ending.kind !== 'exited' || ending.code === 0) return null;
  return explainFailure(result, confinement === 'confined' ? listNeededHosts(analysis).hosts : [], mayWriteGit);
}

function outputOf(result: CommandResult, lacked: MissingAccess | null, limit: number): RunCommandOutput {
  const { ending } = result;
  const said = saidOf(result);
  const remarks = describeResult(result, lacked);
  const room = Math.max(0, limit - Buffer.byteLength(remarks));
  const withRemarks = (text: string) => (remarks === '' ? { text, leftOut: 0 } : truncateEnd(text, room));
  const cut = withRemarks(said);
  const structured: RunCommandOutput['structured'] = {
    exitCode: 'code' in ending ? ending.code : null,
    signal: ending.kind === 'signalled' ? ending.signal : null,
    confinement: result.confinement,
    changedFilesComplete: result.changedFilesComplete,
    ...((result.readOnlyAsShared ?? []).length === 0 ? {} : { readOnlyAsShared: [...(result.readOnlyAsShared ?? [])] }),
    ...((result.readOnlyAsUnkept ?? []).length === 0
      ? {}
      : { readOnlyAsNotKept: (result.readOnlyAsUnkept ?? []).map((path) => path || '.') }),
    ...(result.putAside.length === 0 ? {} : { putAside: result.putAside.map((file) => ({ ...file })) }),
    ...(result.lookComplete ? {} : { lookComplete: false }),
    ...(result.networkUse === null ? {} : { network: copyOf(result.networkUse) }),
    ...(lacked?.hosts === undefined ? {} : { networkOff: [...lacked.hosts] }),
  };
  return {
    content: `${cut.text}${remarks}`,
    structured,
    allowTruncation: false,
    outputBytes: result.outputBytes,
    outputBytesLeftOut: result.outputBytesLeftOut + cut.leftOut,
    redactions: result.redactions,
    ...(result.whole === null ? {} : { whole: `${withRemarks(saidOf(result.whole)).text}${remarks}` }),
    controlCharactersRemoved: result.controlCharactersRemoved,
    storedOutputs: result.storedOutputs,
    changedFiles: result.changedFiles,
    createdFolders: result.createdFolders,
    aftermath: {
      putAside: result.putAside,
      lookComplete: result.lookComplete,
      changesComplete: result.changedFilesComplete,
      networkUse: askedFor(result.networkUse),
    },
    warnings: describeCarriedFiles(result.carried),
    confinement: result.confinement,
    resources: { cpuMs: result.cpuMs, peakMemoryBytes: result.peakMemoryBytes },
  };
}

const askedFor = (use: NetworkUse | null): NetworkUse | null =>
  use === null || use.reached.length + use.refused.length === 0 ? null : copyOf(use);

const saidOf = ({ stdout, stderr }: Pick<CommandResult, 'stdout' | 'stderr'>): string =>
  stderr === '' ? stdout : `${stdout}\n\n[stderr]\n${stderr}`;

const copyOf = ({ reached, refused }: NetworkUse) => ({ reached: [...reached], refused: [...refused] });

function failureOf(result: CommandResult, lacked: MissingAccess | null): Failure | null {
  const { ending } = result;
  switch (ending.kind) {
    case 'exited': {
      const message = `${formatExitCodeReason(ending.code)}${lacked === null ? '' : `. ${lacked.words}`}`;
      return ending.code === 0 ? null : { code: 'ExecutionFailed', message };
    }
    case 'signalled':
      return { code: 'ExecutionFailed', message: `${formatExitCodeReason(ending.code)} (as after ${ending.signal})` };
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
              : `${formatExitCodeReason(ending.code)}. What it said last tells of the limit tools.run_command.${ending.limit}.`,
        limit: ending.limit,
      };
    case 'unstartable':
    case 'lost':
      return { code: 'ExecutionFailed', message: ending.reason };
  }
}
