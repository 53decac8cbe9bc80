/**
 * The part of the shell's language that every shell reads alike, and nothing else: words, what joins commands, streams
 * that are joined or dropped, a few variables in front, `time`, and one `cd` before all the rest. It is read by a closed list. What is not on it is not
 * understood, whatever it may mean, and no rule covers it.
 */

export interface PlainCommand {
  /** Variables set before the program: names of the listed few. */
  readonly variables: readonly PlainVariable[];
  /** The program's words, its own name first, as the shell gives them to it. */
  readonly words: readonly [string, ...string[]];
  /** Redirections as they are written anew: `2>&1`, `>/dev/null`. */
  readonly redirections: readonly string[];
  /** The operator between this command and the next; null at the end. */
  readonly joinedBy: Joint | null;
}

interface PlainVariable {
  readonly name: string;
  readonly value: string;
}

export type Joint = '&&' | '||' | ';' | '|';

export type PlainReading =
  | { readonly understood: true; readonly commands: readonly PlainCommand[] }
  /** Where it stops being understood, and why: “a glob (*)”. */
  | { readonly understood: false; readonly at: number; readonly why: string };

/** Variables that change no more than how a program says things. */
const HARMLESS_VARIABLE =
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

/** Limit of commands in a text: whoever sends it may make it of sixty thousand. */
const MAX_COMMANDS = 500;

export function readPlainCommand(text: string): PlainReading {
  const commands: PlainCommand[] = [];
  let at = 0;
  const unknown = (why: string, where = at): PlainReading => ({ understood: false, at: where, why });
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [''];
    at += found.length;
    return found;
  };

  const trouble = TROUBLE.exec(text);
  if (trouble !== null) return unknown('a control character', trouble.index);

  for (;;) {
    // A line end after what joins two commands, and an empty line, say nothing.
    skip(EMPTY);
    if (at === text.length) {
      const last = commands.at(-1);
      if (last === undefined) return unknown('nothing but empty space');
      if (last.joinedBy === ';' || last.joinedBy === null)
        return { understood: true, commands: [...commands.slice(0, -1), { ...last, joinedBy: null }] };
      return unknown(`nothing after ${last.joinedBy}`);
    }
    if (commands.length >= MAX_COMMANDS) return unknown('more commands than are looked at');
    const began = at;
    const variables: PlainVariable[] = [];
    const words: string[] = [];
    let isTimed = false;
    const redirections: string[] = [];
    for (;;) {
      skip(BLANKS);
      const redirection = skip(REDIRECTION);
      if (redirection !== '') {
        if (words.length === 0) return unknown('a redirection with no command before it', at - redirection.length);
        redirections.push(redirection.replace(/[ \t]+/u, '').replace(/^1/u, ''));
        continue;
      }
      const start = at;
      const word = readWord(text, at);
      if (word === null) break;
      if (!word.ok) return unknown(word.why, word.at);
      at = word.end;
      const next = text[at];
      if (next !== undefined && !ENDS_WORD.test(next)) return unknown(nameOf(text, at));
      if (redirections.length > 0) return unknown('a word after a redirection', start);
      const bare = text.slice(start, at);
      if (words.length === 0 && isAssignment(bare)) {
        const name = bare.slice(0, bare.indexOf('='));
        if (!HARMLESS_VARIABLE.test(name)) return unknown(`a variable that is set (${shorten(name)})`, start);
        variables.push({ name, value: word.value.slice(name.length + 1) });
        continue;
      }
      const isProgram = words.length === (isTimed ? 1 : 0);
      if (bare === 'time' && words.length === 0) isTimed = true;
      else if (!(bare === 'cd' && words.length === 0 && commands.length === 0)) {
        const odd = findOddity(bare, word.value, isProgram);
        if (odd !== null) return unknown(odd, start);
      }
      words.push(word.value);
    }
    const [first, ...rest] = words;
    if (first === undefined)
      return variables.length > 0 ? unknown('variables with no command after them', began) : unknown(nameOf(text, at));
    const joint = skip(JOINT);
    if (joint === '' && at < text.length) return unknown(nameOf(text, at));
    const joinedBy = joint === '' ? null : joint === '\n' ? ';' : (joint as Joint);
    if (isTimed && rest.length === 0) return unknown('nothing after time', began);
    commands.push({ variables, words: [first, ...rest], redirections, joinedBy });
    if (commands[0]?.words[0] === 'cd' && !dependsOnCd(commands, at === text.length))
      return unknown('a cd that may lead elsewhere, or nowhere', began);
  }
}

