import { isHarmless } from '../harmless.js';
import { lineStart } from '../shapes.js';
import type { Span } from '../spans.js';
import { yieldDefaults, skipContinuation, readWord } from '../read-word.js';

/** Commands that set something by its name, and then its value, with nothing but a blank between the two. */
const PROGRAMS =
  'npm|pnpm|yarn|pip3?|gh|glab|gcloud|pulumi|poetry|composer|conda|git|heroku|vercel|az|stripe|bundle|fly|flyctl|netlify|doctl|wrangler|helm';
const SETS = new RegExp(
  '(?:' +
    [
      // Windows and C shells.
      '(?<![\\w.-])(?:setx|setenv)(?:\\s+/[a-zA-Z]{1,8}){0,3}\\s+',
      // fish
      '(?<![\\w.-])set(?:\\s+(?:-[a-zA-Z]{1,6}|--[a-z]{1,16})){1,6}\\s+',
      '(?<![\\w.-])aws\\s+configure\\s+set\\s+',
      `(?<![\\w.-])(?:${PROGRAMS})\\s+(?:[\\w-]{1,24}\\s+)?config\\s+(?:(?:set|add|--?[\\w-]{1,32}(?:=\\S{1,64})?)\\s+){0,5}`,
      '(?<![\\w.-])(?:rclone|nmcli|netsh)\\s[^\\n;|&]{0,140}\\s',
    ].join('|') +
    ')["\']?(?:[^\\s"\']{0,100}[/:.])?$',
  'u',
);
/** `ENV` as old Containerfiles have it, and what tells of their steps: all that follows is the value. */
const SETS_LINE = /(?:^[+\s-]{0,40}(?:[\w./-]{1,80}:\d{1,6}:)?\s*|STEP \d+\/\d+: |\] )(?:ONBUILD\s+)?ENV\s+$/u;
const REST = /(?:\\\r?\n|[^\r\n]){1,4096}/uy;
const MAX_LOOKBACK = 160;

/** `end`: past the name, and the quote that closes it. */
export function valueSet(text: string, name: Span, end: number): readonly Span[] {
  const line = Math.max(lineStart(text, name.start), name.start - MAX_LOOKBACK);
  const before = text.slice(line, name.start);
  // What it takes for one of them to stand there.
  if (!/set|ENV|conf|rclone|nmcli/u.test(before)) return [];
  const takesLine = SETS_LINE.test(before);
  if (!takesLine && !SETS.test(before)) return [];
  const at = skipContinuation(text, end);
  if (/^(?:[-=|;&<>)]|$)/u.test(text.slice(at, at + 1))) return [];
  const word = readWord(text, at);
  if (word === null) return [];
  if (isHarmless(unquoted(word.says), { strength: 'strong', quoted: false }))
    return [...yieldDefaults(text.slice(at, word.end))].map((each) => ({
      start: at + each.start,
      end: at + each.start + each.value.length,
    }));
  REST.lastIndex = at;
  const rest = takesLine && REST.test(text) ? at + text.slice(at, REST.lastIndex).trimEnd().length : word.end;
  return [{ start: at, end: Math.max(rest, word.end) }];
}

const unquoted = (word: string): string => word.replace(/^(["'])(.*)\1$/u, '$2');
