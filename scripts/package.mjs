// npm run package: an installable build in dist/, said to be not for release unless its Electron is an official one (--release makes nothing else). On Linux a folder, a tar.gz, and a deb where dpkg-deb is at hand.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfNeeded } from './setup/bundles.mjs';
import { ensureReady } from './setup/ensure.mjs';
import { inProject, projectDir, runScript, runtimeDir, say, SetupProblem } from './setup/project.mjs';
import { isForRelease } from './setup/release-runtime.mjs';
import { run } from './setup/run.mjs';
import { buildDeb } from './package/deb.mjs';

const dist = inProject('dist');
const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
/** `--dir` leaves it at the folder: what the tests of the packaged build need. */
const onlyFolder = process.argv.includes('--dir');

await runScript(async () => {
  await ensureReady();
  const mark = isForRelease(process.argv.slice(2)) ? '' : '-not-for-release';
  await buildIfNeeded();
  rmSync(dist, { recursive: true, force: true });
  const runtime = cleanRuntime();
  try {
    await electronBuilder(runtime);
  } finally {
    rmSync(runtime, { recursive: true, force: true });
  }
  if (process.platform === 'linux') await linuxArtifacts(mark);
  for (const name of readdirSync(dist)) console.log(join('dist', name));
  return 0;
});

/** The runtime as it is released: without the link to the project that development has. */
function cleanRuntime() {
  const target = inProject('.runtime', 'to-package');
  rmSync(target, { recursive: true, force: true });
  const leftOut = new Set(['source.json', 'electron-as-root', 'resources']);
  mkdirSync(join(target, 'resources'), { recursive: true });
  for (const name of readdirSync(runtimeDir)) {
    if (!leftOut.has(name)) cpSync(join(runtimeDir, name), join(target, name), { recursive: true });
  }
  return target;
}

async function electronBuilder(runtime) {
  say('packaging…');
  const { code, output } = await run(
    process.execPath,
    [
      inProject('node_modules', 'electron-builder', 'cli.js'),
      ...(onlyFolder ? ['--dir'] : []),
      '--publish',
      'never',
      `--config.electronDist=${runtime}`,
    ],
    { quiet: true, cwd: projectDir, env: { ...process.env, CSC_IDENTITY_AUTO_DISCOVERY: 'false' } },
  );
  if (code !== 0) throw new SetupProblem(`Packaging failed.\n${output.trim()}`);
}

async function linuxArtifacts(mark) {
  const folder = join(dist, 'linux-unpacked');
  for (const extra of ['builder-debug.yml', 'builder-effective-config.yaml'])
    rmSync(join(dist, extra), { force: true });
  // Chromium's helper is set-uid root where an installer may make it so; in a folder it can't be.
  if (existsSync(join(folder, 'chrome-sandbox'))) chmodSync(join(folder, 'chrome-sandbox'), 0o755);
  if (onlyFolder) return;
  const name = `gatehouse-${version}${mark}`;
  const staged = join(dist, name);
  renameSync(folder, staged);
  try {
    await must('tar', ['-C', dist, '-czf', join(dist, `${name}-linux-x64.tar.gz`), name]);
  } finally {
    renameSync(staged, folder);
  }
  if ((await run('dpkg-deb', ['--version'], { quiet: true })).code !== 0) {
    say('dpkg-deb is not at hand, so there is no .deb.');
    return;
  }
  await buildDeb(
    { folder, version, target: join(dist, `gatehouse_${version}${mark}_amd64.deb`), work: join(dist, '.deb') },
    must,
  );
}

async function must(command, args) {
  const { code, output } = await run(command, args, { quiet: true, cwd: projectDir });
  if (code !== 0) throw new SetupProblem(`${command} failed: ${output.trim()}`);
}
