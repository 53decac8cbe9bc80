import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { StartHeldProgram } from '../../domain/ports/sources/held-program.js';
import type {
  PackageRequest,
  InstalledPackage,
  PackageConfinement,
  Packages,
} from '../../domain/ports/sources/packages.js';
import { ConcurrencyLimiter } from '../../platform/concurrency-limiter.js';
import { isExecutable } from '../environment/system-files.js';
import { fetchNewestVersion } from './newest-version.js';
import { readPythonPackage, pipInstall, writePythonStart } from './python-packages.js';

export interface PackagesOptions {
  readonly start: StartHeldProgram;
  /** The folder in which one folder a source is made. */
  readonly folder: string;
  /** npm's own, unless the person's environment says otherwise; of Python, its index. */
  readonly registry: string;
  readonly pythonIndex: string;
  /** A document of a registry, as JSON; rejects where it is none. */
  readonly read: (url: string, accept: string, signal: AbortSignal) => Promise<unknown>;
}

const MADE = 'installed.json';
const COMPLAINTS = 2000;
/** The installations at once. Each takes a core and the disk: more of them wait. */
const AT_ONCE = 2;
const MAX_INSTALL_MS = 5 * 60_000;
/** Settings with which npm tries twice, and not for minutes: whoever waits may ask again. */
const NPM_SETTINGS = {
  npm_config_update_notifier: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '500',
  npm_config_fetch_retry_maxtimeout: '2000',
} as const;

/** Packages of npm, fetched by the person's own npm, which is held and reaches the registry and nothing else. */
export const createPackages = (options: PackagesOptions): Packages => {
  const lanes = new ConcurrencyLimiter(AT_ONCE);
  return {
    findInstalled: (source, asked) => readInstalled(join(options.folder, source), asked),
    install: (source, asked, held, stopped) =>
      lanes.run(() => install(options, source, join(options.folder, source), asked, held, stopped)),
    fetchBeside: (source, asked, held, stopped) =>
      lanes.run(() => install(options, source, newerFolder(options.folder, source), asked, held, stopped)),
    takeBeside: (source, asked) => takeBeside(options.folder, source, asked),
    findNewestVersion: (asked, signal) => fetchNewestVersion(asked, options, signal),
  };
};

/** No source has a name with a dot in it. */
const newerFolder = (folder: string, source: string): string => join(folder, `${source}.newer`);

function takeBeside(folder: string, source: string, asked: PackageRequest): InstalledPackage {
  const [from, to] = [newerFolder(folder, source), join(folder, source)];
  if (readInstalled(from, asked) === null)
    throw new Error(`What was fetched of ${asked.spec} is not there as it was fetched. Fetch it again.`);
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
  return readPackage(to, asked);
}

async function install(
  { start, registry, pythonIndex }: PackagesOptions,
  source: string,
  at: string,
  asked: PackageRequest,
  { process, config }: PackageConfinement,
  stopped: AbortSignal,
): Promise<InstalledPackage> {
  if (stopped.aborted) throw wasStopped(asked);
  const fresh = `${at}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  try {
    const { hosts, ...installer } =
      asked.kind === 'npm' ? npmInstall(fresh, asked, registry) : pipInstall(fresh, asked, pythonIndex);
    const program = await start({
      startedFor: source,
      ...installer,
      workingDirectory: fresh,
      process,
      network: { reach: 'hosts', hosts, by: 'settings' },
      folder: { path: fresh, access: 'write' },
      reads: [],
      memoryBytes: null,
      cpuSeconds: 600,
      side: false,
      config,
    });
    program.endInput();
    const over = AbortSignal.any([stopped, AbortSignal.timeout(MAX_INSTALL_MS)]);
    const endNow = (): void => void program.end(0);
    over.addEventListener('abort', endNow, { once: true });
    if (over.aborted) endNow();
    const [, said, end] = await Promise.all([text(program.stdout), text(program.stderr), program.ended]);
    over.removeEventListener('abort', endNow);
    if (stopped.aborted) throw wasStopped(asked);
    if (end.code !== 0) {
      const why = end.unstartable ?? said.trim().slice(-COMPLAINTS);
      throw new Error(`The package ${asked.spec} could not be fetched by ${FETCHED_BY[asked.kind]}. ${why}`.trim());
    }
    if (asked.kind === 'python') writePythonStart(fresh, asked);
    const found = readPackage(fresh, asked);
    writeFileSync(join(fresh, MADE), JSON.stringify({ ...asked, digest: found.digest }), { mode: 0o600 });
    rmSync(at, { recursive: true, force: true });
    renameSync(fresh, at);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return readPackage(at, asked);
}

const wasStopped = ({ spec }: PackageRequest): Error => new Error(`Fetching the package ${spec} was stopped.`);

const FETCHED_BY = { npm: 'npm', python: 'pip' } as const;

function npmInstall(folder: string, { spec }: PackageRequest, registry: string) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const url = new URL(registry);
  return {
    command: 'npm',
    args: ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error', '--', spec],
    environment: { npm_config_registry: registry, ...NPM_SETTINGS },
    hosts: [url.port === '' ? url.hostname : url.host],
  };
}

/** Null where another one was asked for, or what is there is not what was fetched. */
function readInstalled(folder: string, asked: PackageRequest): InstalledPackage | null {
  try {
    const made = readJson(join(folder, MADE));
    if (made['spec'] !== asked.spec || made['program'] !== asked.program) return null;
    const found = readPackage(folder, asked);
    return found.digest === made['digest'] ? found : null;
  } catch {
    return null;
  }
}

const readPackage = (folder: string, asked: PackageRequest): InstalledPackage =>
  asked.kind === 'npm' ? readNpmPackage(folder, asked) : readPythonPackage(folder, asked);

function readNpmPackage(folder: string, asked: PackageRequest): InstalledPackage {
  const modules = join(folder, 'node_modules');
  const name = packageName(asked.spec);
  const { packages } = readJson(join(modules, '.package-lock.json')) as { packages?: Record<string, Locked> };
  const own = packages?.[`node_modules/${name}`];
  if (own?.version === undefined || own.integrity === undefined)
    throw new Error(`npm did not say what it fetched of ${name}.`);
  const all = Object.entries(packages ?? {})
    .map(([path, { version, integrity }]) => `${path} ${version ?? ''} ${integrity ?? ''}`)
    .toSorted();
  return {
    name,
    version: own.version,
    integrity: own.integrity,
    digest: createHash('sha256').update(all.join('\n')).digest('hex'),
    path: programOf(join(modules, name), name, asked.program),
    folder: modules,
  };
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
}

function programOf(folder: string, name: string, asked: string | null): string {
  const { bin } = readJson(join(folder, 'package.json'));
  const bare = name.replace(/^@[^/]*\//u, '');
  const programs: Record<string, unknown> = typeof bin === 'string' ? { [bare]: bin } : isTable(bin) ? bin : {};
  const names = Object.keys(programs);
  const chosen = asked ?? (names.length === 1 ? names[0] : bare) ?? '';
  const path = programs[chosen];
  if (typeof path !== 'string')
    throw new Error(`${name} has no program ${asked ?? bare}; it has: ${names.join(', ')}.`);
  const whole = join(folder, path);
  if (!whole.startsWith(`${folder}/`) || !isExecutable(whole))
    throw new Error(`The program ${chosen} of ${name} is none.`);
  return whole;
}

/** The package name: the part before the version. */
const packageName = (spec: string): string => spec.replace(/(?<=.)@.*$/u, '');

const readJson = (path: string): Record<string, unknown> => {
  const read: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return isTable(read) ? read : {};
};

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
