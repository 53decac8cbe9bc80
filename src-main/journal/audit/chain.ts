import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { sha256 } from '../../platform/digest.js';

/** The hash that the first event is chained to. */
export const GENESIS: Uint8Array = Buffer.alloc(32);

/** RFC 8785: one text for one value, so that a hash means the value and not its spelling. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('This value has no JSON form.');
  return text;
}

/** SHA-256 of the arguments' canonical JSON. What has none (half a surrogate pair) is hashed as JSON writes it. */
export function hashArguments(json: string): string {
  try {
    return sha256(canonicalJson(JSON.parse(json)));
  } catch {
    return sha256(json);
  }
}

export function bodyHash(body: string): Buffer {
  return hash('sha256', body, 'buffer');
}

/** SHA-256 over the previous event's hash and the SHA-256 of this one's canonical JSON, so that a body can be erased and the chain still be followed. */
export function chainHash(previous: Uint8Array, hashOfBody: Uint8Array): Buffer {
  // One call over both is several times faster than a hash object that is fed twice.
  return hash('sha256', Buffer.concat([previous, hashOfBody]), 'buffer');
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
