/** A served text older than this is fetched again when somebody wants it. */
const FRESH_MS = 10 * 60_000;

export interface ServedText {
  /** The text. Rejects as the fetch does until there is a known text. */
  text(signal: AbortSignal): Promise<string>;
  close(): void;
}

/**
 * Caches a text that a server serves: fetched once, and later again in the background, so that no call waits for it.
 */
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
      if (known === null && asking !== null) return waitUntilAborted(asking, signal);
      asking?.catch(() => undefined);
      return known?.text ?? '';
    },
    close: () => stop.abort(),
  };
}

/**
 * Waits for the text until the signal aborts. Others may wait for the same text, so that stopping to wait does not stop
 * the fetch.
 */
async function waitUntilAborted(text: Promise<string>, signal: AbortSignal): Promise<string> {
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
