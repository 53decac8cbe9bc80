import { spawn } from 'node:child_process';
import { homedir } from 'node:os';

export interface LaunchedApp {
  /** Settles only if it could not be started or ended with a failure: then with the reason, in words. */
  readonly failed: Promise<string>;
  /** Settles only if another ran already: it was left to that one. */
  readonly handedOver: Promise<void>;
}

type AppEnvironment = Readonly<Record<string, string | undefined>>;

/** How the app ended, as the shell beside it says where somebody still listens. */
const ENDED = 3;
/**
 * The shell that was started ends at once; one of its own waits for the app. Who ends this process with all that it started, by groups or
 * by parents, finds neither.
 */
const APART = `{ trap '' HUP; "$@" </dev/null >/dev/null 2>&1 ${ENDED}>&-; echo "$?" >&${ENDED}; } &`;

/** Starts the app as a process of its own: it shares no pipe, session, parent or folder with this one, and outlives it. */
export function launchApp(command: string, args: readonly string[], environment: AppEnvironment): LaunchedApp {
  return process.platform === 'win32'
    ? launchBeside(command, args, environment)
    : launchApart(command, args, environment);
}

function launchApart(command: string, args: readonly string[], environment: AppEnvironment): LaunchedApp {
  const failed = Promise.withResolvers<string>();
  const handedOver = Promise.withResolvers<void>();
  const shell = spawn('/bin/sh', ['-c', APART, 'sh', command, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: environment,
    cwd: homedir(),
  });
  shell.once('error', (error) => failed.resolve(error.message));
  const ended = shell.stdio[ENDED];
  let said = '';
  ended?.on('data', (bytes) => (said += String(bytes)));
  ended?.once('error', () => undefined);
  ended?.once('end', () => {
    const code = said.trim();
    if (code === '0') handedOver.resolve();
    else
      failed.resolve(
        Number(code) > 128 ? `it was ended by signal ${Number(code) - 128}` : `it ended with exit code ${code}`,
      );
  });
  return { failed: failed.promise, handedOver: handedOver.promise };
}

function launchBeside(command: string, args: readonly string[], environment: AppEnvironment): LaunchedApp {
  const child = spawn(command, args, { detached: true, stdio: 'ignore', env: environment, cwd: homedir() });
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
