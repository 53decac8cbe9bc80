import type { Node } from 'web-tree-sitter';

/** Resolves the text of a word once the shell has read it; null where only running it would tell. */
export function resolveLiteral(node: Node): string | null {
  switch (node.type) {
    case 'command_name': {
      const [child] = node.namedChildren;
      return child === null || child === undefined ? unescape(node.text) : resolveLiteral(child);
    }
    case 'word':
    case 'number':
      return unescape(node.text);
    case 'raw_string':
      return node.text.slice(1, -1);
    case 'ansi_c_string':
      return decodeAnsiC(node.text.slice(2, -1));
    case 'string':
      return node.namedChildren.every((child) => child?.type === 'string_content')
        ? node.text
            .slice(1, -1)
            .replace(/\\([\\"$`])/gu, '$1')
            .replace(/\\\n/gu, '')
        : null;
    case 'concatenation': {
      const parts = node.namedChildren.map((child) => (child === null ? null : resolveLiteral(child)));
      return parts.includes(null) ? null : parts.join('');
    }
    default:
      return null;
  }
}

const unescape = (text: string): string => text.replace(/\\\n/gu, '').replace(/\\([\s\S])/gu, '$1');

const ANSI_C: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u{7}',
  b: '\b',
  e: '\u{1b}',
  E: '\u{1b}',
  f: '\f',
  v: '\v',
};

function decodeAnsiC(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/gu,
    (_, hex?: string, short?: string, long?: string, octal?: string, other?: string) => {
      const digits = hex ?? short ?? long;
      if (digits !== undefined) return fromCode(parseInt(digits, 16));
      if (octal !== undefined) return fromCode(parseInt(octal, 8) & 0xff);
      return ANSI_C[other ?? ''] ?? other ?? '';
    },
  );
}

const fromCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\u{fffd}');

/** Whether the word is spelled so that a reader may not see what it says: `r''m`, `\rm`, `$'\x72m'`. */
export function isDisguised(node: Node, literal: string): boolean {
  if (node.text === literal) return false;
  const inner = node.type === 'command_name' ? (node.namedChildren[0] ?? node) : node;
  if (inner.type === 'ansi_c_string') return /\\[xuU0-7]/u.test(inner.text);
  // A whole word in quotes is plain to read; quotes and backslashes inside a word are not.
  if (inner.type === 'string' || inner.type === 'raw_string') return false;
  return /^[\w./-]+$/u.test(literal);
}
