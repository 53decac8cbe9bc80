import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { Language, type Node, Parser } from 'web-tree-sitter';
import type { CommandFinding } from '#contract/vocabulary/effects.js';
import type { CommandAnalyzer } from '../../../../domain/ports/gate/command-analyzer.js';
import { type PlainCommand, readPlainCommand, formatCommand } from '../../../../domain/commands/shell/plain-command.js';
import type { Folder } from '../../../../domain/commands/reading/folder.js';
import { unreadableReading, readCommand } from '../../../../domain/commands/reading/read-command.js';
import type { Reading } from '../../../../domain/commands/reading/reading.js';
import { findDisagreement } from './agreement.js';
import { formSecondOpinion } from './second-opinion.js';
import { findHiddenText } from './hidden-text.js';
import { areInputsUnchanged, type ReadingInputs, recordInputs } from './reading-inputs.js';
import { openFolderOnDisk } from '../../../../platform/files/folder-on-disk.js';

/** Reads a command as a shell would, without running it. */
export interface CommandReader extends CommandAnalyzer {
  /**
   * Reads a command. `before`: an earlier reading of it, which is given again where everything that it depended on is
   * the same.
   */
  read(command: string, roots?: readonly string[], before?: CommandReading | null): Promise<CommandReading>;
}

export interface CommandReading {
  readonly command: string;
  readonly roots: readonly string[];
  /**
   * The inputs that the reading depended on besides its text; null where it could not be read, which may be otherwise
   * the next time.
   */
  readonly lookedAt: ReadingInputs | null;
  /** Findings for the approval sheet, in the order of the command. */
  readonly findings: readonly CommandFinding[];
  /** The reading for rules, for what asks, and for risk. */
  readonly analysis: Reading;
}

export interface GrammarFiles {
  /** The parser itself, and bash's grammar; each as a file. */
  readonly runtime: string;
  readonly grammar: string;
}

/** Where the packages keep them, also inside a packaged app. */
export function installedGrammar(): GrammarFiles {
  const require = createRequire(import.meta.url);
  return {
    runtime: require.resolve('web-tree-sitter/web-tree-sitter.wasm'),
    grammar: require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
  };
}

const MAX_FINDINGS = 200;
/** Bytes that a shell can be given as one argument, and no more. */
const MAX_ARGUMENT_BYTES = 131_072;

/**
 * The parser is loaded for the first command that is read. `onFault` is told when it failed over a command: what it would
 * answer next is not to be relied on.
 */
export function createCommandReader(
  files: () => GrammarFiles = installedGrammar,
  onFault: (error: unknown) => void = () => undefined,
  folderOf: (roots: readonly string[]) => Folder = openFolderOnDisk,
): CommandReader {
  let loading: Promise<Parser> | null = null;
  const load = async (): Promise<Parser> => {
    const { runtime, grammar } = files();
    await Parser.init({ locateFile: () => runtime });
    return new Parser().setLanguage(await Language.load(grammar));
  };

  const read = async (
    command: string,
    roots: readonly string[] = [],
    before: CommandReading | null = null,
  ): Promise<CommandReading> => {
    const hungOn = before === null ? null : reusableInputs(before, command, roots);
    if (before !== null && hungOn !== null && areInputsUnchanged(hungOn, folderOf(roots))) return before;
    let parser: Parser;
    try {
      parser = await (loading ??= load());
    } catch (error) {
      loading = null;
      return unreadable(command, roots, error);
    }
    try {
      return readWith(parser, command, roots, folderOf(roots));
    } catch (error) {
      loading = null;
      onFault(error);
      return unreadable(command, roots, error);
    }
  };
  return { read, analyze: async (command, roots) => (await read(command, roots)).analysis };
}

/**
 * Chooses what the sheet points at: what the reading found, by which risk goes as well, since only what makes it high
 * risk is a danger. Dangers are never left out for notices, and come first where only so many places can be pointed at.
 */
