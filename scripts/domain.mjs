// npm run -s domain -- new <tool>: a package of one tool whose worker passes, in the folder that this was called from; prints its path.
// npm run -s domain -- check <folder>: proves a package against the contract of workers; exit code 0 or 1.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildIfNeeded } from './setup/bundles.mjs';
import { ensureReady } from './setup/ensure.mjs';
import { inProject, runScript, SetupProblem } from './setup/project.mjs';
import { run } from './setup/run.mjs';
import { provideConfinement } from './setup/system-packages.mjs';
import { writeNewPackage } from './domain/new-package.mjs';

const [what, given, ...more] = process.argv.slice(2);
/** npm runs scripts in the project, wherever it was called. */
const from = process.env['INIT_CWD'] ?? process.cwd();

const USAGE = 'Say “new <tool>”, such as weather.today, or “check <folder>”.';

await runScript(async () => {
  if (given === undefined || more.length > 0) throw new SetupProblem(USAGE);
  if (what === 'new') {
    process.stdout.write(`${writeNewPackage(given, from)}\n`);
    return 0;
  }
  if (what === 'check') return check(resolve(from, given));
  throw new SetupProblem(USAGE);
});

async function check(folder) {
  if (!existsSync(folder)) {
    process.stdout.write(`✗ ${folder}: there is no such folder\n`);
    return 1;
  }
  const electron = await ensureReady();
  await provideConfinement();
  await buildIfNeeded();
  const { code } = await run(electron, [inProject('out', 'main', 'domain-check.js'), folder], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  return code === 0 ? 0 : 1;
}
