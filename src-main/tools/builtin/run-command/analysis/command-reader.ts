import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { Language, type Node, Parser } from 'web-tree-sitter';
import type { CommandFinding } from '#contract/vocabulary/effects.js';
import type { CommandAnalyzer } from '../../../../domain/ports/gate/command-analyzer.js';
import { type PlainCommand, readPlainCommand, writtenAnew } from '../../../../domain/policy/plain-command.js';
import type { CommandAnalysis } from '../../../../domain/policy/standing-confirmation.js';
import { disagreement } from './agreement.js';
import { walk } from './findings.js';
import { hiddenTextFindings } from './hidden-text.js';

/** Reads a command as a shell would, without running it. */
export interface CommandReader extends CommandAnalyzer {
  read(command: string, roots?: readonly string[]): Promise<CommandReading>;
}

export interface CommandReading {
  /** For the approval sheet, in the order of the command. */
  readonly findings: readonly CommandFinding[];
  /** For standing confirmations. */
  readonly analysis: CommandAnalysis;
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

/** How deep commands inside commands (`sh -c "sh -c …"`) are followed. */
const MAX_DEPTH = 4;
const MAX_FINDINGS = 200;
/** What a shell can be given as one argument, and no more. */
const MAX_ARGUMENT_BYTES = 131_072;

/**
 * The parser is loaded for the first command that is read. `onFault` is told when it failed over a command: what it would
 * answer next is not to be relied on.
 */
export function createCommandReader(
  files: () => GrammarFiles = installedGrammar,
  onFault: (error: unknown) => void = () => undefined,
): CommandReader {
  let loading: Promise<Parser> | null = null;
  const load = async (): Promise<Parser> => {
    const { runtime, grammar } = files();
    await Parser.init({ locateFile: () => runtime });
    return new Parser().setLanguage(await Language.load(grammar));
  };

  const read = async (command: string, roots: readonly string[] = []): Promise<CommandReading> => {
    let parser: Parser;
    try {
      parser = await (loading ??= load());
    } catch (error) {
      loading = null;
      return unreadable(command, error);
    }
    try {
      return readingOf(command, readWith(parser, command, roots, 0));
    } catch (error) {
      loading = null;
      onFault(error);
      return unreadable(command, error);
    }
  };
  return { read, analyze: async (command, roots) => (await read(command, roots)).analysis };
}

/**
 * Dangers are never left out for notices: none of them is missing where a standing confirmation is looked for, and they
 * come first where only so many places can be pointed at.
 */
function readingOf(command: string, found: Found): CommandReading {
  const all = [...found.findings, ...hiddenTextFindings(command)].sort((a, b) => a.start - b.start || b.end - a.end);
  const [dangers, notices] = [all.filter(isDanger), all.filter((finding) => !isDanger(finding))];
  const shown = new Set([...dangers, ...notices].slice(0, MAX_FINDINGS - 1));
  const rest = all.find((finding) => !shown.has(finding));
  const reasons = [...new Set(dangers.map(({ explanation }) => inShort(explanation)))];
  return {
    findings: [
      ...all
        .filter((finding) => shown.has(finding))
        .map((finding) => ({ ...finding, explanation: inShort(finding.explanation) })),
      ...(rest === undefined ? [] : [notAllShown(rest.start, command.length)]),
    ],
    analysis: {
      read: found.read,
      obstacles: [...new Set(found.obstacles)].slice(0, MAX_FINDINGS),
      dangers: reasons.slice(0, MAX_FINDINGS),
    },
  };
}

const isDanger = ({ severity }: CommandFinding): boolean => severity === 'danger';

const LONGEST_EXPLANATION = 400;
/** A name in it may be as long as a command can be. */
const inShort = (explanation: string): string =>
  explanation.length <= LONGEST_EXPLANATION
    ? explanation
    : `${explanation.slice(0, LONGEST_EXPLANATION).toWellFormed()}…`;

interface Found {
  readonly findings: readonly CommandFinding[];
  /** Where the reader is certain of it; of what stands inside the command, never. */
  readonly read: readonly PlainCommand[] | null;
  readonly obstacles: readonly string[];
}

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
  const odd = disagreement(root, reading.commands);
  if (odd !== null) return { why: odd };
  const anew = writtenAnew(reading.commands);
  const again = readPlainCommand(anew);
  if (!again.understood || !isDeepStrictEqual(again.commands, reading.commands)) return { why: 'its words' };
  return Buffer.byteLength(anew) < MAX_ARGUMENT_BYTES ? reading : { why: 'its length' };
}

function readWith(parser: Parser, command: string, roots: readonly string[], depth: number): Found {
  const tree = parser.parse(command);
  if (tree === null) return { ...nothing, findings: [notRead(command, 'the parser gave up')] };
  try {
    const walked = walk(tree.rootNode, roots);
    const inner = walked.inner.map(({ text, node }) => {
      if (depth >= MAX_DEPTH)
        return { ...nothing, findings: [at(node, 'danger', 'holds commands within commands, too deep to follow')] };
      const found = readWith(parser, text, roots, depth + 1);
      // Inside quotes positions do not match the command's own, so the whole text is marked.
      return { ...found, findings: found.findings.map((finding) => at(node, finding.severity, finding.explanation)) };
    });
    const reading = depth === 0 ? certain(tree.rootNode, command) : { why: 'it stands in another' };
    return {
      findings: [...walked.findings, ...inner.flatMap(({ findings }) => findings)],
      read: 'why' in reading ? null : reading.commands,
      obstacles: [
        ...('why' in reading && depth === 0 ? [`Not understood for certain: ${reading.why}.`] : []),
        ...walked.obstacles,
        ...inner.flatMap(({ obstacles }) => obstacles),
      ],
    };
  } finally {
    tree.delete();
  }
}

const nothing: Found = { findings: [], read: null, obstacles: [] };

const at = (node: Node, severity: CommandFinding['severity'], explanation: string): CommandFinding => ({
  start: node.startIndex,
  end: node.endIndex,
  severity,
  explanation,
});

const notRead = (command: string, why: string): CommandFinding => ({
  start: 0,
  end: command.length,
  severity: 'danger',
  explanation: `could not be looked at (${why}); read it closely`,
});

const notAllShown = (start: number, end: number): CommandFinding => ({
  start,
  end,
  severity: 'danger',
  explanation: 'holds more that deserves a look than is marked here; read it closely',
});

/** Without a parser nothing is known, and what is not known is a danger. */
export function unreadable(command: string, error: unknown): CommandReading {
  const finding = notRead(command, error instanceof Error ? error.message : String(error));
  return {
    findings: [finding, ...hiddenTextFindings(command)],
    analysis: { read: null, obstacles: [], dangers: [finding.explanation] },
  };
}
