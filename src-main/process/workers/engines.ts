import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isExecutable, readTextOrNull } from '../environment/system-files.js';
import {
  type EnforcedLimits,
  describeNotEnforced,
  PODMAN_FACTS,
  readPodmanLimits,
  engineLimitArguments,
} from './container-limits.js';
import { buildWorkerProfile } from './seccomp-profile.js';

/** The container engine of this machine: found out by running a container. */
export interface ContainerEngine {
  readonly by: 'podman' | 'docker';
  /** The program, and the words before each of its commands. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** How each is held. */
  readonly held: readonly string[];
  readonly holds: EnforcedLimits;
  /** The limits that it would silently ignore here, in words a person reads. */
  readonly lacking: readonly string[];
  /** podman’s program, docker’s name of it. */
  readonly runsc: string | null;
}

export type FoundEngine = ContainerEngine | { readonly by: null; readonly problem: string };

export interface EngineSearch {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Makes a file of ours: what this machine needs to run one, and what they may ask of the kernel. */
  readonly file: (name: 'conf' | 'seccomp', text: string) => Promise<string>;
}

export interface EngineAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of an engine, to its end. */
export function runEngine(
  engine: Pick<ContainerEngine, 'words' | 'environment'>,
  words: readonly string[],
  timeoutMs = 60_000,
  signal?: AbortSignal,
): Promise<EngineAnswer> {
  const [program = '', ...before] = engine.words;
  return new Promise((resolve) => {
    // An engine that is told to end waits for what it asked.
    const options = {
      env: engine.environment,
      timeout: timeoutMs,
      killSignal: 'SIGKILL' as const,
      maxBuffer: 4 << 20,
      ...(signal && { signal }),
    };
    execFile(program, [...before, ...words], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr: stderr === '' && error !== null ? error.message : stderr });
    });
  });
}

/** Only places that nobody but the system writes to. */
const BINARIES: readonly string[] = ['/usr/bin', '/usr/local/bin', '/bin', '/usr/sbin', '/run/current-system/sw/bin'];
export const findInstalled = (name: string): string | null =>
  BINARIES.map((folder) => join(folder, name)).find(isExecutable) ?? null;

export async function findEngine({ environment, file }: EngineSearch): Promise<FoundEngine> {
  if (process.platform !== 'linux')
    return { by: null, problem: 'Containers are run on Linux only by this version of Gatehouse.' };
  const env = withoutUndefined(environment);
  const problems: string[] = [];
  for (const look of [findPodman, findDocker]) {
    const found = await look(env, file);
    if (found.by !== null) return found;
    problems.push(found.problem);
  }
  return { by: null, problem: problems.join(' ') };
}

type EngineFinder = (env: EngineEnvironment, file: EngineSearch['file']) => Promise<FoundEngine>;
const NO_NSENTER = 'its containers can’t be joined without nsenter. Install the package “util-linux”.';

type EngineEnvironment = Readonly<Record<string, string>>;

export const withoutUndefined = (environment: Readonly<Record<string, string | undefined>>): EngineEnvironment =>
  Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined));

async function findPodman(env: EngineEnvironment, file: EngineSearch['file']): ReturnType<EngineFinder> {
  const program = findInstalled('podman');
  if (program === null) return { by: null, problem: 'podman is not installed: install the package “podman”.' };
  if (findInstalled('nsenter') === null) return { by: null, problem: `podman is installed, but ${NO_NSENTER}` };
  // What this machine needs, the least first.
  const own = 'CONTAINERS_CONF' in env ? env : { ...env, CONTAINERS_CONF: await file('conf', configurationHere()) };
  const runc = findInstalled('runc');
  const profile = buildWorkerProfile();
  const seccomp = profile === null ? [] : ['--security-opt', `seccomp=${await file('seccomp', profile)}`];
  const held = [...HELD, ...seccomp];
  const attempts = [
    { words: [program], environment: env },
    { words: [program], environment: own },
    ...(runc === null ? [] : [{ words: [program, '--runtime', runc], environment: own }]),
  ];
  let said = '';
  for (const { words, environment } of attempts) {
    const engine = { words, environment, held };
    const info = await runEngine(engine, ['info', '--format', PODMAN_FACTS]);
    const holds = readPodmanLimits(info.stdout);
    const tried = info.code === 0 ? await runTrial({ ...engine, holds }) : info;
    if (tried.code !== 0) {
      said = lastLine(tried.stderr);
      continue;
    }
    return {
      by: 'podman',
      ...engine,
      holds,
      lacking: [
        ...describeNotEnforced('podman', holds),
        ...(/not supported|ignored|discarded/iu.test(tried.stderr) ? [lastLine(tried.stderr)] : []),
        ...(profile === null ? [NO_PROFILE] : []),
      ],
      runsc: findInstalled('runsc'),
    };
  }
  return { by: null, problem: `podman couldn’t run a trial container (${said.slice(0, 300)}).` };
}

