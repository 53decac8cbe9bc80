/** Waits for work until the signal aborts. Others may wait for the same work, so it goes on. */
export async function waitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
