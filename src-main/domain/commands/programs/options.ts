/**
 * The options of a program that are known to be harmless. An option that is not named is not known, and so not
 * harmless.
 */
export interface KnownOptions {
  /** Single letters without a value, which may be joined: `-la`. */
  readonly letters?: string;
  /** Single letters whose value follows, joined or as the next word: `-n5`, `-n 5`. */
  readonly valued?: string;
  /** Single letters with a value that can only be joined: `-j4`. */
  readonly joined?: string;
  /** Long names, without their dashes; `name=` takes a value, `name?` may have one behind a `=`. */
  readonly long?: string;
  /** `-5` is a number of things. */
  readonly numbers?: boolean;
  /** Long names have one dash: `-name`, as find and go have them. */
  readonly oneDash?: boolean;
  /** Whether what is no option is harmless as well, each of them; left out, all of them are. */
  readonly operand?: (operand: string, index: number) => boolean;
  /** Whether what comes after `--` is for the program that is started, and is not looked at. */
  readonly passesOn?: boolean;
  /** A value that makes a named option harmful all the same. */
  readonly refusesValue?: (value: string) => boolean;
}

/**
 * Whether these arguments hold nothing but known options and operands. As getopt reads them: options may stand after
 * operands, a name counts whole (an abbreviation is not on the list), and joined letters are looked at one by one.
 */
export function onlyKnown(args: readonly string[], known: KnownOptions, afterDashes = false): boolean {
  const long = new Map((known.long ?? '').split(' ').map((name) => [name.replace(/[=?]$/u, ''), name.at(-1) ?? '']));
  const takes = (value: string): boolean => known.refusesValue?.(value) !== true;
  let operands = 0;
  let dashes = afterDashes;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (dashes && known.passesOn === true) continue;
    if (dashes || arg === '-' || !arg.startsWith('-')) {
      if (known.operand?.(arg, operands) === false) return false;
      operands += 1;
      continue;
    }
    if (arg === '--') {
      dashes = true;
      continue;
    }
    if (known.numbers === true && /^-\d+$/u.test(arg)) continue;
    if (arg.startsWith('--') || known.oneDash === true) {
      const [, name = '', value] = /^--?([^=]*)(?:=([\s\S]*))?$/u.exec(arg) ?? [];
      const kind = name === '' ? undefined : long.get(name);
      if (kind === undefined) return false;
      if (value !== undefined) {
        if ((kind !== '=' && kind !== '?') || !takes(value)) return false;
      } else if (kind === '=') {
        at += 1;
        if (at >= args.length || !takes(args[at] ?? '')) return false;
      }
      continue;
    }
    const next = checkLetters(arg.slice(1), known, takes);
    if (next === 'unknown') return false;
    if (next === 'value-follows') {
      at += 1;
      if (at >= args.length || !takes(args[at] ?? '')) return false;
    }
  }
  return true;
}

function checkLetters(
  letters: string,
  { letters: flags = '', valued = '', joined = '' }: KnownOptions,
  takes: (value: string) => boolean,
): 'known' | 'unknown' | 'value-follows' {
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? '';
    if (flags.includes(letter)) continue;
    const value = letters.slice(at + 1);
    if (valued.includes(letter)) return value === '' ? 'value-follows' : takes(value) ? 'known' : 'unknown';
    return joined.includes(letter) && /^\w*$/u.test(value) ? 'known' : 'unknown';
  }
  return 'known';
}
