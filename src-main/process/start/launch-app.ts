import { spawn } from 'node:child_process';

export interface LaunchedApp {
  /** Settles only if it could not be started or ended with a failure: then with the reason, in words. */
  readonly failed: Promise<string>;
}

/** Starts the app as a process of its own: it shares no pipe with this one and outlives it. */
export function launchApp(command: string, args: readonly string[]): LaunchedApp {
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.unref();
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(error.message));
  child.once('exit', (code, signal) => {
    // 0 is a second start that handed its workspace over.
    if (code !== 0) resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
  });
  return { failed: promise };
}
