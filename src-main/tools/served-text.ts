/** What is served is looked at again when it is older than this and somebody wants it. */
const FRESH_MS = 10 * 60_000;

export interface ServedText {
  /** Rejects as the asking does, until there is something known. */
  text(signal: AbortSignal): Promise<string>;
  close(): void;
}

/** What a server says of itself: asked once, and later again beside what is known, so that no call waits for it. */
export function createServedText(ask: (signal: AbortSignal) => Promise<string>, onChange: () => void): ServedText {
  const stop = new AbortController();
  let known: { readonly text: string; readonly at: number } | null = null;
  let asking: Promise<string> | null = null;
  const again = async (): Promise<string> => {
    const before = known?.text;
    const text = await ask(stop.signal);
    known = { text, at: performance.now() };
    if (before !== undefined && before !== text) onChange();
    return text;
  };
  return {
    text: async (signal) => {
      if (known === null || performance.now() - known.at > FRESH_MS)
        asking ??= again().finally(() => {
          asking = null;
        });
      if (known === null && asking !== null) return orStopped(asking, signal);
      asking?.catch(() => undefined);
      return known?.text ?? '';
    },
    close: () => stop.abort(),
  };
}

/** It may be for others as well, so that who stops waiting stops nothing. */
async function orStopped(text: Promise<string>, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stopped = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stopped, { once: true });
  try {
    return await Promise.race([text, promise]);
  } finally {
    signal.removeEventListener('abort', stopped);
  }
}
