import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { bridgeWords, findPerl } from '../proxy/bridge.js';
import { isExecutable, textOf } from '../environment/system-files.js';
import { SUPERVISOR_SHELLS } from '../start/supervisor.js';
import { firstOf, type Users } from './own-namespaces.js';
import { bundleSpec } from './runc-bundle.js';
import { plainProfile } from './seccomp-profile.js';

/** runc alone: it runs containers, and has neither images nor a builder of them. */
export interface Runc {
  readonly by: 'runc';
  readonly program: string;
  readonly users: Users;
  readonly seccomp: object;
  readonly shell: string;
  readonly perl: string;
  /** In words a person reads. */
  readonly lacking: readonly string[];
}

export type FoundRunc = Runc | { readonly by: null; readonly problem: string };

/** Found out by running one. */
export async function findRunc(program: string | null): Promise<FoundRunc> {
  const none = (problem: string) => ({ by: null, problem }) as const;
  if (program === null) return none('runc is not installed.');
  const [shell, perl, seccomp] = [SUPERVISOR_SHELLS.find(isExecutable), findPerl(), plainProfile()];
  if (shell === undefined || perl === null) return none('runc is used with bash and Perl. Install both.');
  if (seccomp === null) return none('runc is not used on this processor: its system calls are not known.');
  let said = '';
  for (const users of usersHere()) {
    const runc = {
      by: 'runc',
      program,
      users,
      seccomp,
      shell,
      perl,
      lacking: users.how === 'alone' ? [ALONE] : [],
    } as const;
    const refused = await trial(runc);
    if (refused === null) return runc;
    said = refused;
  }
  return none(`runc couldn’t run a trial container (${said.slice(0, 300)}).`);
}

const ALONE =
  'Inside, a worker is root without any right: without root, and without ids of its own (/etc/subuid, newuidmap), it can be nobody else.';

const WORKER = 65_534;

/** The best first. */
function usersHere(): readonly Users[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) {
    const both = `0 0 1\n${WORKER} ${WORKER} 1\n`;
    return [{ how: 'direct', uids: both, gids: both, worker: WORKER }];
  }
  const alone: Users = { how: 'alone', uids: `0 ${uid} 1\n`, gids: `0 ${gid} 1\n`, worker: 0 };
  const [ofUser, ofGroup] = [firstId('/etc/subuid', uid), firstId('/etc/subgid', uid)];
  if (ofUser === null || ofGroup === null) return [alone];
  const and = (own: number, other: number): string => `0 ${own} 1 ${WORKER} ${other} 1`;
  return [{ how: 'tools', uids: and(uid, ofUser), gids: and(gid, ofGroup), worker: WORKER }, alone];
}

/** Of those that the system has set aside for this person: “name:first:how many”. */
function firstId(file: string, uid: number): number | null {
  const names = [nameHere(), String(uid)];
  const line = (textOf(file) ?? '').split('\n').find((each) => names.includes(each.split(':')[0] ?? ''));
  const first = Number(line?.split(':')[1]);
  return Number.isSafeInteger(first) && first > 0 ? first : null;
}

function nameHere(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

export interface RuncRun {
  /** An empty folder. */
  readonly bundle: string;
  readonly spec: string;
  /** Variables of ours that the container is given. */
  readonly names: readonly string[];
  readonly ways: readonly string[];
}

/** A world of its own, the bridge in it, and in that runc with one container: all of it ends with the first. */
export function runcWords({ program, perl, users }: Pick<Runc, 'program' | 'perl' | 'users'>, run: RuncRun) {
  const first = firstOf({ users, ...run });
  if (first === null) throw new Error('The numbers of system calls are not known on this processor.');
  return [
    ...bridgeWords(perl, run.ways, first),
    program,
    '--root',
    join(run.bundle, 'state'),
    'run',
    '--bundle',
    run.bundle,
    'worker',
  ];
}

/** Null when it worked, else what it said. Of the system’s own programs: nothing has to be there, and nothing is left. */
async function trial(runc: Pick<Runc, 'program' | 'perl' | 'users' | 'seccomp'>): Promise<string | null> {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-trial-'));
  const [root, bundle] = [join(place, 'root'), join(place, 'bundle')];
  try {
    for (const path of [root, bundle]) mkdirSync(path);
    // Who it runs as is nobody's.
    for (const path of [place, root]) chmodSync(path, 0o755);
    for (const name of ['usr', 'proc', 'dev', 'tmp']) mkdirSync(join(root, name));
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
    const spec = bundleSpec({
      root,
      process: { args: ['/usr/bin/true'], folder: '/', environment: { PATH: '/usr/bin:/bin' } },
      user: runc.users.worker,
      limits: { memoryMb: 64, processes: 16, cpus: 1 },
      seccomp: runc.seccomp,
      reads: ['/usr'],
    });
    const [perl = '', ...words] = runcWords(runc, { bundle, spec, names: [], ways: [] });
    return await new Promise((resolve) => {
      const options = {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        timeout: 30_000,
        killSignal: 'SIGKILL',
      } as const;
      execFile(perl, words, options, (error, _, stderr) =>
        resolve(error === null ? null : stderr.trim().split('\n').at(-1) || error.message),
      );
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
