import { literally, type SecretRule } from './rules.js';
import type { Span } from './spans.js';

/** Values that are known to be secret: those of the key store, and of the environment that commands may not see. */
export interface KnownValues {
  /** Every form that is looked for, longest first. */
  readonly forms: readonly string[];
}

export const NOTHING_KNOWN: KnownValues = { forms: [] };

/** Shorter ones are words: taking them out would take texts apart. */
const MIN_LENGTH = 6;
const MIN_LINE_LENGTH = 20;

/**
 * Collects the forms of values: as they are, URL-encoded, as a string of JSON has them, and in base64 wherever in a
 * longer text they begin.
 */
export function knownValues(values: readonly string[]): KnownValues {
  const forms = new Set<string>();
  // What has lines is looked for by its lines too: they may come one after the other.
  const lines = (value: string): readonly string[] =>
    value.split(/\r?\n/u).filter((line) => line.length >= MIN_LINE_LENGTH);
  for (const value of values.flatMap((each) => [each, each.trim(), ...lines(each)])) {
    if (value.length < MIN_LENGTH || /^(?:true|false|null|none|\d{1,7})$/iu.test(value)) continue;
    forms.add(value);
    for (const form of [...urlForms(value), ...jsonForms(value)]) forms.add(form);
    for (const form of jsonForms(value)) forms.add(inJson(form));
    for (const form of base64Forms(new TextEncoder().encode(value))) forms.add(form);
  }
  const long = [...forms].filter((form) => form.length >= MIN_LENGTH);
  return { forms: long.sort((one, other) => other.length - one.length) };
}

export const knownRule = (known: KnownValues): SecretRule => ({
  anchors: literally(...known.forms),
  find: (text) => knownSecrets(text, known),
});

function knownSecrets(text: string, { forms }: KnownValues): Span[] {
  const spans: Span[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length))
      spans.push({ start: at, end: at + form.length });
  }
  return spans;
}

/** Lists URL-encoded forms: in capitals and in small letters, and with a blank as forms have it. */
function urlForms(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const forms = [encoded, encoded.replaceAll(/%../gu, (each) => each.toLowerCase())];
  return [...forms, ...forms.map((form) => form.replaceAll('%20', '+'))];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Lists forms that some writers of JSON have besides: with slashes escaped, in ASCII alone, or both. */
function jsonForms(value: string): readonly string[] {
  const plain = inJson(value);
  const slashed = plain.replaceAll('/', String.raw`\/`);
  return [plain, slashed].flatMap((form) => [form, inAscii(form), inAscii(form, true)]);
}

const inAscii = (text: string, large = false): string =>
  text.replaceAll(/[\u007f-\uffff]/g, (each) => {
    const code = each.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${large ? code.toUpperCase() : code}`;
  });

/**
 * Lists the base64 forms at each of the three places that a byte can have, without what its neighbours have a part in.
 */
function base64Forms(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const whole = btoa(String.fromCharCode(...padded)).replace(/=+$/u, '');
    const bits = padded.length * 8;
    const form = whole.slice(shift === 0 ? 0 : shift + 1, Math.floor(bits / 6));
    return form.length < 8 ? [] : [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
