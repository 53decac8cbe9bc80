import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { electronExecutable } from './electron-runtime.mjs';
import { withLock } from './lock.mjs';
import { inProject, projectDir, say, SetupProblem } from './project.mjs';
import { run } from './run.mjs';

const SOURCES = [
  'src-main',
  'src-preload',
  'src-renderer',
  'resources',
  'electron.vite.config.ts',
  'package-lock.json',
  'tsconfig.base.json',
];
const stampFile = inProject('out', 'built-from');

/** Paths, sizes and times: enough to notice an edit, and a few milliseconds for the whole tree. */
function fingerprint() {
  const hash = createHash('sha256');
  const add = (path) => {
    const facts = lstatSync(path);
    if (facts.isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(`${path}\0${facts.size}\0${facts.mtimeMs}\n`);
  };
  for (const source of SOURCES) if (existsSync(inProject(source))) add(inProject(source));
  return hash.digest('hex');
}

const upToDate = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint();

export async function buildIfNeeded({ force = false } = {}) {
  if (!force && upToDate()) return;
  await withLock('build', async () => {
    if (force || !upToDate()) await build();
  });
}

async function build() {
  const now = fingerprint();
  say('building…');
  const { code, output } = await run(
    process.execPath,
    [inProject('node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'warn'],
    {
      quiet: true,
      cwd: projectDir,
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  if (code !== 0) throw new SetupProblem(`The build failed.\n${output.trim()}`);
  mkdirSync(inProject('out'), { recursive: true });
  await compile();
  writeFileSync(stampFile, now);
}

/** So that the first start in a new data folder is as quick as the next one. What it leaves is only as good as what was built. */
async function compile() {
  const compiled = inProject('out', 'compiled');
  rmSync(compiled, { recursive: true, force: true });
  const { code, output } = await run(
    electronExecutable(),
    [inProject('scripts', 'setup', 'compile-parts.mjs'), inProject('out', 'main', 'chunks'), compiled],
    { quiet: true, cwd: projectDir, env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } },
  );
  if (code !== 0) throw new SetupProblem(`What was built could not be compiled.\n${output.trim()}`);
}
