import type { Json } from '#contract/vocabulary/json.js';

export interface InstructionMark {
  readonly start: number;
  readonly end: number;
  readonly why: string;
}

const SPEAKS = 'Speaks to the model, not about the tool';
const HIDES = 'Wants something kept from you';
const KEYS = 'Names a place where keys are kept';
const FRAMES = 'Written like a message of the system';

/** Phrases that steer a model. Not proof of anything: a place to read twice. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget)\s{1,8}(?:(?:all|any|the|your|every)\s{1,8}){0,4}(?:previous|prior|above|earlier|other|former|system)?\s{0,8}(?:instructions?|rules|prompts?|messages?|guidelines)/giu,
    SPEAKS,
  ],
  [
    /\b(?:before|after|whenever|when|instead of)\s{1,8}(?:you\s{1,8})?(?:us(?:e|ing)|call(?:ing)?|run(?:ning)?)\s{1,8}(?:this|any|other|another|every|all)\s{1,8}(?:other\s{1,8})?tools?/giu,
    SPEAKS,
  ],
  [
    /\b(?:you|the (?:assistant|model|agent|ai|llm))\s{1,8}(?:must|should|need to|have to|are required to)\s{1,8}(?:always|never|first|also|immediately)\b/giu,
    SPEAKS,
  ],
  [/\balways\s{1,8}(?:call|use|run|invoke)\s{1,8}this\s{1,8}(?:tool|function)/giu, SPEAKS],
  [
    /\boverrid(?:e|es|ing)\s{1,8}(?:the|all|any|other|previous)\b[^.\n]{0,40}\b(?:rules|instructions?|tools?|settings)/giu,
    SPEAKS,
  ],
  [/\byou are (?:now|no longer)\b/giu, SPEAKS],
  [
    /\b(?:do not|don['’]t|never|without)\s{1,8}(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|show(?:ing)?|notify(?:ing)?|ask(?:ing)?)\b[^.\n]{0,40}?\b(?:user|human|person|anyone|confirmation|permission|approval)\b/giu,
    HIDES,
  ],
  [/\b(?:secretly|silently|covertly)\b/giu, HIDES],
  [/(?:~|\$HOME|\/home\/\w+|\/root)?\/?\.(?:ssh|aws|gnupg|kube|netrc|npmrc|cursor|claude)(?:\/[\w./-]*\w)?/giu, KEYS],
  [/\b(?:id_rsa|id_ed25519|mcp\.json|claude_desktop_config\.json)\b|(?<![\w.])\.env\b/giu, KEYS],
  [/<\/?(?:important|system|instructions?|secret|hidden|admin|assistant|user)\b[^<>]{0,40}>/giu, FRAMES],
  [/\[\/?(?:INST|SYSTEM)\]|<\|[^|\n]{1,30}\|>|^\s{0,8}(?:system|assistant|developer)\s{0,8}:/gimu, FRAMES],
];

const OTHERS = 'Names another tool';
const IGNORABLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Models are given far less of a description. */
const LOOKED_AT = 100_000;

/** Where a text by somebody else seems to instruct a model. `names`: of the tools that are not its own. */
export function findInstructionMarks(text: string, names: readonly string[]): readonly InstructionMark[] {
  const { plain, from } = removeIgnorable(text.slice(0, LOOKED_AT));
  const named = names.filter((name) => name.includes('_')).map((name) => RegExp.escape(name));
  const others: readonly (readonly [RegExp, string])[] =
    named.length === 0 ? [] : [[new RegExp(`\\b(?:${named.join('|')})\\b`, 'giu'), OTHERS]];
  const marks = [...PHRASES, ...others].flatMap(([phrase, why]) =>
    [...plain.matchAll(phrase)].flatMap((match) => {
      const start = from[match.index + match[0].length - match[0].trimStart().length];
      const last = from[match.index + match[0].trimEnd().length - 1];
      return start === undefined || last === undefined || last < start ? [] : [{ start, end: last + 1, why }];
    }),
  );
  return apart(marks.toSorted((a, b) => a.start - b.start || b.end - a.end));
}

export interface MarkedPart {
  readonly text: string;
  /** Null where nothing is marked. */
  readonly why: string | null;
}

/** The same text in parts, the marked ones with what is to be said of them. */
export function splitMarkedText(text: string, names: readonly string[]): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  let at = 0;
  for (const { start, end, why } of findInstructionMarks(text, names)) {
    if (start > at) parts.push({ text: text.slice(at, start), why: null });
    parts.push({ text: text.slice(start, end), why });
    at = end;
  }
  if (at < text.length) parts.push({ text: text.slice(at), why: null });
  return parts;
}

/** Removes characters that would hide a phrase; `from` says where each other character was. */
function removeIgnorable(text: string): { readonly plain: string; readonly from: readonly number[] } {
  const from: number[] = [];
  let plain = '';
  let at = 0;
  for (const character of text) {
    if (!IGNORABLE.test(character)) {
      plain += character;
      for (let unit = 0; unit < character.length; unit += 1) from.push(at + unit);
    }
    at += character.length;
  }
  return { plain, from };
}

function apart(marks: readonly InstructionMark[]): readonly InstructionMark[] {
  const kept: InstructionMark[] = [];
  for (const mark of marks) if (mark.start >= (kept.at(-1)?.end ?? 0)) kept.push(mark);
  return kept;
}

/** Collects all text in a definition, for looking through it whole. */
export function collectTexts(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const inner = Array.isArray(value) ? (value as readonly Json[]) : Object.entries(value).flat();
  return inner.map(collectTexts).join('\n');
}