function chooseFindings({ found }: Reading, length: number): readonly CommandFinding[] {
  const dangers = found.filter(({ kind }) => kind !== 'notice');
  const shown = new Set([...dangers, ...found.filter(({ kind }) => kind === 'notice')].slice(0, MAX_FINDINGS - 1));
  const rest = found.find((each) => !shown.has(each));
  const isDanger = dangers.some((each) => !shown.has(each));
  return [
    ...found
      .filter((each) => shown.has(each))
      .map(({ kind, start, end, words }): CommandFinding => {
        const severity = kind === 'notice' ? 'notice' : 'danger';
        return { start, end, severity, explanation: inShort(words) };
      }),
    ...(rest === undefined ? [] : [notAllShown(rest.start, length, isDanger ? 'danger' : 'notice')]),
  ];
}

const MAX_EXPLANATION_LENGTH = 400;
/** A name in it may be as long as a command can be. */
const inShort = (explanation: string): string =>
  explanation.length <= MAX_EXPLANATION_LENGTH
    ? explanation
    : `${explanation.slice(0, MAX_EXPLANATION_LENGTH).toWellFormed()}…`;

/**
 * Two readers that know nothing of each other have to agree: the one of plain commands, which is strict, and the parser,
 * which knows more of the language. What they read, written anew, has to be read as the same once more.
 */
function certain(
  root: Node,
  command: string,
): { readonly commands: readonly PlainCommand[] } | { readonly why: string } {
  const reading = readPlainCommand(command);
  if (!reading.understood) return { why: reading.why };
  const odd = findDisagreement(root, reading.commands);
  if (odd !== null) return { why: odd };
  const anew = formatCommand(reading.commands);
  const again = readPlainCommand(anew);
  if (!again.understood || !isDeepStrictEqual(again.commands, reading.commands)) return { why: 'its words' };
  return Buffer.byteLength(anew) < MAX_ARGUMENT_BYTES ? reading : { why: 'its length' };
}

/**
 * Finds the inputs of an earlier reading, where it was of this very command in these folders; null where nothing of it
 * counts.
 */
export function reusableInputs(
  before: CommandReading,
  command: string,
  roots: readonly string[],
): ReadingInputs | null {
  return before.command === command && isDeepStrictEqual(before.roots, roots) ? before.lookedAt : null;
}

function readWith(parser: Parser, command: string, roots: readonly string[], onDisk: Folder): CommandReading {
  const tree = parser.parse(command);
  if (tree === null) return unreadable(command, roots, 'the parser gave up');
  const { folder, lookedAt } = recordInputs(onDisk);
  try {
    const plain = certain(tree.rootNode, command);
    const { doubts, commands } = formSecondOpinion(tree.rootNode);
    const reading = readCommand(command, folder, {
      read: 'why' in plain ? null : plain.commands,
      obstacles: 'why' in plain ? [`Its words can’t be read with certainty: ${plain.why}.`] : [],
      doubts: [...doubts, ...findHiddenText(command)],
      commands,
    });
    const analysis = { ...reading, dangers: reading.dangers.slice(0, MAX_FINDINGS).map(inShort) };
    return { command, roots, lookedAt: lookedAt(), findings: chooseFindings(analysis, command.length), analysis };
  } finally {
    tree.delete();
  }
}

const notAllShown = (start: number, end: number, severity: CommandFinding['severity']): CommandFinding => ({
  start,
  end,
  severity,
  explanation: 'holds more risky parts than are marked here; read it closely',
});

/** Builds the reading of a command that no parser could read: nothing is known, and what is not known is a danger. */
export function unreadable(command: string, roots: readonly string[], error: unknown): CommandReading {
  const why = `couldn’t be checked (${error instanceof Error ? error.message : String(error)}); read it closely`;
  const analysis = unreadableReading(why, command.length, findHiddenText(command));
  return { command, roots, lookedAt: null, findings: chooseFindings(analysis, command.length), analysis };
}
