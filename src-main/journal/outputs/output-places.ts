import { createHash } from 'node:crypto';
import { join } from 'node:path';

export function outputsFolder(dataDir: string): string {
  return join(dataDir, 'outputs');
}

export function incomingFolder(dataDir: string): string {
  return join(outputsFolder(dataDir), 'incoming');
}

/** A call's id is ours and plain; anything else gets a name that is. */
export function incomingFile(dataDir: string, callId: string, stream: 'stdout' | 'stderr'): string {
  const name = /^[\w-]{1,100}$/u.test(callId) ? callId : createHash('sha256').update(callId).digest('hex');
  return join(incomingFolder(dataDir), `${name}.${stream}`);
}

export function storedFile(dataDir: string, sha256: string): string {
  return join(outputsFolder(dataDir), sha256.slice(0, 2), sha256);
}
