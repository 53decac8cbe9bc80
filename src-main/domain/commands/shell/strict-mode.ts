import { literalText } from './word-text.js';
import { type ShellWord, UnreadableScript } from './syntax.js';

/**
 * The strict mode of the reader: words, what joins commands, streams that are joined or dropped, a few variables in front, `time`, and
 * one `cd` before all the rest. It is a closed list. What is not on it is not understood, whatever it may mean, and no rule covers it.
 */
export const STRICT = {
  /** Letters that stand for themselves in every shell. */
  plain: /[\w\-./:=@%+,^]+/y,
  blanks: /[ \t]*/y,
  redirection: /(?:2>&1|[12]?>[ \t]*\/dev\/null)(?=[ \t\n;|]|&&|$)/y,
  /** A character that ends a word; what else stands right behind one is not understood. */
  endsWord: /[ \t\n;|&]/u,
  maxCommands: 500,
} as const;

/** Variables that programs are often given and that change no more than how they say things. */
export const HARMLESS_VARIABLE =
  /^(?:LANG|LC_[A-Z]+|TZ|CI|TERM|COLUMNS|NODE_ENV|NO_COLOR|FORCE_COLOR|DEBUG|RUST_BACKTRACE|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED)$/u;

/**
 * Words that are the shell's own grammar in one shell or another, and what changes the shell itself: where it is, its
 * variables, what names mean. What comes after them is no longer what it looks like.
 */
const SHELLS_OWN: ReadonlySet<string> = new Set(
  (
    '! { } case coproc do done elif else esac fi for function if in select then time until while ' +
    '. alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown enable ' +
    'eval exec exit export fc fg getopts hash help history jobs let local logout mapfile newgrp popd pushd read readarray ' +
    'readonly return set setvar shift shopt source suspend times trap type typeset ulimit umask unalias unset wait [ [['
  ).split(' '),
);

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\$\(\(|\$\[/y, 'arithmetic'],
  [/\$\(|`/y, 'a command inside another'],
  [/\$'|\$"/y, 'a quote that only some shells know'],
  [/\$/y, 'a variable'],
  [/\\\n/y, 'a line that goes on after a backslash'],
  [/\\/y, 'a backslash'],
  [/[*?]/y, 'a glob'],
  [/[[\]]/y, 'a glob or a test'],
  [/~/y, 'a tilde'],
  [/[{}]/y, 'a brace'],
  [/[()]/y, 'a parenthesis'],
  [/[<>]|&>/y, 'a redirection'],
  [/&/y, 'something in the background'],
  [/[;|]/y, 'nothing between two of what joins commands'],
  [/#/y, 'a comment'],
  [/!/y, 'an exclamation mark'],
];

/** Names what stands here, for what strict mode doesn’t take. */
export function refuse({ text, at }: { readonly text: string; readonly at: number }): UnreadableScript {
  const [, name] = NAMES.find(([pattern]) => ((pattern.lastIndex = at), pattern.test(text))) ?? [];
  return new UnreadableScript(
    at,
    name ?? (at >= text.length ? 'nothing where a command should be' : 'a character that has to stand in quotes'),
  );
}

/** The command as far as it is read. */
interface BegunCommand {
  readonly isFirst: boolean;
  readonly words: readonly ShellWord[];
  readonly redirects: readonly unknown[];
}

/**
 * Explains what is a word like any other to one shell, and something special to another; null where nothing is. `written`: with its quotes.
 * `variable`: the name where it sets one.
 */
export function explainRefusal(
  word: ShellWord,
  written: string,
  variable: string | null,
  { isFirst, words, redirects }: BegunCommand,
): string | null {
  if (redirects.length > 0) return 'a word after a redirection';
  if (variable !== null)
    return HARMLESS_VARIABLE.test(variable) ? null : `a variable that is set (${shorten(variable)})`;
  const [first] = words;
  if (first === undefined && (written === 'time' || (written === 'cd' && isFirst))) return null;
  if (written.startsWith('=')) return 'a word that begins with =';
  const isProgram = first === undefined || (words.length === 1 && literalText(first) === 'time');
  if (!isProgram) return null;
  const value = literalText(word) ?? '';
  if (SHELLS_OWN.has(value)) return `the shell’s own word “${value}”`;
  // `a+=1` and `a[1]=2` are assignments to some; `sh -c` takes a text that begins with a sign for options of its own.
  return value === '' || /^[^/]*=|^[-+%]/u.test(value) ? 'something that isn’t a program’s name' : null;
}

const shorten = (name: string): string => (name.length <= 40 ? name : `${name.slice(0, 40)}…`);
