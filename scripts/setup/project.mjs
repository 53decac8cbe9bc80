// Where things are, and how the scripts speak. Imports nothing that must be installed first.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectDir = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const inProject = (...parts) => join(projectDir, ...parts);

export const ELECTRON_VERSION = '43.2.0';
// Outside node_modules, so that `npm ci` does not throw 270 MB away each time.
export const runtimeDir = inProject('.runtime', `electron-${ELECTRON_VERSION}`);

/** What we tell a person. On stderr, so that stdout stays for answers (paths, protocol). */
export const say = (line) => process.stderr.write(`gatehouse: ${line}\n`);

/** A problem that the person can mend: one clear line and exit code 2, no stack trace. */
export class SetupProblem extends Error {}

export async function runScript(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.message);
    process.exitCode = 2;
  }
}
