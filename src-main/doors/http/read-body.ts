import type { IncomingMessage } from 'node:http';
import { JsonCounter } from '../json-bounds.js';

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** Too much in it to be parsed; `id` is the request's own, where it has one. */
  | { readonly kind: 'too-much'; readonly why: string; readonly id: string | number | null }
  | { readonly kind: 'too-slow' }
  | { readonly kind: 'not-text' }
  | { readonly kind: 'gone' };

/** Reads at most `maxBytes`, for at most `timeoutMs`. What comes after a verdict is not read: the connection is closed. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  timeoutMs: number,
  onBytes: (bytes: number) => void,
): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve({ kind: 'too-large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const counter = new JsonCounter();
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let text = '';
    let isText = true;
    let bytes = 0;
    // Looked at as it comes in, so that no body holds up everybody else when it is whole.
    const decode = (chunk?: Buffer): void => {
      try {
        if (isText) text += chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
      } catch {
        isText = false;
      }
    };
    const whole = (): Body => {
      decode();
      if (!isText) return { kind: 'not-text' };
      const why = counter.excess();
      return why === null ? { kind: 'text', text } : { kind: 'too-much', why, id: counter.idIn(Buffer.concat(chunks)) };
    };
    const timer = setTimeout(() => finish({ kind: 'too-slow' }), timeoutMs);
    const finish = (body: Body): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      request.pause();
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      onBytes(chunk.length);
      if (bytes > maxBytes) return finish({ kind: 'too-large' });
      chunks.push(chunk);
      counter.take(chunk);
      decode(chunk);
    });
    request.once('end', () => finish(whole()));
    request.once('close', () => finish({ kind: 'gone' }));
    request.once('error', () => finish({ kind: 'gone' }));
  });
}
