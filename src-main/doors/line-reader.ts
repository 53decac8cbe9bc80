import { JsonCounter } from './json-bounds.js';
import type { Readable } from 'node:stream';

export type Line =
  { readonly kind: 'line'; readonly bytes: Buffer; readonly counted: JsonCounter } | { readonly kind: 'too-long' };

/**
 * Lines of a stream, each held to a size: of a longer one nothing is kept, and it counts once, where it ends. Reading
 * goes at the pace at which lines are taken.
 */
export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let bytes = 0;
  // As the bytes come in, so that no line holds up everybody else when it is whole.
  let counted = new JsonCounter();
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > maxBytes) parts = [];
    else {
      parts.push(part);
      counted.take(part);
    }
  };
  const take = (): Line => {
    const line: Line = bytes > maxBytes ? { kind: 'too-long' } : { kind: 'line', bytes: Buffer.concat(parts), counted };
    parts = [];
    bytes = 0;
    counted = new JsonCounter();
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      add(rest.subarray(0, end));
      yield take();
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) add(rest);
  }
  if (bytes > 0) yield take();
}
