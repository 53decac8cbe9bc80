import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '#contract/vocabulary/json.js';

export const sha256 = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex');

/** SHA-256 over canonical JSON (RFC 8785): equal values have equal digests, whatever the order of their keys. */
export const digestJson = (json: Json): string => sha256(canonicalize(json) ?? 'null');
