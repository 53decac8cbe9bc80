import {
  findBareValueBelow,
  findValueBelowKey,
  endsLine,
  findLineBelow,
  isQuotedValue,
  opensBlock,
  skipTags,
} from './values-below.js';
import { isCode, isHarmless } from './harmless.js';
import { isFolderName, nameStrength, type Strength } from './names.js';
import { echoedWords, heldText, textInstead } from './notations/expressions.js';
import { valuesInMarkup } from './notations/markup.js';
import { valueSet } from './notations/set-commands.js';
import { isColumn, tableAt } from './notations/tables.js';
import { anchorOf, type SecretRule, type Sign } from './rules.js';
import { arrayItems, blockBelow, closesString, lineStart, listBelow, quotedEnd } from './shapes.js';
import type { Span } from './spans.js';
import { yieldDefaults, skipContinuation, readWord } from './read-word.js';

/**
 * Values under a name that says they are secret, however they are written: `NAME=value`, `"name": "value"` (in JSON that
 * stands in JSON too), YAML and its blocks, arrays, `--name value`, `["--name", "value"]`, `{name: "…", value: "…"}`.
 * One pass over the words a name could hold; at each a bounded look to both sides, so that no text makes it slow.
 */
const WORD = new RegExp(
  'pass(?:w|p|c|\\b|[_-])|passw|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|key|credential|cookie|auth|' +
    'bearer|jwt|session|signature|(?<![a-z])(?:sig|pin|otp|pat|pass)(?![a-z])',
  'giu',
);
const IN_NAME = new Uint8Array(65_536);
for (let unit = 0; unit < 128; unit += 1) IN_NAME[unit] = Number(/[\w.$-]/u.test(String.fromCharCode(unit)));
/** How far a name reaches from the word that was found in it. */
const REACH = 64;
/** The longest value that is looked for the end of. */
export const MAX_VALUE_LENGTH = 16_384;

const WORD_AT = new RegExp(WORD.source, 'iuy');

/** Signs that are whole words. */
const ALONE: readonly Sign[] = ['sig', 'pin', 'otp', 'pat'].map((three) => ({ three, next: '0_:./ é' }));
const BEGINS = 'pass pwd secr toke key api- apik acce priv cred cook auth bear jwt sess sign';
const BLANKS: readonly Sign[] = [{ three: 'api', next: ' ' }];
export const NAMED: SecretRule = {
  anchors: [anchorOf(BEGINS, WORD), anchorOf([...ALONE, ...BLANKS], WORD)],
  findAt: namedSecrets,
};

function namedSecrets(text: string, places: readonly number[]): Span[] {
  const spans: Span[] = [];
  const inTables: Span[] = [];
  let tableEnd = 0;
  let looked = 0;
  for (const place of places) {
    WORD_AT.lastIndex = place;
    if (place < looked || !WORD_AT.test(text)) continue;
    const name = findNameAround(text, place, WORD_AT.lastIndex);
    looked = name.end;
    const strength = isFolderOfShell(text, name) ? 'none' : nameStrength(text.slice(name.start, name.end));
    spans.push(...(strength === 'none' ? keyAlone(text, name) : findValues(text, { ...name, strength })));
    if (strength !== 'none' && name.start >= tableEnd && isColumn(text, name)) {
      const table = tableAt(text, name);
      tableEnd = table.end;
      inTables.push(...table.spans);
    }
    // What is taken out is not looked into.
    looked = Math.max(looked, spans.at(-1)?.end ?? 0);
  }
  return inTables.length === 0 ? spans : [...spans, ...inTables];
}

/** Finds the head of the secret table that goes on at the beginning of a line; null where none does. */
export function findOpenTable(text: string, at: number): string | null {
  let tableEnd = 0;
  for (const { index, 0: word } of text.slice(0, at).matchAll(WORD)) {
    const name = findNameAround(text, index, index + word.length);
    if (index < tableEnd || !isColumn(text, name) || nameStrength(text.slice(name.start, name.end)) === 'none')
      continue;
    const { head, end } = tableAt(text, name);
    if (head.end > head.start && head.end <= at && end >= at) return text.slice(head.start, head.end);
    tableEnd = end;
  }
  return null;
}

