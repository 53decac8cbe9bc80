import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { StoredStream } from '../../domain/call/outputs.js';

export function outputsFolder(dataDir: string): string {
  return join(dataDir, 'outputs');
}

export function incomingFolder(dataDir: string): string {
  return join(outputsFolder(dataDir), 'incoming');
}

export function incomingFile(dataDir: string, callId: string, stream: StoredStream): string {
  return join(incomingFolder(dataDir), buildFileName(callId, stream));
}

/**
 * The sealed file of what was redacted from a stored output, with what came after it. It is kept by call: the same text
 * may belong to many.
 */
export function sealedFile(dataDir: string, callId: string, stream: 'stdout' | 'stderr'): string {
  return join(outputsFolder(dataDir), 'sealed', buildFileName(callId, stream));
}

export const sealedFor = (callId: string, stream: 'stdout' | 'stderr'): string => `${stream} of call ${callId}`;

/** A call's id is ours and plain; anything else gets a name that is. */
function buildFileName(callId: string, stream: StoredStream): string {
  const name = /^[\w-]{1,100}$/u.test(callId) ? callId : createHash('sha256').update(callId).digest('hex');
  return `${name}.${stream}`;
}

export function storedFile(dataDir: string, sha256: string): string {
  return join(outputsFolder(dataDir), sha256.slice(0, 2), sha256);
}