const NO_PROFILE =
  'podman’s list of system calls is missing (containers-common), so a worker may make namespaces of its own and use the session’s keys.';

/** Where a limit may not be raised, engines that raise it by themselves start nothing. */
function configurationHere(): string {
  const hard = (name: string): number => {
    const [, found] =
      new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'mu').exec(readTextOrNull('/proc/self/limits') ?? '') ?? [];
    return found === undefined ? 4096 : Number(found);
  };
  const files = hard('open files');
  const processes = Math.min(hard('processes'), 4096);
  return [
    '[containers]',
    `default_ulimits=["nofile=${files}:${files}","nproc=${processes}:${processes}"]`,
    '[engine]',
    'cgroup_manager="cgroupfs"',
    'events_logger="file"',
    '',
  ].join('\n');
}

async function findDocker(env: EngineEnvironment, file: EngineSearch['file']): ReturnType<EngineFinder> {
  const program = findInstalled('docker');
  if (program === null) return { by: null, problem: 'docker is not installed.' };
  if (findInstalled('nsenter') === null) return { by: null, problem: `docker is installed, but ${NO_NSENTER}` };
  // Docker's containers are root's, so only root gets into their network.
  if (process.getuid?.() !== 0) return { by: null, problem: 'docker’s containers can be joined by root alone.' };
  const profile = buildWorkerProfile();
  const seccomp = profile === null ? [] : ['--security-opt', `seccomp=${await file('seccomp', profile)}`];
  const engine = { words: [program], environment: env, held: [...HELD, ...seccomp] };
  const info = await runEngine(engine, ['info', '--format', DOCKER_FACTS], 10_000);
  if (info.code !== 0) return { by: null, problem: 'docker is installed, but its service does not answer.' };
  const parts = await runEngine(engine, ['version', '--format', '{{json .Server.Components}}'], 10_000);
  if (/podman/iu.test(parts.stdout)) return { by: null, problem: PODMAN_AS_DOCKER };
  const [memory, processes, cpus, runtimes = ''] = info.stdout.trim().split('\n');
  const has = { memory: memory === 'true', processes: processes === 'true', cpus: cpus === 'true' };
  const holds = { ...has, ownUsers: false, belowOthers: false };
  return {
    by: 'docker',
    ...engine,
    holds,
    lacking: [...describeNotEnforced('docker', holds), ...(profile === null ? [NO_PROFILE_OF_DOCKER] : [])],
    runsc: runscOfDocker(runtimes),
  };
}

const PODMAN_AS_DOCKER =
  'docker’s service is podman’s here, which takes no list of system calls that way: install podman itself where Gatehouse runs.';

const DOCKER_FACTS = '{{.MemoryLimit}}\n{{.PidsLimit}}\n{{.CPUCfsQuota}}\n{{json .Runtimes}}';

const NO_PROFILE_OF_DOCKER =
  'The list of system calls of containers-common is missing, so docker’s own holds, which lets a worker make sockets of other kinds.';

/** Where its person told it of gVisor, and that it takes the network it is given: into one of its own nobody else gets. */
function runscOfDocker(runtimes: string): string | null {
  try {
    const known = JSON.parse(runtimes) as Record<string, { path?: string; runtimeArgs?: readonly string[] }>;
    const found = Object.entries(known).find(
      ([name, { path = '', runtimeArgs = [] }]) =>
        (name === 'runsc' || basename(path) === 'runsc') && runtimeArgs.includes('--network=host'),
    );
    return found?.[0] ?? null;
  } catch {
    return null;
  }
}

/** A container of the system’s own programs: nothing has to be there, and nothing is left. */
async function runTrial(
  engine: Pick<ContainerEngine, 'words' | 'environment' | 'held' | 'holds'>,
): Promise<EngineAnswer> {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-trial-'));
  try {
    // Who it runs as is nobody's.
    chmodSync(root, 0o755);
    for (const name of ['usr', 'proc', 'dev', 'sys', 'tmp', 'etc', 'run']) mkdirSync(join(root, name));
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
    const limits = engineLimitArguments({ memoryMb: 256, processes: 16, cpus: 1 }, engine.holds);
    const words = ['run', '--rm', ...engine.held, ...limits, '-v', '/usr:/usr:ro', '--rootfs', root, '/usr/bin/true'];
    return await runEngine(engine, words);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The command that removes at once: the container was asked to end before. */
export const removalArguments = ({ by }: Pick<ContainerEngine, 'by'>): readonly string[] =>
  by === 'podman' ? ['rm', '-f', '-t', '0'] : ['rm', '-f'];

/** How each is held. */
const HELD: readonly string[] = [
  '--network',
  'none',
  '--read-only',
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
  '--user',
  '65534:65534',
  '--log-driver',
  'none',
];

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
