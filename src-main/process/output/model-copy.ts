import type { HeadTail } from '../../domain/text/head-tail.js';
import type { DrawnEnds } from './drawn-ends.js';

/** The line between the two streams in the caller's copy (FR-TOOL-CMD-01), which counts against the limit. */
export const STDERR_HEADER = '\n\n[stderr]\n';

/** Both streams within one limit: errors get what they need up to a quarter, and what the output leaves free. */
export function buildModelCopy(
  stdout: HeadTail,
  stderr: HeadTail,
  limit: number,
): { readonly stdout: string; readonly stderr: string; readonly leftOut: number } {
  const header = stderr.totalBytes > 0 ? STDERR_HEADER.length : 0;
  const room = Math.max(0, limit - header);
  const forStderr = Math.min(stderr.totalBytes, Math.max(Math.floor(room / 4), room - stdout.totalBytes));
  const errors = stderr.render(forStderr);
  const output = stdout.render(Math.max(0, room - forStderr));
  return {
    stdout: output.text,
    stderr: errors.text,
    leftOut: errors.leftOut + output.leftOut,
  };
}

/** The same of what was drawn. What was drawn over is in neither, and so left out. */
export function buildDrawnCopy(stdout: DrawnEnds, stderr: DrawnEnds, limit: number): ReturnType<typeof buildModelCopy> {
  const copy = buildModelCopy(stdout.ends, stderr.ends, limit);
  return { ...copy, leftOut: copy.leftOut + stdout.drawnOver + stderr.drawnOver };
}
