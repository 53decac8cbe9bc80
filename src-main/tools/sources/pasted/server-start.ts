import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { fillIn } from './filled-in.js';
import { hasSecret } from './secret-looks.js';

/** An entry that can't be taken: why, in words. */
export class NotTaken extends Error {}

/** The command that an entry starts, or the address that it connects to. */
export type ServerStart =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | {
      readonly kind: 'address';
      readonly address: string;
      /** A program that stood between was left out. */ readonly bridged: boolean;
    };

/** Throws a `NotTaken`. */
export function startOf(entry: JsonObject, home: string): ServerStart {
  if (/^(?:builtin|platform|frontend|inline_python)$/u.test(text(entry['type']) ?? '')) {
    throw new NotTaken('This comes with the other program and can’t run anywhere else.');
  }
  const words = wordsOf(entry, home);
  if (words === null) return { kind: 'address', address: checked(addressIn(entry)), bridged: false };
  const bridged = behindBridge(words);
  if (bridged !== null) return { kind: 'address', address: checked(bridged), bridged: true };
  if (words.some((word, at) => hasSecret(word, words[at - 1] ?? ''))) {
    throw new NotTaken(
      'A key stands in its command line, where every program on this computer can see it. Take it out there, and give it as a variable if the server can read one.',
    );
  }
  return { kind: 'command', words };
}

export const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

export function list(value: Json | undefined, what: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new NotTaken(`Its ${what} are not a list.`);
  return value as readonly Json[];
}

function wordsOf(entry: JsonObject, home: string): readonly string[] | null {
  const given = entry['command'] ?? entry['cmd'];
  if (given === undefined || given === null) return null;
  // An older way of Zed's.
  if (isJsonObject(given)) return wordsOf({ command: given['path'] ?? '', args: given['args'] ?? null }, home);
  const words = Array.isArray(given) ? (given as readonly Json[]) : [given, ...list(entry['args'], 'arguments')];
  const filled = words.map((word) => {
    if (typeof word !== 'string') throw new NotTaken('Its command is not text.');
    return filledWord(word, home);
  });
  if ((filled[0] ?? '').trim() === '') throw new NotTaken('Its command is empty.');
  if (filled.includes('--mcp-stdio')) throw new NotTaken('This is Gatehouse itself, which can’t be its own source.');
  return filled;
}

export function filledWord(word: string, home: string): string {
  const filled = fillIn(word, home);
  if (filled.kind === 'text') return filled.text;
  const what = filled.kind === 'unknown' ? filled.what : word;
  throw new NotTaken(`Gatehouse doesn’t fill in ${what} in a command or a folder. Replace it with what it stands for.`);
}

/** The address that `npx mcp-remote <address>` would fetch from. */
function behindBridge(words: readonly string[]): string | null {
  if (!words.some((word) => /^mcp-remote(?:@[\w.-]+)?$/u.test(word))) return null;
  return words.find((word) => /^https?:\/\//iu.test(word)) ?? null;
}

function addressIn(entry: JsonObject): string {
  const address = ['url', 'uri', 'httpUrl', 'serverUrl'].map((key) => text(entry[key])).find((each) => each !== null);
  if (address === undefined || address === null) throw new NotTaken('It has neither a command nor an address.');
  return address;
}

function checked(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new NotTaken('Its address doesn’t begin with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new NotTaken('A password stands in its address. Give it as a header instead.');
  }
  if ([...url.searchParams].some(([name, value]) => hasSecret(`--${name}=${value}`, '') || hasSecret(value, ''))) {
    throw new NotTaken(
      'A key stands in its address. Take it out there, and give it as a header if the server can read one.',
    );
  }
  return address;
}
