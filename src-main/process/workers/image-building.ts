import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { WorkerProblem } from '../../domain/ports/sources/worker.js';
import { readBuildFile } from '../../platform/packages/build-file.js';
import { readSmallFile, temporaryFolder } from '../../platform/files/small-file.js';
import { openParentGroup } from '../ending/command-group.js';
import type { ContainerLimits } from './container-limits.js';
import { type ContainerEngine, findInstalled, runEngine } from './engines.js';

export interface ImageBuild {
  readonly folder: string;
  /** The Containerfile in it. */
  readonly file: string;
  /** Images that it may be built on: what they are was compared. */
  readonly bases: readonly string[];
  /** The name that the image is to have. */
  readonly name: string;
  readonly limits: ContainerLimits;
}

const BUILD_LIMIT_MS = 10 * 60_000;

/**
 * Builds an image, held as its worker will be: its steps have no rights and no network, the memory and share of the
 * processor of the worker, and ten minutes. Its Containerfile was read before (platform/packages/build-file.ts), so
 * that nothing in it lifts that.
 */
export async function buildImage(engine: ContainerEngine, build: ImageBuild, signal: AbortSignal): Promise<string> {
  const { bases, runsAt } = readBuildFile(readFileSync(build.file, 'utf8'), basename(build.file));
  if (engine.by === 'docker' && runsAt !== null)
    throw new WorkerProblem(
      `${basename(build.file)}:${runsAt}: docker can’t hold what RUN starts as it holds a worker. Build it with podman, or leave RUN out.`,
    );
  for (const base of bases) await requireBase(engine, base, build.bases);
  using place = disposableFolder();
  const idFile = join(place.path, 'id');
  using group = openBuildGroup(engine, build.limits);
  const words = [
    'build',
    ...HELD_BY[engine.by](engine, build.limits),
    ...(group === null ? [] : ['--cgroup-parent', group.parent]),
    '--iidfile',
    idFile,
    '-t',
    build.name,
    '-f',
    build.file,
    build.folder,
  ];
  const built = await runEngine(apartFromTheNetwork(engine), words, BUILD_LIMIT_MS, signal);
  if (built.code !== 0) throw new WorkerProblem(`Its image could not be built: ${built.stderr.trim().slice(-1000)}`);
  const id = parseImageId(readSmallFile(idFile) ?? '');
  if (id === null) throw new WorkerProblem('Its image was built, and the engine doesn’t say which one it is.');
  return id;
}

/** The image id in an engine's output: with the name of the digest's algorithm, or without. */
export function parseImageId(text: string): string | null {
  const id = `sha256:${text.trim().replace(/^sha256:/u, '')}`;
  return IMAGE_ID.test(id) ? id : null;
}

export const IMAGE_ID = /^sha256:[0-9a-f]{64}$/u;

function disposableFolder(): Disposable & { readonly path: string } {
  const { path, remove } = temporaryFolder('gatehouse-build-');
  return { path, [Symbol.dispose]: remove };
}

/**
 * Opens a group above the build. For a worker the engine counts its processes; builders have no option for that, and
 * the limit of each user doesn’t bind root. So what a build starts is placed below a group of ours.
 */
function openBuildGroup(
  { by, holds }: ContainerEngine,
  { processes }: ContainerLimits,
): ReturnType<typeof openParentGroup> {
  const isCounted = by === 'podman' && process.getuid?.() === 0 && holds.processes && holds.belowOthers;
  return isCounted ? openParentGroup(processes + OF_THE_ENGINE, randomBytes(16).toString('hex')) : null;
}

/** Threads of what starts a step, in its group until the step runs. */
const OF_THE_ENGINE = 16;

/**
 * Demands that the base was accepted and has no ONBUILD instructions, which would run in each image that is built on
 * it, too.
 */
async function requireBase(engine: ContainerEngine, image: string, accepted: readonly string[]): Promise<void> {
  await requireImage(engine, image);
  if (!accepted.includes(image)) throw new WorkerProblem(`Nobody accepted that it is built on ${image}.`);
  const { stdout } = await runEngine(engine, ['image', 'inspect', '--format', '{{json .Config.OnBuild}}', image]);
  if (!['', 'null', '[]'].includes(stdout.trim()))
    throw new WorkerProblem(`The image ${image} has instructions of its own for what is built on it (ONBUILD).`);
}

export async function requireImage(engine: ContainerEngine, image: string): Promise<void> {
  if ((await runEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', image])).code !== 0)
    throw new WorkerProblem(
      `The image ${image} is not on this machine, and none is fetched for a worker. Get it with “${engine.by} pull ${image}”.`,
    );
}

const NO_NETWORK = ['--network', 'none'];
const HELD_BY: Readonly<
  Record<ContainerEngine['by'], (engine: ContainerEngine, limits: ContainerLimits) => readonly string[]>
> = {
  docker: () => NO_NETWORK,
  podman: ({ held, holds }, { memoryMb, cpus }) => [
    ...NO_NETWORK,
    '--pull=never',
    // The address of a proxy may hold a password.
    '--http-proxy=false',
    '--cap-drop',
    'all',
    ...held.flatMap((word) => (word.startsWith('seccomp=') ? ['--security-opt', word] : [])),
    ...(holds.memory ? ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`] : []),
    ...(holds.cpus ? ['--cpu-period', '100000', '--cpu-quota', String(Math.round(cpus * 100_000))] : []),
    // Steps that were kept from another build could have been run with more.
    '--no-cache',
  ],
};

/** The builder itself gets a network in which there is nothing: what it would fetch, or open to a step, is not there. */
function apartFromTheNetwork(engine: ContainerEngine): Pick<ContainerEngine, 'words' | 'environment'> {
  const unshare = findInstalled('unshare');
  // Without root, podman makes namespaces of users by itself, and goes into no others; docker's builder is its service.
  if (engine.by !== 'podman' || process.getuid?.() !== 0 || unshare === null) return engine;
  return { words: [unshare, '--net', '--', ...engine.words], environment: engine.environment };
}
