import type { Node } from 'web-tree-sitter';
import type { PlainCommand } from '../../../../domain/commands/shell/plain-command.js';
import { resolveLiteral } from './words.js';

/**
 * Whether the parser's tree says what the reader of plain commands read: the same programs with the same words, joined in
 * the same way. Null when it does; else the kind of node that speaks against it. The tree is looked at by a closed list:
 * a node that is not on it is a reason, also where it stands for something harmless.
 */
export function findDisagreement(root: Node, commands: readonly PlainCommand[]): string | null {
  const said: string[] = [];
  const unknown = sayTree(root, said);
  if (unknown !== null) return unknown;
  const read = commands.flatMap(sayPlain);
  return said.length === read.length && said.every((each, index) => each === read[index]) ? null : 'program';
}

function sayPlain({ variables, words, redirections, joinedBy }: PlainCommand): readonly string[] {
  return [
    'command',
    ...variables.map(({ name, value }) => `variable ${name}=${value}`),
    ...words.map((word) => `word ${word}`),
    ...redirections.map((redirection) => `redirection ${redirection}`),
    ...(joinedBy === null || joinedBy === ';' ? [] : [joinedBy]),
  ];
}

function sayTree(root: Node, said: string[]): string | null {
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.isError || node.isMissing) return 'ERROR';
    switch (node.type) {
      case 'program':
      case 'list':
      case 'pipeline':
      case 'redirected_statement':
        break;
      case 'command':
        said.push('command');
        break;
      case '&&':
      case '||':
      case '|':
        said.push(node.type);
        continue;
      // The tree has none for a line end; that a command ends there is said by the next one's beginning.
      case ';':
      case '\n':
        continue;
      case 'variable_assignment': {
        const value = node.childForFieldName('value');
        const literal = value === null ? '' : resolveLiteral(value);
        if (literal === null || !PLAIN.has(value?.type ?? 'word')) return value?.type ?? node.type;
        said.push(`variable ${node.childForFieldName('name')?.text ?? ''}=${literal}`);
        continue;
      }
      case 'file_redirect': {
        const text = node.text.replace(/[ \t]+/u, '').replace(/^1/u, '');
        said.push(`redirection ${text}`);
        continue;
      }
      case 'command_name': {
        const odd = notPlain(node.namedChildren[0] ?? node);
        if (odd !== null) return odd;
        said.push(`word ${resolveLiteral(node) ?? ''}`);
        continue;
      }
      default: {
        const odd = notPlain(node);
        if (odd !== null) return odd;
        said.push(`word ${resolveLiteral(node) ?? ''}`);
        continue;
      }
    }
    for (const child of node.children.toReversed()) if (child !== null) waiting.push(child);
  }
  return null;
}

const PLAIN: ReadonlySet<string> = new Set(['word', 'number', 'string', 'raw_string', 'concatenation']);

/** The kind of the node where it is no plain word, or holds something that is none. */
function notPlain(node: Node): string | null {
  if (!PLAIN.has(node.type)) return node.type;
  if (node.type === 'concatenation') {
    for (const child of node.namedChildren) {
      const odd = child === null ? node.type : notPlain(child);
      if (odd !== null) return odd;
    }
    return null;
  }
  if (node.type !== 'string') return null;
  return node.namedChildren.find((child) => child !== null && child.type !== 'string_content')?.type ?? null;
}
