/**
 * Enough colour to read a change by: strings, numbers, comments, keywords. It works line by line because a comparison
 * shows single lines out of their files; a grammar per language would need both files whole, megabytes of them, before
 * the first line of the sheet could be drawn. The colour carries no meaning that the text does not.
 */
export interface Token {
  readonly text: string;
  readonly kind: 'keyword' | 'string' | 'number' | 'comment' | 'name' | null;
}

interface Language {
  readonly comment: RegExp | null;
  readonly keywords: ReadonlySet<string>;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const C_LIKE: Language = {
  comment: /^(?:\/\/.*|\/\*.*?(?:\*\/|$)|\*(?: .*|\/)?$)/,
  keywords: words(
    'abstract as async await bool boolean break case catch char class const continue default defer delete do double else enum export extends extern false final finally float fn for from func function go if impl implements import in instanceof int interface let long loop match mod module mut namespace new nil null number of package private protected pub public readonly return self short static string struct super switch this throw throws trait true try type typeof undefined union unsafe use using var void volatile where while with yield',
  ),
};
const HASH: Language = {
  comment: /^#.*/,
  keywords: words(
    'and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export false False fi finally for from function global if import in is lambda local module nil None nonlocal not null or pass raise require rescue return self set source then true True try unless until when while with yield',
  ),
};
const SQL: Language = {
  comment: /^--.*/,
  keywords: words(
    'add alter and as begin by case commit create delete desc drop else end exists from group having in index insert into is join key left like limit not null on or order primary select set table then union unique update values view when where',
  ),
};
const MARKUP: Language = { comment: /^<!--.*?(?:-->|$)/, keywords: new Set() };
const DATA: Language = { comment: null, keywords: words('true false null') };

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  ...of(C_LIKE, 'c cc cpp cs css cjs go h hpp java js jsx kt less mjs php rs scala scss swift ts tsx zig'),
  ...of(HASH, 'bash conf dockerfile env gitignore ini makefile mk pl ps1 py rb sh toml yaml yml zsh'),
  ...of(SQL, 'sql'),
  ...of(MARKUP, 'html htm svg xml vue'),
  ...of(DATA, 'json jsonl jsonc'),
};

function of(language: Language, extensions: string): Record<string, Language> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, language]));
}

const STRING = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?)/;
const NUMBER = /^(?:0x[\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)/i;
const WORD = /^[\p{L}_$][\p{L}\p{N}_$]*/u;
/** Past this a line is data, not code. */
const TOO_LONG = 2000;

export function highlightLine(line: string, path: string): readonly Token[] {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  const language = BY_EXTENSION[name.split('.').at(-1) ?? ''];
  if (language === undefined || line.length > TOO_LONG) return line === '' ? [] : [{ text: line, kind: null }];
  const tokens: Token[] = [];
  let plain = '';
  let at = 0;
  const push = (text: string, kind: Token['kind']): void => {
    if (plain !== '') tokens.push({ text: plain, kind: null });
    plain = '';
    tokens.push({ text, kind });
    at += text.length;
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const comment = language.comment?.exec(rest)?.[0];
    if (comment !== undefined && comment !== '' && startsComment(line, at, comment)) {
      push(comment, 'comment');
      continue;
    }
    const string = STRING.exec(rest)?.[0];
    if (string !== undefined && string.length > 1) {
      push(string, /^\s*:/.test(line.slice(at + string.length)) ? 'name' : 'string');
      continue;
    }
    const word = WORD.exec(rest)?.[0];
    if (word !== undefined) {
      const known = language.keywords.has(word) || (language === SQL && language.keywords.has(word.toLowerCase()));
      if (known) push(word, 'keyword');
      else {
        plain += word;
        at += word.length;
      }
      continue;
    }
    const number = NUMBER.exec(rest)?.[0];
    if (number !== undefined) {
      push(number, 'number');
      continue;
    }
    plain += line[at] ?? '';
    at += 1;
  }
  if (plain !== '') tokens.push({ text: plain, kind: null });
  return tokens;
}

/** “#” and “*” begin a comment only where a word could begin; “https://” is no comment either. */
function startsComment(line: string, at: number, comment: string): boolean {
  const before = line.slice(0, at);
  if (comment.startsWith('*')) return before.trim() === '';
  if (comment.startsWith('#')) return before === '' || /\s$/.test(before);
  return !(comment.startsWith('//') && before.endsWith(':'));
}
