import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { WorkerProblem } from '../../domain/ports/sources/worker.js';
import { type ConfinementMeans, namespaceArguments } from '../confinement/bubblewrap.js';
import { isWithin } from '../confinement/home-folder.js';
import { findProgram, findFolderAround, holdsTheSystem } from '../environment/search-path.js';
import { isExecutable } from '../environment/system-files.js';
import { realPathOf } from '../../platform/files/resolve-path.js';
import { INSIDE_SOCKET } from '../proxy/bridge.js';

/** Where a worker finds its package, whatever the folder is called outside. */
export const PACKAGE = '/package';

export interface SandboxRequest {
  readonly bwrap: string;
  readonly means: ConfinementMeans;
  readonly packageFolder: string;
  readonly program: WorkerProgram;
  /** Folders that tools may write to, or could once. */
  readonly writable: readonly string[];
  readonly hosts: string;
  readonly passwd: string;
  readonly networkSocket: string;
  readonly memoryBytes: number;
}

/**
 * The view of a worker, made from nothing: the system’s programs and its package to read, and memory to write to. So
 * nothing of the person’s has to be covered, and what appears there later is not there either.
 */
export const sandboxArguments = (request: SandboxRequest): readonly string[] => [
  request.bwrap,
  ...namespaceArguments(request.means),
  '--uid',
  String(NOBODY),
  '--gid',
  String(NOBODY),
  '--hostname',
  'worker',
  // Which nobody inside can write to: only what ran has a line there.
  '--json-status-fd',
  '5',
  ...SYSTEM.flatMap(systemMount),
  ...ETC.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  '--ro-bind',
  request.hosts,
  '/etc/hosts',
  '--ro-bind',
  request.passwd,
  '/etc/passwd',
  ...request.program.installed.flatMap((path) => ['--ro-bind', path, path]),
  ...seenAmong(request).flatMap((path) => ['--perms', '0555', '--size', '4096', '--tmpfs', path]),
  '--dev',
  '/dev',
  '--size',
  String(Math.min(SHARED_MEMORY_BYTES, Math.floor(request.memoryBytes / 4))),
  '--tmpfs',
  '/dev/shm',
  '--proc',
  '/proc',
  ...(existsSync('/proc/keys') ? ['--ro-bind', '/dev/null', '/proc/keys'] : []),
  // Both folders take the worker's memory: full, they leave it enough to say so.
  '--size',
  String(Math.floor(request.memoryBytes / 2)),
  '--perms',
  '1777',
  '--tmpfs',
  '/tmp',
  '--symlink',
  '/tmp',
  '/var/tmp',
  '--ro-bind',
  request.networkSocket,
  INSIDE_SOCKET,
  '--ro-bind',
  request.packageFolder,
  PACKAGE,
  '--remount-ro',
  '/dev',
  // To the kernel root is root even without capabilities, and some of its settings run programs for everybody.
  '--remount-ro',
  '/proc',
  '--remount-ro',
  '/',
  '--chdir',
  PACKAGE,
  '--',
];

/** The user nobody, in the worker's own namespace of users. */
const NOBODY = 65_534;
export const HOSTS = '127.0.0.1 localhost\n::1 localhost\n';
export const PASSWD = `worker:x:${NOBODY}:${NOBODY}::/tmp:/usr/sbin/nologin\n`;

/** The size of shared memory, as engines give it. */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

const SYSTEM: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/**
 * Folders that tools may write to and that lie in what is shown: nobody approved what is there, and it sees none of it.
 */
function seenAmong({ program, writable }: SandboxRequest): readonly string[] {
  const shown = [...SYSTEM, ...program.installed];
  const all = writable.map(realPathOf).filter((folder) => existsSync(folder) && !holdsTheSystem(folder));
  return [...new Set(all)].filter((folder) => shown.some((place) => isWithin(realPathOf(place), folder)));
}

/** The system’s settings that programs need, with nothing that says whose machine it is. */
const ETC: readonly string[] = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
];

/** The mount of a system folder. On most systems all but `/usr` are links into it. */
function systemMount(path: string): readonly string[] {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return [];
  return facts.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

export interface WorkerProgram {
  /** The path as it is called inside. */
  readonly path: string;
  /** Where programs are looked for inside. */
  readonly searchPath: string;
  /** The folders that it is installed in, where that is not the system. */
  readonly installed: readonly string[];
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Finds the program, of the system where it has one: a program that a person has installed for themselves is shown only
 * where it is what is asked for.
 */
export function findWorkerProgram(
  command: string,
  packageFolder: string,
  { path, writable }: { readonly path: string; readonly writable: readonly string[] },
): WorkerProgram {
  const ofSystem = { searchPath: SYSTEM_PATH, installed: [] };
  if (command.includes('/') && !command.startsWith('/')) {
    const inside = resolve(PACKAGE, command);
    const file = resolve(packageFolder, command);
    if (!isWithin(PACKAGE, inside) || !isExecutable(file))
      throw new WorkerProblem(`The package has no program ${command} that can be run.`);
    return { ...ofSystem, path: inside };
  }
  const found = findProgram(command, { path: `${SYSTEM_PATH}:${path}`, cwd: null, writable });
  if (found === null)
    throw new WorkerProblem(
      command.startsWith('/')
        ? `There is no program at ${command}.`
        : `“${command}” is not installed, or in none of the folders that programs are looked for in (PATH).`,
    );
  const around = findFolderAround(found, writable);
  if (around !== null)
    throw new WorkerProblem(`${found} leads into ${around}, where tools may write: it is not what was accepted.`);
  if (SYSTEM.some((folder) => isWithin(folder, found))) return { ...ofSystem, path: found };
  const real = realPathOf(found);
  if (SYSTEM.some((folder) => isWithin(folder, real))) return { ...ofSystem, path: real };
  return { path: real, searchPath: `${dirname(real)}:${SYSTEM_PATH}`, installed: [installationOf(real)] };
}

/** `…/bin/node` is installed with what lies beside `bin`; but a home folder is nobody’s installation. */
function installationOf(program: string): string {
  const whole = dirname(dirname(program));
  const homes = [homedir(), userInfo().homedir, '/home', '/root', '/opt', '/'].map(realPathOf);
  const isTooMuch = homes.some((home) => isWithin(whole, home)) || basename(whole).startsWith('.local');
  return basename(dirname(program)) === 'bin' && !isTooMuch ? whole : program;
}
