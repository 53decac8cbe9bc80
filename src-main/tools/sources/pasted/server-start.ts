import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { readPlaceholder } from './placeholders.js';
import { hasSecret } from './match-secret.js';

/** An entry that can't be taken: why, in words. */
export class EntryNotTaken extends Error {}

/** The command that an entry starts, or the address that it connects to. */
export type ServerStart =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | {
      readonly kind: 'address';
      readonly address: string;
      /** A program that stood between was left out. */ readonly bridged: boolean;
    };

/** Throws a `NotTaken`. */
export function readServerStart(entry: JsonObject, home: string): ServerStart {
  if (/^(?:builtin|platform|frontend|inline_python)$/u.test(asText(entry['type']) ?? '')) {
    throw new EntryNotTaken('This comes with the other program and can’t run anywhere else.');
  }
  const words = readCommandWords(entry, home);
  if (words === null) return { kind: 'address', address: checkAddress(readEntryAddress(entry)), bridged: false };
  const bridged = findBridgedAddress(words);
  if (bridged !== null) return { kind: 'address', address: checkAddress(bridged), bridged: true };
  if (words.some((word, at) => hasSecret(word, words[at - 1] ?? ''))) {
    throw new EntryNotTaken(
      'A key stands in its command line, where every program on this computer can see it. Take it out there, and give it as a variable if the server can read one.',
    );
  }
  return { kind: 'command', words };
}

export const asText = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

export function readList(value: Json | undefined, what: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new EntryNotTaken(`Its ${what} are not a list.`);
  return value as readonly Json[];
}

function readCommandWords(entry: JsonObject, home: string): readonly string[] | null {
  const given = entry['command'] ?? entry['cmd'];
  if (given === undefined || given === null) return null;
  // An older way of Zed's.
  if (isJsonObject(given)) return readCommandWords({ command: given['path'] ?? '', args: given['args'] ?? null }, home);
  const words = Array.isArray(given) ? (given as readonly Json[]) : [given, ...readList(entry['args'], 'arguments')];
  const filled = words.map((word) => {
    if (typeof word !== 'string') throw new EntryNotTaken('Its command is not text.');
    return fillWord(word, home);
  });
  if ((filled[0] ?? '').trim() === '') throw new EntryNotTaken('Its command is empty.');
  if (filled.includes('--mcp-stdio'))
    throw new EntryNotTaken('This is Gatehouse itself, which can’t be its own source.');
  return filled;
}

export function fillWord(word: string, home: string): string {
  const filled = readPlaceholder(word, home);
  if (filled.kind === 'text') return filled.text;
  const what = filled.kind === 'unknown' ? filled.what : word;
  throw new EntryNotTaken(
    `Gatehouse doesn’t fill in ${what} in a command or a folder. Replace it with what it stands for.`,
  );
}

/** The address that `npx mcp-remote <address>` would fetch from. */
function findBridgedAddress(words: readonly string[]): string | null {
  if (!words.some((word) => /^mcp-remote(?:@[\w.-]+)?$/u.test(word))) return null;
  return words.find((word) => /^https?:\/\//iu.test(word)) ?? null;
}

function readEntryAddress(entry: JsonObject): string {
  const address = ['url', 'uri', 'httpUrl', 'serverUrl'].map((key) => asText(entry[key])).find((each) => each !== null);
  if (address === undefined || address === null) throw new EntryNotTaken('It has neither a command nor an address.');
  return address;
}

function checkAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new EntryNotTaken('Its address doesn’t begin with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EntryNotTaken('A password stands in its address. Give it as a header instead.');
  }
  if ([...url.searchParams].some(([name, value]) => hasSecret(`--${name}=${value}`, '') || hasSecret(value, ''))) {
    throw new EntryNotTaken(
      'A key stands in its address. Take it out there, and give it as a header if the server can read one.',
    );
  }
  return address;
}
