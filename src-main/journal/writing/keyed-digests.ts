import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { canonicalJson, hex } from '../audit/chain.js';
import type { HeadSigner } from '../audit/head-signing.js';

/** Where there is no key store. It lies beside the journal: neither an export nor a copy of the journal alone has it. */
export const DIGEST_KEY_FILE = 'digest-key';
const KEY_BYTES = 32;

/**
 * Digests of what the journal does not keep as it is: with a key, since what is short can be guessed, and a plain hash in a
 * copy would say that the guess was right. Begins with which key it was: the key store's, or the file's.
 */
export type KeyedDigest = (purpose: string, text: string) => string;

export function keyedDigests(dataDir: string, signer: HeadSigner): KeyedDigest {
  const said = (purpose: string, text: string): Uint8Array => Buffer.from(`gatehouse ${purpose}\n${text}`);
  if (signer.available) return (purpose, text) => `k:${hex(signer.sign(said(purpose, text)))}`;
  const key = keyInFile(join(dataDir, DIGEST_KEY_FILE));
  return (purpose, text) => `f:${createHmac('sha256', key).update(said(purpose, text)).digest('hex')}`;
}

/** Only one process has the data folder's lock, so that nobody else makes it meanwhile. */
function keyInFile(file: string): Uint8Array {
  try {
    const kept = readFileSync(file);
    if (kept.length === KEY_BYTES) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = randomBytes(KEY_BYTES);
  writeFileSync(file, made, { mode: 0o600 });
  return made;
}

/** The hash of what a fact about a call withholds from the record: what was asked, or what the person made of it. */
export function hashWithheld(event: JournalEvent, digest: KeyedDigest): { readonly withheldHash?: string } {
  if ((event.type !== 'call-received' && event.type !== 'call-edited') || event.withheld === undefined) return {};
  return { withheldHash: hashWithheldArguments(event.withheld.arguments, digest) };
}

export const hashWithheldArguments = (whole: unknown, digest: KeyedDigest): string =>
  digest('withheld', serializeValue(whole));

/** The canonical form of a value; a value that has none (half a character) as JSON writes it. */
function serializeValue(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return JSON.stringify(value);
  }
}