/** Where a shell is, and was before: by these names and no others, and always from the root. */
const isFolderOfShell = (text: string, { start, end }: { readonly start: number; readonly end: number }): boolean =>
  isFolderName(text.slice(start, end)) &&
  /^(?:=["']?|\\{0,15}["']\s{0,4}[:=]\s{0,4}\\{0,15}["'])\//u.test(text.slice(end, end + 48));

function keyAlone(text: string, name: { readonly start: number; readonly end: number }): readonly Span[] {
  const after = skipPattern(AFTER_NAME, text, name.end) ?? name.end;
  const separated = skipPattern(SEPARATOR, text, after);
  return separated === null || text.charAt(after) !== ':' ? [] : findValueBelowKey(text, separated, name);
}

export interface SecretName {
  readonly start: number;
  readonly end: number;
  readonly strength: Strength;
}

export function findNameAround(
  text: string,
  from: number,
  to: number,
): { readonly start: number; readonly end: number } {
  let start = from;
  while (start > 0 && from - start < REACH && IN_NAME[text.charCodeAt(start - 1)] === 1) start -= 1;
  let end = to;
  while (end < text.length && end - to < REACH && IN_NAME[text.charCodeAt(end)] === 1) end += 1;
  // What stands before it in the text of another string is no part of it: `\nDB_PASSWORD`.
  if (text.charAt(start - 1) === '\\' && /[nrt]/u.test(text.charAt(start))) start += 1;
  return { start, end };
}

