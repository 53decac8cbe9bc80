import { randomBytes } from 'node:crypto';
import type { HeldProgram } from '../../domain/ports/sources/held-program.js';
import type { WorkerPlan } from '../../domain/ports/sources/worker.js';
import { limitOfMark } from '../ending/call-mark.js';
import { MARK_VARIABLE } from '../environment/environment.js';
import { proxyEnvironment, toProxy, toServer } from '../proxy/bridge.js';
import type { Reach } from '../proxy/reach.js';
import { leaderArguments } from '../programs/leader.js';
import type { ProgramPlace } from '../programs/program-places.js';
import { type LeaderStart, startLeader } from '../programs/started-program.js';
import type { BuiltRoot } from './roots/built-root.js';
import { bundleSpec } from './runc-bundle.js';
import { type Runc, runcWords } from './runc-engine.js';

export interface RuncStart extends Pick<LeaderStart, 'noteRunning' | 'onOver' | 'log'> {
  readonly plan: WorkerPlan;
  readonly runc: Runc;
  readonly built: BuiltRoot;
  readonly port: number;
  readonly place: ProgramPlace;
  readonly reach: Reach;
}

/** A container by runc, held as a confined program is: by our leader, our groups of the kernel and our watch. */
export function startRunc({ plan, runc, built, port, place, reach, ...hears }: RuncStart): HeldProgram {
  const mark = randomBytes(16).toString('hex');
  const given = { ...plan.secrets, [MARK_VARIABLE]: mark };
  // Its own stand in what runc reads, and never in the environment of a program of ours, which some of them would make run something.
  const environment = {
    ...built.process.environment,
    HOME: '/tmp',
    TMPDIR: '/tmp',
    PORT: String(port),
    ...proxyEnvironment(reach.hosts),
  };
  const spec = bundleSpec({
    root: built.root,
    process: {
      ...built.process,
      environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !(name in given))),
    },
    user: runc.users.worker,
    limits: plan.limits,
    seccomp: runc.seccomp,
  });
  const ways = [toProxy(place.networkPath), ...toServer(place.serverPath, port)];
  const words = runcWords(runc, { bundle: built.bundle, spec, names: Object.keys(given), ways });
  const memoryBytes = plan.limits.memoryMb * 1024 * 1024;
  return startLeader({
    shell: runc.shell,
    args: leaderArguments(
      { ...place, folder: '/', confines: true },
      ['-c', '0', '-R', String(limitOfMark(mark))],
      words,
    ),
    environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...given },
    mark,
    side: true,
    confinement: 'network',
    bounds: { processes: plan.limits.processes, memoryBytes, cpus: plan.limits.cpus },
    ownProcesses: OF_OURS,
    maxCpuMs: Infinity,
    notesPath: place.notesPath,
    ...hears,
  });
}

/** Who waits for runc, runc, and the bridge. */
const OF_OURS = 3;
