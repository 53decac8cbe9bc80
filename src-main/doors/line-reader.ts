import { JsonCounter } from './json-bounds.js';
import type { Readable } from 'node:stream';
import { LineCutter } from '../platform/reading/line-cutter.js';

export type Line =
  { readonly kind: 'line'; readonly bytes: Buffer; readonly counted: JsonCounter } | { readonly kind: 'too-long' };

/**
 * Lines of a stream, each held to a size: of a longer one nothing is kept, and it counts once, where it ends. Reading
 * goes at the pace at which lines are taken.
 */
export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  // Counted as the bytes come in, so that no line holds up everybody else when it is whole.
  let counted = new JsonCounter();
  const cutter = new LineCutter(maxBytes, (part) => counted.take(part));
  const take = (bytes: Buffer | null): Line => {
    const line: Line = bytes === null ? { kind: 'too-long' } : { kind: 'line', bytes, counted };
    counted = new JsonCounter();
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer | string>)
    for (const bytes of cutter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) yield take(bytes);
  for (const bytes of cutter.end()) yield take(bytes);
}
