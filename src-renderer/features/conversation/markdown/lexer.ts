import { Lexer, type Token, Tokenizer, type TokensList } from 'marked';
import { NO_REFERENCES, type References } from './references.js';

/** More than this in one block, and it is shown as it is written. */
const MAX_BLOCK_LENGTH = 20_000;
/** Quotes and lists in each other, as many as anybody reads. */
const MAX_NESTING = 24;
const TOO_DEEP = new RegExp(`^[ \\t]*(?:>[ \\t]?|[-*+][ \\t]+|\\d{1,9}[.)][ \\t]+){${MAX_NESTING},}`, 'mu');
const WEB_ADDRESS = /^(?:https?:\/\/|www\.)/iu;
const MAX_ADDRESS_LENGTH = 4000;

/** Only what can be drawn safely is read: no HTML, of addresses those of the web. A definition stays to be read as it is written. */
class OurTokenizer extends Tokenizer {
  override html() {
    return undefined;
  }
  override def() {
    return undefined;
  }
  override tag() {
    return undefined;
  }
  override reflink(src: string, links: Links) {
    return Object.keys(links).length === 0 ? undefined : super.reflink(src, links);
  }
  override url(src: string) {
    const address = /^[^\s"<>`]*/u.exec(src.slice(0, MAX_ADDRESS_LENGTH))?.[0] ?? '';
    return WEB_ADDRESS.test(address) ? super.url(address) : undefined;
  }
}

type Links = TokensList['links'];

function createLexer(references: References = NO_REFERENCES): Lexer {
  const made = new Lexer({ gfm: true, breaks: false, tokenizer: new OurTokenizer() });
  const links = Object.create(null) as Links;
  for (const [label, href] of Object.entries(references)) links[label] = { href, title: null };
  made.tokens.links = links;
  return made;
}

/** Splits a text into its blocks, one after another. Where they can’t be told apart in bounds, the rest is one. */
export function splitIntoBlocks(text: string): readonly string[] {
  const long = isTooLongAtOnce(text);
  if (long === null) return lexBlocks(text);
  const { from, to } = long;
  return [...lexBlocks(text.slice(0, from)), text.slice(from, to), ...splitIntoBlocks(text.slice(to))];
}

function lexBlocks(text: string): readonly string[] {
  if (text === '') return [];
  if (TOO_DEEP.test(text)) return [text];
  try {
    return createLexer()
      .blockTokens(text)
      .map(({ raw }) => raw);
  } catch {
    return [text];
  }
}

/** The first lines without an empty one between them, and no code, that are too long to be read again and again as they grow. */
function isTooLongAtOnce(text: string): { readonly from: number; readonly to: number } | null {
  if (text.length <= MAX_BLOCK_LENGTH) return null;
  let isCode = false;
  let from = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const ends = /^ {0,3}(?:`{3,}|~{3,})/u.test(line) || line.trim() === '';
    if ((ends || isCode) && at - from > MAX_BLOCK_LENGTH && !isCode) break;
    if (ends && line.trim() !== '') isCode = !isCode;
    at += line.length + 1;
    if (ends || isCode) from = at;
  }
  const to = Math.min(at, text.length);
  return to - from > MAX_BLOCK_LENGTH ? { from, to } : null;
}

/** Parses a whole block, with the content of its lines; null where it is shown as it is written. */
export function readBlock(raw: string, references: References = NO_REFERENCES): readonly Token[] | null {
  if (TOO_DEEP.test(raw)) return null;
  if (raw.length > MAX_BLOCK_LENGTH && !/^ {0,3}(?:`{3,}|~{3,})/u.test(raw)) return null;
  try {
    const tokens: TokensList = createLexer(references).lex(raw);
    return tokens;
  } catch {
    return null;
  }
}
