import type { Json } from '#contract/vocabulary/json.js';

export type StrictJson = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

const MAX_BYTES = 2n ** 53n;
const MAX_DEPTH = 200;

/** JSON that every reader takes for the same: UTF-8 without a mark before it, no key twice, no number that would be another one here. */
export function readStrictJson(bytes: Uint8Array): StrictJson {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return no('begins with a byte order mark');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return no('is not UTF-8');
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return no(text.trim() === '' ? 'is empty' : 'is no JSON');
  }
  const strange = findAmbiguity(text);
  return strange === null ? { ok: true, value } : no(strange);
}

const no = (problem: string): StrictJson => ({ ok: false, problem });

/** Finds the ambiguities of a text that is JSON: points on which readers differ. */
function findAmbiguity(text: string): string | null {
  /** The keys of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isKey = false;
  for (let at = 0; at < text.length;) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      const keys = open.at(-1);
      if (isKey && keys !== null && keys !== undefined) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (key === '__proto__') return 'holds a key “__proto__”';
        if (keys.has(key)) return `holds the key “${key.slice(0, 60)}” twice`;
        keys.add(key);
        isKey = false;
      }
      at = end;
      continue;
    }
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) {
      const end = numberEnd(text, at);
      const number = text.slice(at, end);
      if (isTooLarge(number)) return `holds the number ${number.slice(0, 40)}, which is over 2^53`;
      at = end;
      continue;
    }
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null);
      isKey = char === '{';
      if (open.length > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
    } else if (char === '}' || char === ']') {
      open.pop();
      isKey = false;
    } else if (char === ',') isKey = open.at(-1) !== null;
    at += 1;
  }
  return null;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function numberEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && NUMBER.has(text[at] ?? '')) at += 1;
  return at;
}

const NUMBER: ReadonlySet<string> = new Set('0123456789+-.eE');

function isTooLarge(number: string): boolean {
  if (!/^-?\d+$/u.test(number)) return Math.abs(Number(number)) > 2 ** 53;
  if (number.length < 16) return false;
  const whole = BigInt(number);
  return whole > MAX_BYTES || whole < -MAX_BYTES;
}
