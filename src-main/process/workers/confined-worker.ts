import { randomBytes } from 'node:crypto';
import { WorkerProblem, type WorkerPlan } from '../../domain/ports/sources/worker.js';
import type { Availability } from '../confinement/availability.js';
import { BUBBLEWRAP_PROCESSES, processLimitWords } from '../confinement/confinement-choice.js';
import { markLimit } from '../ending/call-mark.js';
import { MARK_VARIABLE } from '../environment/environment.js';
import { findFolderAround } from '../environment/search-path.js';
import { findPathsIn } from '../programs/own-files.js';
import { bridgeWords, INSIDE_SOCKET, proxyEnvironment, serverDoor, toProxy } from '../proxy/bridge.js';
import type { Reach } from '../proxy/reach.js';
import { leaderArguments } from '../programs/leader.js';
import type { ProgramPlace } from '../programs/program-places.js';
import { type LeaderStart, startLeader } from '../programs/started-program.js';
import type { HeldProgram } from '../../domain/ports/sources/held-program.js';
import { findWorkerProgram, HOSTS, PASSWD, sandboxArguments } from './worker-sandbox.js';

export interface ConfinedStart extends Pick<LeaderStart, 'noteRunning' | 'onOver' | 'log'> {
  readonly plan: WorkerPlan & { readonly runs: { readonly kind: 'command' } };
  readonly available: Extract<Availability, { available: true }>;
  readonly shell: string;
  readonly perl: string;
  readonly place: ProgramPlace;
  readonly reach: Reach;
  /** Where programs are looked for that the system has not. */
  readonly path: string;
  /** Folders that tools may write to, or could once. */
  readonly writable: readonly string[];
}

/** The port of a confined worker: in a network of its own nobody else has a port. */
export const CONFINED_PORT = 8080;

/** A program of the package, held by bubblewrap: it is joined with us by two sockets, and with nothing else. */
export function startConfined(start: ConfinedStart): HeldProgram {
  const { plan, available, shell, perl, place, reach } = start;
  const [command, ...args] = plan.runs.command;
  if (command === undefined) throw new WorkerProblem('Its command is empty.');
  const program = findWorkerProgram(command, plan.packageFolder, start);
  for (const word of args) {
    const [path, folder] = findWritablePath(word, start.writable) ?? [];
    if (path !== undefined)
      throw new WorkerProblem(`“${path}” lies in ${folder}, where tools may write: put it into the package.`);
  }
  const memoryBytes = plan.limits.memoryMb * 1024 * 1024;
  const mark = randomBytes(16).toString('hex');
  const words = [
    ...serverDoor(perl, place.serverPath),
    ...sandboxArguments({
      bwrap: available.bwrap,
      means: available,
      packageFolder: plan.packageFolder,
      program,
      writable: start.writable,
      hosts: place.file('hosts', HOSTS),
      passwd: place.file('passwd', PASSWD),
      networkSocket: place.networkPath,
      memoryBytes,
    }),
    ...bridgeWords(perl, [toProxy(INSIDE_SOCKET), `fd:?=tcp:${CONFINED_PORT}`, `ready:3=tcp:${CONFINED_PORT}`]),
    ...processLimitWords(plan.limits.processes),
    program.path,
    ...args,
  ];
  return startLeader({
    shell,
    args: leaderArguments({ ...place, folder: '/', confines: true }, workerLimits(memoryBytes, mark), words),
    environment: {
      PATH: program.searchPath,
      HOME: '/tmp',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      USER: 'worker',
      ...plan.secrets,
      ...proxyEnvironment(reach.hosts),
      [plan.runs.portEnv]: String(CONFINED_PORT),
      [MARK_VARIABLE]: mark,
    },
    mark,
    side: true,
    confinement: 'network',
    bounds: { processes: plan.limits.processes, memoryBytes, cpus: plan.limits.cpus },
    ownProcesses: BUBBLEWRAP_PROCESSES + OF_BRIDGE_AND_LEADER,
    maxCpuMs: Infinity,
    notesPath: place.notesPath,
    noteRunning: start.noteRunning,
    onOver: start.onOver,
    log: start.log,
  });
}

/**
 * The writable path that a word names, wherever in it: `-I/path`, `--import=file:///path`; with the folder around it.
 */
function findWritablePath(word: string, writable: readonly string[]): readonly [string, string] | null {
  for (const path of findPathsIn(word)) {
    const folder = findFolderAround(path, writable);
    if (folder !== null) return [path, folder];
  }
  return null;
}

const OF_BRIDGE_AND_LEADER = 2;

/**
 * The limits as bash's ulimit takes them. Its writable folders are memory of a bounded size. Of its own memory each
 * process has no more than all may have.
 */
const workerLimits = (memoryBytes: number, mark: string): readonly string[] =>
  [
    ['-c', 0],
    ['-n', 4096],
    ['-d', Math.ceil(memoryBytes / 1024)],
    ['-f', Math.ceil(memoryBytes / 1024)],
    ['-R', markLimit(mark)],
  ].flatMap(([option, value]) => [String(option), String(value)]);
