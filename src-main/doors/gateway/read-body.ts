import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'too-slow' }
  | { readonly kind: 'not-text' }
  | { readonly kind: 'gone' };

/** Reads at most `maxBytes`, for at most `timeoutMs`. What comes after a verdict is not read: the connection is closed. */
export function readBody(request: IncomingMessage, maxBytes: number, timeoutMs: number): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve({ kind: 'too-large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => finish({ kind: 'too-slow' }), timeoutMs);
    const finish = (body: Body): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      request.pause();
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return finish({ kind: 'too-large' });
      chunks.push(chunk);
    });
    request.once('end', () => finish(decode(Buffer.concat(chunks))));
    request.once('close', () => finish({ kind: 'gone' }));
    request.once('error', () => finish({ kind: 'gone' }));
  });
}

function decode(bytes: Buffer): Body {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'not-text' };
  }
}
