/** Only a driver that never attaches is waited for so long. */
const PATIENCE_MS = 60_000;

/**
 * A test driver that asked for both debuggers (Playwright) loses a window that opens while it is still attaching: it then
 * waits for ever for a navigation that is past. It calls `__playwright_run` when it is attached, so the window of a
 * development build waits for that. Drivers that bring a loader of their own have defined it already.
 */
export async function attachTestDriver(args: readonly string[]): Promise<void> {
  const driven = args.includes('--inspect=0') && args.includes('--remote-debugging-port=0');
  if (!driven || '__playwright_run' in globalThis) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    Object.defineProperty(globalThis, '__playwright_run', {
      value: () => {
        clearTimeout(timer);
        resolve();
      },
    });
  });
}
