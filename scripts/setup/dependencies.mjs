// Installs the npm dependencies when the lockfile asks for it; a stamp in node_modules remembers for which one it was done.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { withLock } from './lock.mjs';
import { inProject, projectDir, say, SetupProblem } from './project.mjs';
import { run } from './run.mjs';
import { ensureBuildTools } from './system-packages.mjs';

const stampFile = inProject('node_modules', '.gatehouse-lock');
const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(inProject('package-lock.json')))
    .digest('hex');

export function markDependenciesInstalled() {
  if (existsSync(inProject('node_modules'))) writeFileSync(stampFile, lockDigest());
}

function installed() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockDigest();
}

/** `npm install <something>` leaves no stamp; but npm itself notes what it put there, and that may be just what is asked. */
function installedByHand() {
  const notes = readPackages(inProject('node_modules', '.package-lock.json'));
  const asked = readPackages(inProject('package-lock.json'));
  if (notes === undefined || asked === undefined) return false;
  return Object.entries(asked).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || optional || devOptional || (notes[path]?.version === version && existsSync(inProject(path))),
  );
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** What npm needs first: from here on others may have the system's package manager while npm works. */
export async function prepareForDependencies() {
  if (!installed() && !installedByHand()) await ensureBuildTools();
}

export async function ensureDependencies() {
  if (installed()) return;
  // Two commands at once must not take the packages from under each other.
  await withLock('install', async () => {
    if (installed()) return;
    if (installedByHand()) return markDependenciesInstalled();
    await ensureBuildTools();
    say('installing dependencies (npm ci)…');
    const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      quiet: true,
      cwd: projectDir,
    });
    if (code !== 0) throw new SetupProblem(`npm ci failed. Fix what it says, then run this again.\n${output.trim()}`);
    markDependenciesInstalled();
  });
}
