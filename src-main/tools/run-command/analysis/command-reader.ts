import { createRequire } from 'node:module';
import { Language, type Node, Parser } from 'web-tree-sitter';
import type { CommandFinding } from '../../../../src-preload/contract/approvals.js';
import type { CommandAnalyzer } from '../../../domain/gate-ports.js';
import type { CommandAnalysis } from '../../../domain/standing-confirmation.js';
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

/** The parser is loaded for the first command that is read. */
export function createCommandReader(files: () => GrammarFiles = installedGrammar): CommandReader {
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
    const found = readWith(parser, command, roots, 0);
    const findings = [...found.findings, ...hiddenTextFindings(command)]
      .sort((a, b) => a.start - b.start || b.end - a.end)
      .slice(0, MAX_FINDINGS);
    const dangers = findings.filter(({ severity }) => severity === 'danger').map(({ explanation }) => explanation);
    return {
      findings,
      analysis: {
        parts: found.parts,
        hasRedirection: found.hasRedirection,
        dangers: [...new Set([...dangers, ...found.obstacles])],
      },
    };
  };
  return { read, analyze: async (command) => (await read(command)).analysis };
}

interface Found {
  readonly findings: readonly CommandFinding[];
  readonly parts: readonly string[];
  readonly hasRedirection: boolean;
  readonly obstacles: readonly string[];
}

function readWith(parser: Parser, command: string, roots: readonly string[], depth: number): Found {
  const tree = parser.parse(command);
  if (tree === null)
    return { findings: [notRead(command, 'the parser gave up')], parts: [], hasRedirection: true, obstacles: [] };
  try {
    const walked = walk(tree.rootNode, roots);
    const inner = walked.inner.map(({ text, node }) => {
      if (depth >= MAX_DEPTH)
        return { ...nothing, findings: [at(node, 'danger', 'holds commands within commands, too deep to follow')] };
      const found = readWith(parser, text, roots, depth + 1);
      // Inside quotes positions do not match the command's own, so the whole text is marked.
      return { ...found, findings: found.findings.map((finding) => at(node, finding.severity, finding.explanation)) };
    });
    return {
      findings: [...walked.findings, ...inner.flatMap(({ findings }) => findings)],
      parts: [...walked.parts, ...inner.flatMap(({ parts }) => parts)],
      hasRedirection: walked.hasRedirection || inner.some(({ hasRedirection }) => hasRedirection),
      obstacles: [...walked.obstacles, ...inner.flatMap(({ obstacles }) => obstacles)],
    };
  } finally {
    tree.delete();
  }
}

const nothing: Found = { findings: [], parts: [], hasRedirection: false, obstacles: [] };

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

/** Without a parser nothing is known, and what is not known is a danger. */
function unreadable(command: string, error: unknown): CommandReading {
  const finding = notRead(command, error instanceof Error ? error.message : String(error));
  return {
    findings: [finding, ...hiddenTextFindings(command)],
    analysis: { parts: [], hasRedirection: true, dangers: [finding.explanation] },
  };
}
