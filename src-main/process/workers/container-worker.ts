import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { HeldProgram, HeldProgramEnd } from '../../domain/ports/sources/held-program.js';
import { type WorkerPlan, WorkerProblem } from '../../domain/ports/sources/worker.js';
import { markLimit } from '../ending/call-mark.js';
import { signalName } from '../ending/struck-limit.js';
import { MARK_VARIABLE } from '../environment/environment.js';
import { readTextOrNull } from '../environment/system-files.js';
import { bridgeWords, proxyEnvironment, toProxy, toServer } from '../proxy/bridge.js';
import type { Reach } from '../proxy/reach.js';
import { leaderArguments } from '../programs/leader.js';
import type { ProgramPlace } from '../programs/program-places.js';
import { type LeaderStart, startLeader } from '../programs/started-program.js';
import { removeContainers } from './container-removal.js';
import { containerName } from './container-image.js';
import { type ContainerLimits, engineLimitArguments } from './container-limits.js';
import { type ContainerEngine, runEngine } from './engines.js';

export interface ContainerStart extends Pick<LeaderStart, 'noteRunning' | 'onOver' | 'log'> {
  readonly plan: WorkerPlan;
  readonly engine: ContainerEngine;
  readonly image: string;
  readonly port: number;
  /** The label by which it is found after a crash. */
  readonly label: string;
  /** Runs it in gVisor; null where the engine’s own runtime does. */
  readonly gvisor: string | null;
  readonly shell: string;
  readonly perl: string;
  readonly place: ProgramPlace;
  readonly reach: Reach;
}

/**
 * A container without a network, joined with us by two sockets: a bridge of ours enters its network and nothing else of it, so
 * nothing has to be in the image. The bridge ends with the app; so does the container (container-removal.ts).
 */
