import type { FetchLike } from '@modelcontextprotocol/client';
import { OutsideProblem } from '../../../../domain/ports/outside.js';

/** A document that says where people sign in, or what they are given. */
const MAX_ANSWER_BYTES = 262_144;
const ANSWER_TIMEOUT_MS = 30_000;

/** A fetch that reads each answer whole, in time and up to a limit, before anybody sees it. */
export function createBoundedFetch(fetch: FetchLike, over: AbortSignal, wholeMs = ANSWER_TIMEOUT_MS): FetchLike {
  return async (input, init) => {
    const where = new URL(input).host;
    const end = new AbortController();
    const stop = (): void => end.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, wholeMs);
    over.addEventListener('abort', stop, { once: true });
    try {
      over.throwIfAborted();
      const response = await fetch(input, { ...init, signal: end.signal });
      const bytes = await readWhole(response, where);
      const { status, headers } = response;
      return new Response(status === 204 || status === 304 ? null : bytes, { status, headers });
    } catch (error) {
      if (isLate) throw new OutsideProblem('no-answer', `${where} did not answer within ${wholeMs / 1000} s.`);
      throw error;
    } finally {
      clearTimeout(timer);
      over.removeEventListener('abort', stop);
    }
  };
}

async function readWhole({ body }: Response, where: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let taken = 0;
  if (body !== null)
    for await (const part of body) {
      taken += part.length;
      if (taken > MAX_ANSWER_BYTES)
        throw new OutsideProblem('too-large', `${where} answered with more than ${MAX_ANSWER_BYTES / 1024} KB.`);
      parts.push(part);
    }
  return new Uint8Array(Buffer.concat(parts));
}
