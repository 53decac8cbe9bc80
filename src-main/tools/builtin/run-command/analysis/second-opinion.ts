import type { Node } from 'web-tree-sitter';
import type { SecondOpinion } from '../../../../domain/commands/reading/read-command.js';
import { isDisguised, resolveLiteral } from './words.js';

type Opinion = Pick<SecondOpinion, 'doubts' | 'commands'>;

/**
 * Goes through the tree that the parser for bash makes of a text, in the order in which it is written: which programs it sees, where
 * commands stand, and what is no command to it, or not the same to every shell. What programs do it doesn’t know.
 */
export function formSecondOpinion(root: Node): Opinion {
  const seen: Seen = { doubts: [], commands: [] };
  const functions = new Set<string>();
  const cursor = root.walk();
  try {
    for (;;) {
      // Only what is looked at closer becomes a node.
      if (LOOKED_AT.has(cursor.nodeType) || cursor.nodeIsMissing) look(cursor.currentNode, seen, functions);
      if (cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return seen;
    }
  } finally {
    cursor.delete();
  }
}

/** Nodes of bash’s own grammar that other shells read as commands, pipes and redirections. */
const OTHERWISE: readonly string[] = [
  'regex',
  'ansi_c_string',
  'translated_string',
  'arithmetic_expansion',
  'compound_statement',
  'c_style_for_statement',
  'extglob_pattern',
  '==',
  '=~',
  '|&',
  '&>',
  '&>>',
  'test_command',
];
const LOOKED_AT: ReadonlySet<string> = new Set([...OTHERWISE, 'ERROR', 'command', 'function_definition']);

type Seen = { readonly [part in keyof Opinion]: Opinion[part][number][] };

function look(node: Node, { doubts, commands }: Seen, functions: Set<string>): void {
  const doubt = ({ startIndex: start, endIndex: end }: Node, words: string): void => {
    doubts.push({ start, end, words });
  };
  if (node.isError || node.isMissing) {
    doubt(node, 'can’t be read as a shell command, so what runs isn’t certain');
    return;
  }
  switch (node.type) {
    case 'function_definition':
      functions.add(node.childForFieldName('name')?.text ?? '');
      break;
    case 'redirected_statement':
      commands.push({ start: node.startIndex, end: node.endIndex, program: null });
      break;
    case 'command': {
      const name = node.childForFieldName('name');
      const program = name === null ? null : resolveLiteral(name);
      commands.push({ start: node.startIndex, end: node.endIndex, program });
      if (name === null || program === null) break;
      if (isDisguised(name, program)) doubt(name, `is another way to write “${program}”`);
      if (functions.has(program))
        doubt(node, `calls ${program}, which this command defines itself and which may never end`);
      break;
    }
    default:
      if (isReadOtherwise(node)) doubt(node, 'means different things to different shells, so what runs isn’t certain');
      break;
  }
}

function isReadOtherwise(node: Node): boolean {
  switch (node.type) {
    case 'arithmetic_expansion':
      return !node.text.startsWith('$((');
    case 'compound_statement':
      return node.text.startsWith('((');
    // `[ -f x ]` is a command like any other; what stands in it may be more than the test.
    case 'test_command':
      return !node.text.startsWith('[ ') || /[|&;<>\n(`]/u.test(node.text);
    default:
      return OTHERWISE.includes(node.type);
  }
}