/** `cd a && x | y`: to a folder that is said as it is, and all the rest runs there or not at all. */
function dependsOnCd(commands: readonly PlainCommand[], isLast: boolean): boolean {
  const [cd, ...rest] = commands;
  const joint = commands.at(-1)?.joinedBy;
  if (rest.length > 0) return joint === '&&' || joint === '|' || isLast;
  const [, folder = '', ...more] = cd?.words ?? [];
  const others = (cd?.variables.length ?? 0) + (cd?.redirections.length ?? 0) + more.length;
  return joint === '&&' && others === 0 && /^[^-+~]/u.test(folder) && !folder.split('/').includes('..');
}

/** The same commands, each word between quotes in which nothing has a meaning: what a rule lets run. */
export function formatCommand(commands: readonly PlainCommand[]): string {
  return commands
    .map(({ variables, words, redirections, joinedBy }) => {
      const simple = [
        ...variables.map(({ name, value }) => `${name}=${quoted(value)}`),
        // The one is a word of the shell’s own only where it is bare; the other is the same either way.
        ...words.map((word, index) => (index === 0 && (word === 'time' || word === 'cd') ? word : quoted(word))),
        ...redirections,
      ].join(' ');
      return joinedBy === null ? simple : joinedBy === ';' ? `${simple}; ` : `${simple} ${joinedBy} `;
    })
    .join('');
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;

/** Tab and line end are the only ones with a place here; CR and its like end nothing and hide much. */
// oxlint-disable-next-line no-control-regex
const TROUBLE = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/u;
const EMPTY = /[ \t\n]*/y;
const BLANKS = /[ \t]*/y;
const REDIRECTION = /(?:2>&1|[12]?>[ \t]*\/dev\/null)(?=[ \t\n;|]|&&|$)/y;
const JOINT = /&&|\|\||;(?![;&])|\|(?![|&])|\n/y;
const ENDS_WORD = /[ \t\n;|&]/u;
const BARE = /[\w\-./:=@%+,^]+/y;
const IN_SINGLE = /'[^']*'/y;
const IN_DOUBLE = /[^"\\$`]+|\\["\\$`]|\\(?=[^\n"\\$`])/y;

type PlainWord =
  | { readonly ok: true; readonly value: string; readonly end: number }
  | { readonly ok: false; readonly why: string; readonly at: number };

/** Null where no word begins. */
function readWord(text: string, start: number): PlainWord | null {
  let value = '';
  let at = start;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  for (;;) {
    const bare = take(BARE);
    if (bare !== null) {
      value += bare;
      continue;
    }
    if (text[at] === "'") {
      const single = take(IN_SINGLE);
      if (single === null) return { ok: false, why: 'a quote without an end', at };
      value += single.slice(1, -1);
      continue;
    }
    if (text[at] === '"') {
      const opened = at;
      at += 1;
      for (let piece = take(IN_DOUBLE); piece !== null; piece = take(IN_DOUBLE))
        value += piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece;
      if (at >= text.length) return { ok: false, why: 'a quote without an end', at: opened };
      if (text[at] !== '"') return { ok: false, why: nameOf(text, at), at };
      at += 1;
      continue;
    }
    return at === start ? null : { ok: true, value, end: at };
  }
}

const isAssignment = (bare: string): boolean => /^[A-Za-z_]\w*=/u.test(bare);

/** Names what is a word like any other to one shell, and something special to another; null where nothing is. */
function findOddity(bare: string, value: string, isProgram: boolean): string | null {
  if (bare.startsWith('=')) return 'a word that begins with =';
  if (!isProgram) return null;
  if (SHELLS_OWN.has(value)) return `the shell’s own word “${value}”`;
  // `a+=1` and `a[1]=2` are assignments to some.
  if (value === '' || /^[^/]*=/u.test(value)) return 'something that isn’t a program’s name';
  // `sh -c` takes a text that begins with one of the first two for options of its own.
  return /^[-+%]/u.test(value) ? 'something that isn’t a program’s name' : null;
}

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

function nameOf(text: string, at: number): string {
  for (const [pattern, name] of NAMES) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return name;
  }
  return at >= text.length ? 'nothing where a command should be' : 'a character that has to stand in quotes';
}

const shorten = (name: string): string => (name.length <= 40 ? name : `${name.slice(0, 40)}…`);
