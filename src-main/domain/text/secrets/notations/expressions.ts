import { readWord } from '../read-word.js';
import type { Span } from '../spans.js';

/** Where programs and shells have a value that stands in no plain assignment. */

/** Wrappers that only hold a text, or say how it is written: what is in their brackets is the value. */
const HOLDS =
  'String(?:::from|::new|\\.valueOf)?|str|bytes|bytearray|Some|Just|Ok|Optional\\.of(?:Nullable)?|SecretStr|SecretString(?:::from|::new)?|' +
  'Secret(?:::new|::from)?|SecretBox::new|SecureString|Value::(?:from|String)|Cow::(?:from|Borrowed)|(?:Box|Arc|Rc)::(?:from|new)|' +
  'Buffer\\.from|strings\\.TrimSpace|\\[\\]byte|atob|base64\\.b64decode|json!|encodeURIComponent';
const HELD = new RegExp(
  `(?:(?:new[^\\S\\r\\n]{1,4})?(?:std::(?:string::)?)?(?:${HOLDS})\\(\\s{0,8}){1,4}(?=[bBrRfFuU]{0,2}["'\`])`,
  'uy',
);
/** `process.env.X ?? `, `os.getenv("X") or `, `x.unwrap_or(`: what follows is taken where that is not set. */
const INSTEAD =
  /(?:(?:[\w$.?!]|::|->|\[\s?["'`]?[\w$-]{0,64}["'`]?\s?\]|\(\s?(?:["'`][\w$.:-]{0,64}["'`])?\s?\)){1,100}(?:\s{0,16}(?:\?\?|\|\||\?:|\bor\b)\s{0,16}|(?<=unwrap_or|unwrapOr|[oO]rElse|getOrElse)\(\s{0,8})){1,4}(?=["'`])/uy;
/** `$(echo `, `$(printf '%s' `. */
const ECHOED =
  /["']?\$\(\s{0,8}(?:echo|printf)\s{1,8}(?:-{1,2}[\w-]{1,16}\s{1,8}){0,3}(?:(["']?)%s(?:\\n)?\1\s{1,8})?(?=[^\s)|])/uy;

const reach = (pattern: RegExp, text: string, at: number): number | null => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
};

/** Where the quoted text begins that such an expression has as its value. */
export const heldText = (text: string, at: number): number | null => reach(HELD, text, at);
export const textInstead = (text: string, at: number): number | null => reach(INSTEAD, text, at);

/** Finds everything that is echoed, word after word. */
export function echoedWords(text: string, at: number): Span | null {
  const opens = text.charAt(at);
  const first = opens === '$' || text.charAt(at + 1) === '$' ? reach(ECHOED, text, at) : null;
  if (first === null) return null;
  let end = first;
  for (let from = first, words = 0; words < 64; words += 1) {
    const word = readWord(text, from);
    if (word === null) break;
    end = word.end;
    from = end + (/^[^\S\r\n]{0,16}/u.exec(text.slice(end, end + 16))?.[0].length ?? 0);
    if (from === end) break;
  }
  return end > first ? { start: first, end } : null;
}
