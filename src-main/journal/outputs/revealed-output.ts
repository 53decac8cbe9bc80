import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RevealedOutput } from '#contract/vocabulary/calls.js';
import {
  countFrames,
  computePlainLength,
  SEALED_FRAME_BYTES,
  SEALED_HEAD_BYTES,
  type Sealer,
} from '../../domain/ports/sealing.js';
import { sanitize } from '../../domain/text/sanitize.js';
import { sealedFile, sealedFor } from './output-places.js';

/** So much of it is shown: a person looks at what was blotted out, and not through all of an output. */
const SHOWN_FRAMES = 16;
const WHERE_BYTES = 8;

interface RevealOutputRequest {
  readonly dataDir: string;
  readonly callId: string;
  readonly stream: 'stdout' | 'stderr';
  readonly sealer: Sealer;
}

/** An output from the first place that was blotted out of it on; null where nothing was, or it does not open. */
export async function readRevealedOutput({
  dataDir,
  callId,
  stream,
  sealer,
}: RevealOutputRequest): Promise<RevealedOutput | null> {
  const file = await open(sealedFile(dataDir, callId, stream), constants.O_RDONLY).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(SEALED_HEAD_BYTES);
    await file.read(head, 0, head.length, 0);
    const opener = sealer.openFrames(head, sealedFor(callId, stream));
    if (opener === null) return null;
    // A crash leaves whole frames without a last one.
    const whole = computePlainLength(size);
    const last = whole === null ? Number.POSITIVE_INFINITY : countFrames(whole) - 1;
    const opened: Uint8Array[] = [];
    for (let index = 0; index < SHOWN_FRAMES; index += 1) {
      const sealed = Buffer.alloc(SEALED_FRAME_BYTES);
      const { bytesRead } = await file.read(sealed, 0, sealed.length, SEALED_HEAD_BYTES + index * SEALED_FRAME_BYTES);
      if (bytesRead === 0) break;
      const frame = opener.frame(index, index === last, sealed.subarray(0, bytesRead));
      if (frame === null) break;
      opened.push(frame);
    }
    const bytes = Buffer.concat(opened);
    if (bytes.length <= WHERE_BYTES) return null;
    const { text } = sanitize(bytes.toString('utf8', WHERE_BYTES));
    return {
      stream,
      from: Number(bytes.readBigUInt64BE(0)),
      text,
      complete: last < SHOWN_FRAMES && opened.length === last + 1,
    };
  } finally {
    await file.close();
  }
}
