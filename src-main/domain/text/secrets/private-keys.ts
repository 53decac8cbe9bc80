import { anchorOf, type SecretRule } from './rules.js';
import type { Span } from './spans.js';

const BEGIN =
  /-{4,5} ?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OPENSSH PRIVATE KEY|PGP PRIVATE KEY BLOCK) ?-{4,5}/gu;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/gu;
/** PuTTY has no such lines. */
const PUTTY = /^Private-Lines: (\d{1,4})\r?\n/gmu;
/** A line break as it is, or as a string of JSON or a shell has it. */
const BREAK = /(?:\\{1,15}[rn])+|[\r\n]+/u;
/** A line of a key: base64, headers, blanks, and what quotes it. */
const KEY_LINE =
  /^[\s"'+,>|]{0,40}(?:[A-Za-z0-9+/=]{1,120}|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|MessageID): .{0,120})?["'+,\s\\]{0,8}$/u;
const MAX_KEY_LENGTH = 131_072;

/** Private keys, whole, and those of which truncation left the head or the tail. */
export const PRIVATE_KEYS: SecretRule = {
  anchors: [anchorOf('priv', /PRIVATE KEY|Private-Lines/u)],
  find: privateKeys,
};

function privateKeys(text: string): Span[] {
  const spans: Span[] = [];
  const ends = [...text.matchAll(END)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let nextEnd = 0;
  let reach = 0;
  for (const match of text.matchAll(BEGIN)) {
    if (match.index < reach) continue;
    const body = match.index + match[0].length;
    while (nextEnd < ends.length && (ends[nextEnd]?.start ?? 0) < body) nextEnd += 1;
    const end = ends[nextEnd];
    reach = end !== undefined && end.start - body <= MAX_KEY_LENGTH ? end.end : bodyEnd(text, body);
    spans.push({ start: match.index, end: reach });
  }
  let covering = 0;
  const whole = spans.length;
  for (const end of ends) {
    while (covering < whole && (spans[covering]?.end ?? 0) < end.end) covering += 1;
    if (covering === whole || (spans[covering]?.start ?? 0) > end.start)
      spans.push({ start: tailStart(text, end.start), end: end.end });
  }
  for (const match of text.matchAll(PUTTY)) {
    const start = match.index + match[0].length;
    spans.push({ start, end: bodyEnd(text, start) });
  }
  return spans;
}

/** A short word in small letters is one of a sentence. */
const isKeyLine = (line: string): boolean => KEY_LINE.test(line) && !/^\s*[a-z]{1,15}\s*$/u.test(line);

/** Line after line, as long as they are a key's. */
function bodyEnd(text: string, from: number): number {
  const body = text.slice(from, from + MAX_KEY_LENGTH);
  let at = 0;
  let end = 0;
  while (at < body.length) {
    const found = BREAK.exec(body.slice(at, at + 400));
    const line = body.slice(at, found === null ? at + 400 : at + found.index);
    if (!isKeyLine(line)) {
      // Where a line was cut off, other words follow on it.
      const begun = /^[\s"'+,]{0,40}(?=[A-Za-z+/=]{0,20}\d)[A-Za-z0-9+/=]{8,120}/u.exec(line)?.[0].length ?? 0;
      if (begun > 0) end = at + begun;
      break;
    }
    at += line.length + (found?.[0].length ?? 0);
    if (line.trim() !== '') end = at - (found?.[0].length ?? 0);
    if (found === null) break;
  }
  return from + end;
}

/** Backwards from its end. */
function tailStart(text: string, end: number): number {
  const from = Math.max(0, end - MAX_KEY_LENGTH);
  let start = end;
  for (let lines = 0; start > from && lines < 2048; lines += 1) {
    const before = text.slice(Math.max(from, start - 400), start);
    const gap = /(?:(?:\\{1,15}[rn])+|[\r\n]+)$/u.exec(before)?.[0].length ?? 0;
    if (gap === 0) return start;
    const rest = before.slice(0, before.length - gap);
    const line = /(?:^|[\r\n]|\\[rn])((?:(?![\r\n]|\\[rn]).)*)$/u.exec(rest)?.[1] ?? rest;
    if (line.trim() === '' || !isKeyLine(line)) return start;
    start -= gap + line.length;
  }
  return start;
}
