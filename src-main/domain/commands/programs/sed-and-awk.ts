/** The effects of a sed or awk script besides reading and showing. */
export interface ScriptEffects {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether it starts programs, or may. */
  readonly runs: boolean;
}

/** Null where it is not understood. */
export function readSedScript(script: string): ScriptEffects | null {
  const does = { reads: [] as string[], writes: [] as string[], runs: false };
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/[IM]*|\\(.)(?:(?!\1)[^\\\n]|\\.)*\1[IM]*)/y;
  for (;;) {
    take(/[\s;]+/y);
    if (at >= script.length) return does;
    if (
      take(ADDRESS) !== null &&
      take(/[ \t]*,[ \t]*/y) !== null &&
      take(/[+~]\d+/y) === null &&
      take(ADDRESS) === null
    )
      return null;
    take(/[ \t]*!*[ \t]*/y);
    const command = script[at] ?? '';
    at += 1;
    if (command === '#') take(/[^\n]*/y);
    else if ('{}=dDgGhHnNpPxzF'.includes(command) && command !== '') continue;
    else if ('qQlL'.includes(command)) take(/[ \t]*\d*/y);
    else if (':btT'.includes(command)) take(/[ \t]*[\w.-]*/y);
    else if ('aic'.includes(command)) take(/(?:[^\n\\]|\\[\s\S])*/y);
    else if (command === 'y' && take(/(.)(?:(?!\1)[^\\\n]|\\[\s\S])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1/y) !== null)
      continue;
    else if (command === 's' && take(/([^\\\n])(?:(?!\1)[^\\]|\\[\s\S])*\1(?:(?!\1)[^\\]|\\[\s\S])*\1/y) !== null) {
      const flags = take(/[gpiIMm\d]*/y);
      if (flags === null || /e/u.test(script[at] ?? '')) does.runs = true;
      if (script[at] === 'e') at += 1;
      if (script[at] === 'w') {
        at += 1;
        does.writes.push((take(/[^\n]*/y) ?? '').trim());
      }
      if (!/[\s;}#]/u.test(script[at] ?? ';')) return null;
    } else if ('rR'.includes(command)) does.reads.push((take(/[^\n]*/y) ?? '').trim());
    else if ('wW'.includes(command)) does.writes.push((take(/[^\n]*/y) ?? '').trim());
    else if (command === 'e') {
      does.runs = true;
      take(/[^\n]*/y);
    } else return null;
  }
}

/** Null where it is not understood. */
export function readAwkScript(program: string): ScriptEffects | null {
  // What looks like a regular expression may be two divisions: only what could do nothing is taken out.
  const plain = program.replaceAll(/\/(?:[\w\s.^$*+?()[\]\\|<>:,#@=~%&'-]|\\.)*\//gu, (found) =>
    /print|\\x|getline/u.test(found) ? found : ' ',
  );
  const bare = plain.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '""');
  if (
    /\bsystem\b|\bgetline\b|@/u.test(program) ||
    /(?<!\|)\|(?!\|)/u.test(bare) ||
    /\b(?:ENVIRON|PROCINFO|ARGV)\b/u.test(program)
  )
    return { reads: [], writes: [], runs: true };
  if (!/\bprintf?\b[^;}\n]*>/u.test(bare)) return { reads: [], writes: [], runs: false };
  const targets = [...plain.matchAll(/\bprintf?\b[^;}\n]*?>>?\s*([^;}\n]*)/gu)].map(
    ([, target = '']) => /^"((?:[^"\\])*)"\s*$/u.exec(target.trim())?.[1],
  );
  return targets.some((target) => target === undefined)
    ? null
    : { reads: [], writes: targets.filter((target) => target !== undefined), runs: false };
}
