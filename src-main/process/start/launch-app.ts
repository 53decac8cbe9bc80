import { spawn } from 'node:child_process';

export interface LaunchedApp {
  /** Settles only if it could not be started or ended with a failure: then with the reason, in words. */
  readonly failed: Promise<string>;
  /** Settles only if another ran already: it was left to that one. */
  readonly handedOver: Promise<void>;
}

/** Starts the app as a process of its own: it shares no pipe with this one and outlives it. */
export function launchApp(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): LaunchedApp {
  const child = spawn(command, args, { detached: true, stdio: 'ignore', env: environment });
  child.unref();
  const failed = Promise.withResolvers<string>();
  const handedOver = Promise.withResolvers<void>();
  child.once('error', (error) => failed.resolve(error.message));
  child.once('exit', (code, signal) => {
    if (code === 0) handedOver.resolve();
    else failed.resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
  });
  return { failed: failed.promise, handedOver: handedOver.promise };
}