/** A closing quote, as often escaped as the text is nested; then perhaps the bracket of `env["NAME"]`. */
const AFTER_NAME = /(?:\\{0,15}["'`])?\]?[^\S\r\n]{0,16}/uy;
const SEPARATOR = /(?:=>|:{1,3}=|(?:\+|\?|\|\||\?\?)=(?![=~>])|<<<|=(?![=~])|:(?![:/])|[：＝])[^\S\r\n]{0,16}/uy;
/** `name: str = "x"`, `name?: string = "x"`. */
const TYPED =
  /\??(?::\s{0,4}(?:str|string|String|&str|SecretStr|text|char\*?|std::string)(?:\s*\|\s*(?:None|null|undefined))?\s{0,4})=\s{0,4}/uy;
/** The other half of a pair: `"name": "Authorization", "value": "x"`, in YAML on the next line. */
const VALUE_MEMBER =
  /\s{0,64},?\s{0,64}(?:\\{0,15}["'])?(?:value|val|secret|content)(?:\\{0,15}["'])?\s{0,8}[:=]\s{0,8}/uy;
const NEXT_ITEM = /\s{0,64},\s{0,64}(?:default\s{0,4}=\s{0,4})?(?=\\{0,15}["'])/uy;

export function findValues(text: string, name: SecretName): readonly Span[] {
  const after = skipPattern(AFTER_NAME, text, name.end) ?? name.end;
  const typed = skipPattern(TYPED, text, after);
  if (typed !== null) return valueAt(text, typed, name);
  const separated = skipPattern(SEPARATOR, text, after);
  if (separated !== null) {
    const separator = text.slice(after, separated).trim();
    // What is added to something, or taken for want of it, is more often an expression.
    if (/^[+?|]+=/u.test(separator)) return valueAdded(text, separated, name);
    return endsLine(text, separated) ? valueBelow(text, separated, name, separator) : valueAt(text, separated, name);
  }
  const isOption = text.charAt(name.start) === '-';
  const next = skipContinuation(text, after);
  if (isOption && isFlag(text, name)) return [];
  if (isOption && next > after) return optionValue(text, next, name);
  if (isOption && after === name.end + 1 && /\s/u.test(text.charAt(name.end))) return optionValue(text, after, name);
  const half = findPairValue(text, name, after, isOption);
  if (half.length > 0) return half;
  const marked = valuesInMarkup(text, name);
  return marked.length > 0 || next === name.end || isOption ? marked : valueSet(text, name, next);
}

/**
 * Finds a value that is added to something, or taken for want of it, which is more often an expression. Shells write
 * `API_KEY+=x` without blanks; elsewhere only what looks like a secret is one.
 */
function valueAdded(text: string, at: number, name: SecretName): readonly Span[] {
  const isVariable = text.charAt(at - 1) === '=' && /^[A-Z][A-Z\d_]*$/u.test(text.slice(name.start, name.end));
  if (isVariable) return valueAt(text, at, name);
  const values = valueAt(text, at, { ...name, strength: 'faint' });
  return values.filter(({ start, end }) => !/\s/u.test(text.slice(start, end)));
}

/** `pulumi config set --secret dbPassword x`: what follows is the name. */
const isFlag = (text: string, { start, end }: SecretName): boolean =>
  text.slice(start, end) === '--secret' &&
  /\bpulumi\s{1,4}config\s{1,4}set\s{1,4}$/u.test(text.slice(Math.max(0, start - 40), start));

/** `--password x`. What begins with a dash is the next option. */
function optionValue(text: string, at: number, name: SecretName): readonly Span[] {
  const first = text.charAt(at);
  if (first === '-' || first === '' || /\s/u.test(first)) return [];
  return valueAt(text, at, { ...name, strength: strengthOfOption(text, at, name) });
}

/** Options that say by their name alone, whatever the program, that a secret follows. */
const SECRET_OPTION = /^--?(?:token|jwt|bearer|pass|otp|pin)$/iu;
/** What follows them in a help text, `--token TOKEN`, `[--token token]`, `--token x  Words`, and in a sentence. */
const IN_HELP =
  /(?:[A-Z][A-Z_-]*|[\w.-]+(?=[\])|]|[^\S\r\n]{2,}\S)|(?:is|are|was|to|and|or|for|in|of|on|with|as|if|when|from|must|can|will|options?|flags?|arguments?|parameters?)|\d{1,3})(?![\w.+/=-])/uy;

function strengthOfOption(text: string, at: number, { start, end, strength }: SecretName): Strength {
  const isSecret = strength === 'weak' && SECRET_OPTION.test(text.slice(start, end));
  return isSecret && skipPattern(IN_HELP, text, at) === null ? 'strong' : strength;
}

/** `["Authorization", …`, `define('DB_PASSWORD', …`, `headers.set("Cookie", …` */
const PAIR_BEGINS =
  /(?:\[|(?:define|setenv|putenv|set|setHeader|setRequestHeader|header|append|addHeader|setProperty|put|add)\()\s{0,16}\\{0,15}["']$/u;

/** Reads of the environment, with the value that a program takes where there is none; or writes to it. */
const ENVIRONMENT =
  /(?:environ\.(?:get|pop|setdefault)|getenv|get_env|[sS]etenv|(?:Get|Set)EnvironmentVariable|getProperty|(?:ENV|env)\.fetch|\benv(?:\.\w{1,8})?|\bconfig(?:\.get)?)\(\s{0,16}\\{0,15}["']$/u;

function findPairValue(text: string, name: SecretName, after: number, isOption: boolean): readonly Span[] {
  const before = text.slice(Math.max(0, name.start - 48), name.start);
  const quoted = /\\{0,15}["']$/u.test(before);
  const member = skipPattern(VALUE_MEMBER, text, after);
  if (
    member !== null &&
    /(?:name|key|header|field|variable|id)["'\\]{0,16}\s{0,8}[:=]\s{0,8}(?:\\{0,15}["'])?$/iu.test(before)
  )
    return valueAt(text, member, name);
  if (!quoted || after === name.end) return [];
  const item = skipPattern(NEXT_ITEM, text, after);
  if (item === null) return [];
  if (ENVIRONMENT.test(before)) return valueAt(text, item, name);
  const alone = isOption || PAIR_BEGINS.test(before);
  const end = quotedEnd(text, item, MAX_VALUE_LENGTH);
  // A member's name, and what was before it a text like any other.
  if (end !== null && /^\s*:/u.test(text.slice(end.after, end.after + 16))) return [];
  // A pair `["Authorization", "x"]`, and no list of the names of fields.
  const isPair =
    end !== null &&
    (isOption || (name.strength === 'strong' && /^\s*[\])]/u.test(text.slice(end.after, end.after + 16))));
  return alone && isPair ? valueAt(text, item, name) : [];
}

function valueBelow(text: string, at: number, name: SecretName, separator: string): readonly Span[] {
  const list = name.strength === 'strong' ? listBelow(text, at, name.start) : [];
  if (list.length > 0) return list;
  const below = findLineBelow(text, at);
  // What a program says of what it has there.
  if (/^(?:"""|''')/u.test(text.slice(below, below + 3))) return [];
  const isHere = isQuotedValue(text, below) || text.charAt(below) === '[';
  return isHere ? valueAt(text, below, name) : findBareValueBelow(text, at, name, separator);
}

function valueAt(text: string, from: number, name: SecretName): readonly Span[] {
  const { strength } = name;
  const begin = skipContinuation(text, from);
  const at = heldText(text, begin) ?? skipTags(text, begin, name.start);
  if (at === null || closesString(text, at, name)) return [];
  const echoed = echoedWords(text, at);
  if (echoed !== null && !isHarmless(text.slice(echoed.start, echoed.end), { strength, quoted: false }))
    return [echoed];
  const quoted = quotedEnd(text, at, MAX_VALUE_LENGTH);
  if (quoted !== null) {
    const joined = goesOn(text, at, quoted.after) ? readWord(text, at) : null;
    if (joined !== null && joined.end > quoted.after)
      return isExpansions(joined.says)
        ? findDefaults(text, { start: at, end: joined.end }, strength)
        : [{ start: at, end: joined.end }];
    const span = { start: quoted.start, end: quoted.end };
    return isHarmless(text.slice(span.start, span.end), { strength, quoted: true })
      ? findDefaults(text, span, strength)
      : [span];
  }
  const first = text.charAt(at);
  const items = first === '[' ? arrayItems(text, at, MAX_VALUE_LENGTH) : null;
  if (items !== null)
    return items.filter(({ start, end }) => !isHarmless(text.slice(start, end), { strength, quoted: true }));
  if (first === '' || first === '\n' || first === '\r') return [];
  if (opensBlock(text, at)) return blockBelow(text, at, name.start);
  if (first === '{' || first === '(') return [];
  return findBareValue(text, at, name);
}

/** A word that its closing quote doesn’t end: `''x`, `"a"'b'`, `'it''s'`; behind `=` and options whatever shells join. */
function goesOn(text: string, at: number, after: number): boolean {
  const next = text.charAt(after);
  if (next === '' || /[\s`,;&|)}\]<>:]/u.test(next)) return false;
  if (/[\w$"']/u.test(next)) return true;
  const rest = text.slice(after, after + 3);
  if (/^(?:\/>|[.?!]{1,3}(?:\s|$))/u.test(rest) || /^\\{1,3}["'nrt]/u.test(rest)) return false;
  return /[=\s\n]/u.test(text.charAt(at - 1)) && /[-+/@%#~!*^=?.\\]/u.test(next) && !/^(?:\.|\+)\w*\(?/u.test(rest);
}

const isExpansions = (word: string): boolean => /^(?:\$\{[^}]*\}|\$\w+|[/:._-])+$/u.test(word);

/** Finds defaults that are taken where a variable is not set. */
function findDefaults(text: string, { start, end }: Span, strength: Strength): readonly Span[] {
  return [...yieldDefaults(text.slice(start, end))].flatMap((each) =>
    isHarmless(each.value, { strength, quoted: false })
      ? []
      : [{ start: start + each.start, end: start + each.start + each.value.length }],
  );
}

/**
 * A bare value, up to what ends a word in every notation; a literal `\n` in a string that stands in another ends it
 * too.
 */
const BARE = /(?:(?!\\{1,15}(?:[nrt]|["']))[^\s"'`,;&|)}\]<>]){1,16384}/uy;
/** A value as a file of variables has it, alone on its line: anything may be in it. */
const WHOLE_LINE = /(?:(?!\\{1,15}(?:[nrt]|["']))[^\s"'`]){1,16384}(?=[^\S\n]*(?:\r?\n|$))/uy;
const LINE = /(?:(?!\\{1,15}(?:[nrt]|["']))[^\r\n]){1,8192}/uy;
const HEADER_LINE = /(?:(?!\\{1,15}(?:[nrt]|["']))[^\r\n"'`]){1,8192}/uy;

function findBareValue(text: string, at: number, name: SecretName): readonly Span[] {
  const lowered = text.slice(name.start, name.end).toLowerCase();
  if (lowered.endsWith('cookie')) return findHeaderValue(text, at, name, /=/u);
  if (lowered.endsWith('authorization')) return findHeaderValue(text, at, name, /^[\w-]{2,24}\s+\S{3,}|[\w+/=.-]{8,}/u);
  const line = text.slice(lineStart(text, name.start), name.start);
  const opens = /^(?:\s*(?:export|set|setx|ENV|ARG|-)\s+)?\s*$/u.test(line);
  const noBlank = text.charAt(at - 1) === '=';
  const scheme = skipPattern(SCHEME, text, at) ?? at;
  const whole = opens && noBlank && scheme === at ? skipPattern(WHOLE_LINE, text, at) : null;
  const end = whole === null || text.charAt(whole - 1) === '\\' ? wordEnd(text, scheme) : whole;
  if (end === null) return [];
  const value = text.slice(scheme, end);
  const { strength } = name;
  const instead = textInstead(text, at);
  if (instead !== null) return quotedInstead(text, instead, strength);
  if (isHarmless(value, { strength: scheme > at ? 'weak' : strengthHere(text, name, at), quoted: false }))
    return findDefaults(text, { start: at, end }, strength);
  if (isProgramText(text, name, value, end, noBlank)) return [];
  return strength === 'none' ? [] : [{ start: at, end }];
}

/** How a value is to be used, and then the value. */
const SCHEME = /(?:bearer|basic|token|bot|apikey|flyv1|splunk|sso-key)[^\S\r\n]{1,4}(?=[^\s"']{6})/iuy;

/** Past the quotes and lines that it is joined with. */
function wordEnd(text: string, at: number): number | null {
  const expansion = skipPattern(/\$\{[^}\n]{0,2000}\}|\$(?=["'])/uy, text, at);
  const end = skipPattern(BARE, text, at);
  if (expansion === null && end === null) return null;
  // An array or an object of something else: its quotes are of its members.
  if (/[[{(]/u.test(text.charAt(at))) return end;
  const past = Math.max(expansion ?? 0, end ?? 0);
  if (expansion === null && !/["'\\$]/u.test(text.charAt(past)) && text.charAt(past - 1) !== '\\') return past;
  return Math.max(end ?? 0, readWord(text, at)?.end ?? 0);
}

/** `TOKEN=…` of an environment, or `?token=…` of a URL: no program writes so, and no sentence. */
function strengthHere(text: string, name: SecretName, at: number): Strength {
  const { start, end, strength } = name;
  if (strength !== 'weak' || text.charAt(at - 1) !== '=') return strength;
  if (text.charAt(start) === '-') return strengthOfOption(text, at, name);
  const isVariable = /^[A-Z][A-Z\d_]*$/u.test(text.slice(start, end));
  return isVariable || /[?&]/u.test(text.charAt(start - 1)) ? 'strong' : strength;
}

/** `const password = input;`, `login(password=pw)`, `{ password: pw, … }`, `(secret: Foo)`. */
function isProgramText(text: string, name: SecretName, value: string, end: number, noBlank: boolean): boolean {
  const next = text.charAt(end);
  if (next === '(' || next === '<') return true;
  if (!/^[A-Za-z_$][A-Za-z_$]*[?!]?$/u.test(value)) return false;
  const before = text.slice(Math.max(0, name.start - 24), name.start);
  const line = text.slice(end, end + 80).split('\n', 1)[0] ?? '';
  if (
    /(?:\b(?:const|let|var|val|final|auto|static|public|private|readonly|self|this|def|fn)[ .]|[(])\s{0,4}$/u.test(
      before,
    )
  )
    return true;
  if (noBlank && /\(\w*[^()]*$/u.test(before) && /^[,)]/u.test(line)) return true;
  return !noBlank && /^\s*[,;)}|&?=]/u.test(line);
}

/** Finds the quoted value that is taken where the expression before it gives nothing. */
function quotedInstead(text: string, at: number, strength: Strength): readonly Span[] {
  const quoted = quotedEnd(text, at, MAX_VALUE_LENGTH);
  if (quoted === null) return [];
  const how = { strength: strength === 'weak' ? 'faint' : strength, quoted: true } as const;
  return isHarmless(text.slice(quoted.start, quoted.end), how) ? [] : [{ start: quoted.start, end: quoted.end }];
}

function findHeaderValue(text: string, at: number, name: SecretName, looks: RegExp): readonly Span[] {
  if (!looks.test(text.slice(at, at + 256))) return [];
  // In quotes it ends with them; alone on its line it may hold some.
  const end = skipPattern(/["'`]/u.test(text.charAt(name.start - 1)) ? HEADER_LINE : LINE, text, at);
  if (end === null) return [];
  const value = text.slice(at, end);
  if (isHarmless(value, { strength: 'strong', quoted: true }) || isCode(value.split(' ', 1)[0] ?? '')) return [];
  return [{ start: at, end: at + value.trimEnd().length }];
}

function skipPattern(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
