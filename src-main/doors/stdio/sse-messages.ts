import type { Readable } from 'node:stream';

/** The data of each event of an event stream. Comments, which only keep the connection alive, are left out. */
export async function* sseMessages(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    buffered += decoder.decode(chunk, { stream: true });
    for (;;) {
      // Only a whole event is looked at, so nothing is searched twice but its last line's end.
      const boundary = /\r?\n\r?\n/.exec(buffered);
      if (boundary === null) break;
      const data = dataOf(buffered.slice(0, boundary.index));
      buffered = buffered.slice(boundary.index + boundary[0].length);
      if (data !== '') yield data;
    }
  }
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n');
}
