import { REDACTED } from './spans.js';
import type { Strength } from './names.js';

/**
 * Whether a value stands where a secret would and is none: types, placeholders, variables, calls, the words of forms.
 */
export function isHarmless(value: string, how: { readonly strength: Strength; readonly quoted: boolean }): boolean {
  const text = value.trim();
  if (text.length > MAX_LENGTH) return text.startsWith(REDACTED);
  if (text === '' || text.startsWith(REDACTED)) return true;
  if (WORDS.has(text.toLowerCase().replace(/[?!.,;[\]]+$/u, ''))) return true;
  if (PLACEHOLDER.test(text) || /^(?:[*•._-]+|[xX]{3,}|\.{3}.*)$/u.test(text)) return true;
  if (how.strength === 'faint') return text.length < 8 || !looksRandom(text);
  if (how.quoted) return isSentence(text) || (how.strength === 'weak' && isLabel(text));
  return isCode(text) || (how.strength === 'weak' && !looksRandom(text));
}

/** Limit of a placeholder's length: nothing longer stands for something else. */
const MAX_LENGTH = 512;

const WORDS = new Set(
  (
    'null none nil undefined true false yes no on off string str text number int integer bool boolean bytes buffer any ' +
    'unknown object array void never required optional default example changeme unset empty hidden masked password ' +
    'passwd secret token key apikey value bearer basic digest jwt oauth oauth2 identifier keyword eof prompt ask ' +
    'uint8array secretstr secretstring securestring char varchar varchar(255) uuid redacted self this cls same-origin include omit'
  ).split(' '),
);
/** `${X}`, `$X`, `$(cmd)`, `{{ x }}`, `<your token>`, `%(x)s`, `YOUR_TOKEN_HERE`. */
const PLACEHOLDER =
  /^(?:(?:[A-Za-z]{1,12} )?(?:\$\{[^}]*\}?|\$[A-Za-z_]\w*|\$\([^)]*\)?|\{\{[^}]*\}?\}?|\{[\w.]*\}|<[^<>]*>?|%[({]\w+[)}]s?|%s|\?|:\w+)|your[-_ ][\w -]*|my[-_ ](?:password|secret|token|key|api[-_ ]key)|enter[-_ ][\w -]*)$/iu;

/** An expression of a program: `next()`, `req.headers.token`, `process.env.X`, `Option<String>`, `new Foo`. */
export function isCode(text: string): boolean {
  return (
    /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)#?[A-Za-z_$][\w$]*)+(?:[([!?:;,].*)?$/u.test(text) ||
    /^[A-Za-z_$][\w$]*[(<[]/u.test(text) ||
    /^(?:new|await|async|function|lambda|return|self|this|os|process|await)$/u.test(text) ||
    /^[!&|(){}[\]<>=+*/.,;:-]+$/u.test(text)
  );
}

/** A weak name needs a value that no program and no sentence would have there. */
function looksRandom(text: string): boolean {
  const letters = /[A-Za-z]/u.test(text);
  if (text.length >= 6 && letters && /\d/u.test(text)) return true;
  return text.length >= 20 && /^[\w+/=.-]+$/u.test(text) && /[A-Z]/u.test(text) && /[a-z]/u.test(text);
}

/** Whether a text is a sentence, with a capital letter and some words: what a person is told. */
const isSentence = (text: string): boolean =>
  /^\p{Lu}[\p{L}’'-]*(?:,? [\p{L}’'-]{1,24}[,:;]?){3,64}[.?!…]?(?: |$)/u.test(text);

/** Upper-case names of a grammar, and words with blanks: labels. */
const isLabel = (text: string): boolean =>
  /^[A-Z][A-Z_]{0,30}$/u.test(text) || /^\p{Lu}?[\p{Ll} ]{0,40} [\p{Ll} ]{1,40}[.?!:]?$/u.test(text);
