import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { StartedCommand } from '../../domain/ports/started-command.js';

const COMPLAINTS = 4000;
const GRACE_MS = 2000;

/** Starts a command as other programs would: with the environment that is given, and none of ours. */
export function startPiped(
  command: string,
  args: readonly string[],
  { folder, environment }: { readonly folder: string; readonly environment: Readonly<Record<string, string>> },
): StartedCommand {
  const child = spawn(command, args, { cwd: folder, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-COMPLAINTS)));
  // Who went away takes nothing more; that it went is what `ended` tells.
  child.stdin.on('error', () => undefined);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(`it can’t be started: ${error.message}`));
  child.once('close', (code, signal) =>
    resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
  );
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    closeInput: () => void child.stdin.end(),
    lines: createInterface({ input: child.stdout, crlfDelay: Infinity }),
    complaints: () => said,
    ended,
    end: () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      void ended.then(() => clearTimeout(timer));
    },
  };
}