export async function startContainer(start: ContainerStart, signal: AbortSignal): Promise<HeldProgram> {
  const { engine, plan, place } = start;
  const name = `gatehouse-${containerName(plan.domainId)}-${containerName(plan.worker)}-${randomBytes(4).toString('hex')}`;
  const ran = runContainer(start, name);
  const remove = async (): Promise<void> => void (await removeContainers(engine, [name]));
  const pid = await waitForProcess(start, name, ran.exited, signal).catch(async (error: unknown) => {
    await remove();
    await ran.exited;
    throw error;
  });
  const bridge = pid === null ? null : joinNetwork(start, pid);
  const ended = ran.exited.then(async (end) => {
    // Where the engine was ended and not the container, it still is there.
    await Promise.all([bridge?.end(0), remove()]);
    if (bridge === null) await start.onOver();
    return end;
  });
  return {
    pid: pid ?? 0,
    confinement: 'network',
    write: () => Promise.reject(new Error('A container has no input.')),
    endInput: () => undefined,
    stdout: ran.stdout,
    stderr: ran.stderr,
    side: bridge === null ? nothing() : bridge.side,
    ended,
    end: async (graceMs) => {
      if (graceMs > 0) {
        await runEngine(engine, ['kill', '--signal', 'TERM', name]);
        await Promise.race([ran.exited, delay(graceMs)]);
      }
      await remove();
      await ended;
    },
  };

  function joinNetwork({ shell, perl, port, gvisor }: ContainerStart, into: number): HeldProgram {
    const mark = randomBytes(16).toString('hex');
    const ways = [toProxy(place.networkPath), ...toServer(place.serverPath, port)];
    const words = [
      '/usr/bin/nsenter',
      '-t',
      String(into),
      // Without root it is the engine’s namespace of users that may enter.
      ...(process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials']),
      '-n',
      // gVisor leaves it down.
      ...(gvisor === null ? [] : ['/bin/sh', '-c', 'ip link set lo up; exec "$0" "$@"']),
      ...bridgeWords(perl, ways),
    ];
    const program = startLeader({
      shell,
      args: leaderArguments(
        { ...place, folder: '/', confines: false },
        ['-c', '0', '-R', String(markLimit(mark))],
        words,
      ),
      environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', [MARK_VARIABLE]: mark },
      mark,
      side: true,
      confinement: 'unconfined',
      bounds: { processes: 8, memoryBytes: 256 * 1024 * 1024 },
      ownProcesses: 1,
      maxCpuMs: Infinity,
      notesPath: place.notesPath,
      noteRunning: start.noteRunning,
      onOver: start.onOver,
      log: start.log,
    });
    program.endInput();
    for (const stream of [program.stdout, program.stderr]) void drain(stream);
    return program;
  }
}

function runContainer({ engine, plan, image, label, gvisor, place, reach, port }: ContainerStart, name: string) {
  const given = { HOME: '/tmp', TMPDIR: '/tmp', PORT: String(port), ...proxyEnvironment(reach.hosts) };
  const [program = '', ...before] = engine.words;
  const runtime = gvisor === null ? [] : ['--runtime', gvisor];
  const words = [
    ...before,
    // A word of podman’s own, and of docker’s “run”.
    ...(engine.by === 'podman' ? [...runtime, 'run'] : ['run', ...runtime]),
    '--rm',
    '--name',
    name,
    '--label',
    label,
    '--hostname',
    'worker',
    '--pull=never',
    ...engine.held,
    ...(engine.holds.processes || !engine.holds.ownUsers ? [] : ['--user', `${randomInt(10_000, 60_000)}:65534`]),
    ...engineLimitArguments(gvisor === null ? plan.limits : withKernel(plan.limits), engine.holds),
    // What an image declares as its volumes would be on a disk, unbounded.
    ...(engine.by === 'podman' ? ['--pidfile', place.pidPath, '--http-proxy=false', '--image-volume=ignore'] : []),
    ...Object.entries(given).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    // Secrets are given by name alone: their values stand in no list of processes.
    ...Object.keys(plan.secrets).flatMap((key) => ['--env', key]),
    image,
  ];
  const child = spawn(program, words, {
    // Where its memory ends, conmon leaves a file in the folder that it was started in.
    cwd: place.temporary(),
    env: { ...engine.environment, ...plan.secrets },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise: exited, resolve } = Promise.withResolvers<HeldProgramEnd>();
  const end = { code: null, signal: null, limit: null, unstartable: null };
  child.once('error', ({ message }) => resolve({ ...end, unstartable: message }));
  child.once('exit', (code, by) => {
    if (by !== null) resolve({ ...end, signal: by });
    // What engines say where nothing ran.
    else if (code === 125) resolve({ ...end, unstartable: 'The container could not be started.' });
    else if (code !== null && code > 128 && code < 128 + constants.signals.SIGSYS + 1)
      resolve({ ...end, signal: signalName(code - 128) });
    else resolve({ ...end, code });
  });
  // What it says before it ends at once is kept: at its end Node lets go of what nobody reads yet.
  return { exited, stdout: child.stdout.pipe(new PassThrough()), stderr: child.stderr.pipe(new PassThrough()) };
}

/** gVisor’s kernel is a program beside the worker, with threads of its own, and one for each of the worker’s. */
const withKernel = (limits: ContainerLimits): ContainerLimits => ({ ...limits, processes: limits.processes * 2 + 64 });

/** Null where it ended before it could be told. */
async function waitForProcess(
  { engine, place }: ContainerStart,
  name: string,
  exited: Promise<HeldProgramEnd>,
  signal: AbortSignal,
): Promise<number | null> {
  const over = exited.then(() => true);
  for (;;) {
    const said =
      engine.by === 'podman'
        ? (readTextOrNull(place.pidPath) ?? '')
        : (await runEngine(engine, ['inspect', '--format', '{{.State.Pid}}', name])).stdout;
    const pid = Number(said.trim());
    if (pid > 0) {
      checkNetwork(pid);
      return pid;
    }
    if (signal.aborted) throw new WorkerProblem('It was stopped before it began.');
    if (await Promise.race([over, delay(LOOK_MS, false)])) return null;
  }
}

const LOOK_MS = 5;

/** An engine on another machine, or in one of its own, names processes that are none of ours. */
function checkNetwork(pid: number): void {
  const networkOf = (of: string): string | null => {
    try {
      return readlinkSync(`/proc/${of}/ns/net`);
    } catch {
      return null;
    }
  };
  const there = networkOf(String(pid));
  if (there === null || there === networkOf('self'))
    throw new WorkerProblem(
      'The engine runs its containers elsewhere than on this machine, where they can’t be joined.',
    );
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

// eslint-disable-next-line require-yield
async function* nothing(): AsyncGenerator<Uint8Array> {}
