import { existsSync, lstatSync, realpathSync } from 'node:fs';
import type { ReadableByCommands } from '#contract/window/health.js';
import type { CommandRequest } from '../../domain/ports/command-runner.js';
import { CHECK_OPTIONS, CHECKING_SHELL, checkedStartWords } from './checked-start.js';
import { type EnvironmentVariables, findListeningSockets, listSecretPaths } from './hidden-paths.js';
import { findOutsideRepository } from '../../platform/git/outside-repository.js';
import { realPathOf } from '../../platform/files/resolve-path.js';
import { buildHomeView, isWithin } from './home-folder.js';
import { type InnerMount, type KeptPaths, type MountKind, kindOf, buildMountsInside } from './workspace-mounts.js';
import { repositoryMounts } from './repository-mounts.js';
import { findNotShown } from './find-not-shown.js';
import { systemFolders, systemMounts, systemPlaces } from './system-folders.js';
import { findToolChains } from './tool-chains.js';
import { isWithinReach } from './within-reach.js';

export type ConfinementView = CommandRequest['sees'];

/**
 * The permissions of a confined command, as bubblewrap's arguments. docs/adr/0005-confinement.md says why each is
 * there.
 */
export interface ConfinementRequest {
  readonly bwrap: string;
  /** Null: nothing of the person's, and it begins in its own folder for temporary files. */
  readonly workspace: string | null;
  /**
   * The view: all of this machine but what people keep as their own; or its folder, the system and the tool chains
   * alone.
   */
  readonly sees: ConfinementView;
  /** Outside the workspace, and read besides what commands read: what a program needs to run at all. */
  readonly reads: readonly string[];
  /** Copies that are mounted over the originals. */
  readonly copies: readonly { readonly at: string; readonly from: string }[];
  /** A folder of ours that it has to itself and may write to, by its real path. */
  readonly ownHome: string | null;
  /**
   * Paths readable besides, as the person named them: from a home folder (`~/x`), or absolute. Resolved anew each time.
   */
  readonly readable: readonly string[];
  /** Whether Git's own commands may write to a repository that is the folder's and lies elsewhere. */
  readonly repository: 'read' | 'write';
  /** Folders that tools may write to: none of them is a tool chain. */
  readonly writable: readonly string[];
  /** The home folders by the environment and by the system. */
  readonly homes: readonly string[];
  /** The paths in home folders that are shown besides tools. */
  readonly homeAllowlist: readonly string[];
  /** The app's own, which may say that keys are kept elsewhere. */
  readonly environment: EnvironmentVariables;
  /** Gatehouse's own data, and whatever else must not be seen. */
  readonly hidden: readonly string[];
  /** The mounts in the workspace. */
  readonly kept: KeptPaths;
  /** A socket of ours that is the only way to a network, and where it is inside. */
  readonly networkSocket: { readonly path: string; readonly inside: string } | null;
  readonly disableNestedNamespaces: boolean;
  readonly filtersCalls: boolean;
  readonly showsMounts: boolean;
}

/** The size of each writable folder in memory. */
const TMP_BYTES = 1024 * 1024 * 1024;

const BASE: readonly string[] = [
  '--die-with-parent',
  '--new-session',
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-net',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
];

/** Where the supervisor opens the program that decides about system calls. */
export const FILTER_DESCRIPTOR = 6;

export interface ConfinementMeans {
  readonly disableNestedNamespaces: boolean;
  readonly filtersCalls: boolean;
}

export const namespaceArguments = (options: ConfinementMeans): string[] => [
  ...BASE,
  ...(options.filtersCalls ? ['--seccomp', String(FILTER_DESCRIPTOR)] : []),
  ...(options.disableNestedNamespaces ? ['--disable-userns'] : []),
];

export function bubblewrapArguments(request: ConfinementRequest): string[] {
  const { workspace } = request;
  // The whole of it can be written to, so it is what was chosen and nothing that took its place.
  if (workspace !== null && realpathSync(workspace) !== workspace)
    throw new Error('the workspace’s folder is a link by now');
  const isInside = (path: string): boolean => workspace !== null && path.startsWith(`${workspace}/`);
  const secrets = listSecretPaths(request.homes, request.environment);
  const { ownHome } = request;
  const ownReads = withoutSecrets(ownHome === null ? request.reads : [...request.reads, ownHome], secrets);
  const { home, isSeen } = findShownPlaces(request, ownReads);
  const reads = ownReads.map(resolveReachable).flatMap((found) => (found === null ? [] : [found.path]));
  const repository = workspace === null ? null : findOutsideRepository(workspace);
  const isThere = (path: string): boolean =>
    [...home.shown, ...reads, ...(repository === null ? [] : [repository.common])].some((folder) =>
      isWithin(folder, path),
    ) ||
    request.copies.some((copy) => isInCopy(copy, path)) ||
    (isSeen === null ? !(isReplaced(path) || home.covered.some((folder) => isWithin(folder, path))) : isSeen(path));
  const { paths: ofFolder, by } = request.kept.covered ?? NOTHING_COVERED;
  const hidden = [...secrets, ...request.hidden, ...findListeningSockets(), ...ofFolder]
    // A link's target is what is covered, so that no other way leads to it.
    .map(resolveReachable)
    .filter((each) => each !== null)
    .filter(({ path }) => path !== workspace && path !== '/' && (isInside(path) || isThere(path)))
    // What is in a folder that is covered is covered with it, and can't be covered once more: the socket in our own data folder.
    .filter(
      ({ path }, _at, all) =>
        !all.some(
          (other) =>
            other.kind === 'folder' &&
            isInside(other.path) === isInside(path) &&
            path.startsWith(`${other.path}/`) &&
            !reads.some((read) => isWithin(other.path, read) && isWithin(read, path)),
        ),
    );
  const outside = mountsOutside(
    hidden.filter(({ path }) => !isInside(path)),
    reads.filter((path) => !home.shown.includes(path) && !isInside(path) && path !== workspace),
    workspace,
  );
  const standsFor = by === null ? {} : { by };
  const covered = hidden.filter(({ path }) => isInside(path)).map((each) => ({ ...each, ...standsFor }));
  const inner = workspace === null ? [] : buildMountsInside(workspace, request.kept, covered, resolveReachable);
  return [
    ...(request.showsMounts && workspace !== null ? checkedStartWords(CHECKING_SHELL, workspace, inner) : []),
    request.bwrap,
    ...namespaceArguments(request),
    ...(request.showsMounts && workspace !== null ? CHECK_OPTIONS : []),
    // The supervisor opens it to a private file: the command's exit is noted there, which only a command that ran can have.
    '--json-status-fd',
    '5',
    ...(request.sees === 'machine' ? ['--ro-bind', '/', '/'] : systemMounts()),
    '--dev',
    '/dev',
    '--size',
    String(TMP_BYTES),
    '--tmpfs',
    '/dev/shm',
    '--proc',
    '/proc',
    // Which keys there are is said there.
    ...(existsSync('/proc/keys') ? ['--ro-bind', '/dev/null', '/proc/keys'] : []),
    '--size',
    String(TMP_BYTES),
    '--tmpfs',
    '/tmp',
    '--size',
    String(TMP_BYTES),
    '--tmpfs',
    '/var/tmp',
    '--tmpfs',
    '/run',
    ...(request.networkSocket === null ? [] : ['--ro-bind', request.networkSocket.path, request.networkSocket.inside]),
    // NixOS's programs live there; sockets do not.
    '--ro-bind-try',
    '/run/current-system',
    '/run/current-system',
    ...home.covered.flatMap((path) => ['--perms', '0755', '--tmpfs', path]),
    ...home.empty.flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...home.shown.flatMap((path) => ['--ro-bind', path, path]),
    ...home.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // What holds the workspace is covered before it, what it holds after it.
    ...outside.mounts,
    ...(repository === null ? [] : repositoryMounts(repository, request.repository)),
    ...(workspace === null
      ? []
      : [request.kept.readOnly.includes(workspace) ? '--ro-bind' : '--bind', workspace, workspace]),
    ...inner.flatMap((mount) => mountInside(mount, ownHome)),
    ...request.copies.flatMap(({ at, from }) => ['--ro-bind', from, at]),
    ...(ownHome === null || isInside(ownHome) ? [] : ['--bind', ownHome, ownHome]),
    // What is secret in a program's own place is so in its copy.
    ...hidden.filter(({ path }) => request.copies.some((copy) => isInCopy(copy, path))).flatMap(coverMount),
    ...outside.closings,
    ...home.covered.flatMap((path) => ['--remount-ro', path]),
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/run',
    // To the kernel root is root even without capabilities, and some of its settings run programs for everybody.
    '--remount-ro',
    '/proc',
    ...(request.sees === 'machine' ? [] : ['--remount-ro', '/']),
    '--chdir',
    workspace ?? OWN_TEMPORARY,
    '--',
  ];
}

/** The places outside the folder that a command sees, for who wants to look at it. */
export function listSeenPlaces(request: Parameters<typeof findShownPlaces>[0]): Omit<ReadableByCommands, 'folder'> {
  const { home } = findShownPlaces({ ...request, readable: [] }, []);
  return {
    system: systemFolders(),
    tools: home.shown,
    repository: request.workspace === null ? null : (findOutsideRepository(request.workspace)?.common ?? null),
    readable: request.readable,
  };
}

/** The places shown besides the system's own, and a test for what of the system is seen. */
function findShownPlaces(
  request: Pick<
    ConfinementRequest,
    'homes' | 'environment' | 'workspace' | 'sees' | 'writable' | 'homeAllowlist' | 'readable'
  >,
  reads: readonly string[],
) {
  const { homes, environment, workspace, sees, writable } = request;
  const places = systemPlaces();
  const isSeen = (path: string): boolean => places.some((place) => isWithin(place, path));
  const notIn = [...homes.map(realPathOf), ...writable];
  const path = environment['PATH'] ?? '';
  const chains = sees === 'machine' ? [] : findToolChains({ path, isSeen, notIn, folder: workspace });
  const home = buildHomeView({
    homes,
    workspace: workspace ?? OWN_TEMPORARY,
    allowlist: [...request.homeAllowlist, ...request.readable, ...reads, ...chains],
    path,
    onlySeen: sees === 'machine' ? null : isSeen,
  });
  return { home, isSeen: sees === 'machine' ? null : isSeen };
}

/**
 * Finds hidden places that the command said it didn't find, as folders that it could be let read; nothing of what stays
 * hidden whatever is said.
 */
export function findPathsNotShown(
  request: Omit<ConfinementRequest, 'hidden' | 'kept' | 'networkSocket'>,
  hidden: readonly string[],
  said: string,
): readonly string[] {
  if (request.workspace === null || request.sees === 'machine') return [];
  const { home, isSeen } = findShownPlaces(request, request.reads);
  const kept = [...listSecretPaths(request.homes, request.environment), ...hidden].map(
    (path) => resolveReachable(path)?.path ?? path,
  );
  return findNotShown({
    said,
    folder: request.workspace,
    isSeen: (path) => isSeen?.(path) !== false || isReplaced(path) || home.shown.some((each) => isWithin(each, path)),
    isKept: (path) => kept.some((each) => isWithin(each, path) || isWithin(path, each)),
    homes: request.homes.map(realPathOf),
  });
}

/** A key is no part of a program, whoever names it. */
function withoutSecrets(paths: readonly string[], secrets: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const kept = secrets.map((path) => resolveReachable(path)?.path ?? path);
  return paths.filter((path) => {
    const found = resolveReachable(path)?.path;
    return found !== undefined && !kept.some((secret) => isWithin(secret, found));
  });
}

/** Memory that goes with the process. */
const OWN_TEMPORARY = '/tmp';

/**
 * The mounts outside the workspace: what is covered, and what of that is read all the same; in it, what is secret is
 * covered again.
 */
function mountsOutside(hidden: readonly HiddenPath[], reads: readonly string[], workspace: string | null) {
  const isInRead = ({ path }: HiddenPath): boolean => reads.some((read) => isWithin(read, path));
  const shown = workspace === null ? reads : [...reads, workspace];
  // Closed only once what is shown in it has its place there.
  const holdsShown = ({ path, kind }: HiddenPath): boolean =>
    kind === 'folder' && shown.some((each) => isWithin(path, each));
  const first = hidden.filter((each) => !isInRead(each));
  return {
    mounts: [
      ...first.flatMap((each) => (holdsShown(each) ? ['--perms', '0555', '--tmpfs', each.path] : coverMount(each))),
      ...reads.flatMap((path) => ['--ro-bind', path, path]),
      ...hidden.filter(isInRead).flatMap(coverMount),
    ],
    closings: first.filter(holdsShown).flatMap(({ path }) => ['--remount-ro', path]),
  };
}

const isInCopy = ({ at, from }: ConfinementRequest['copies'][number], path: string): boolean =>
  path !== at && isWithin(at, path) && existsSync(`${from}${path.slice(at.length)}`);

/** Folders that are made anew for each command anyway. */
const isReplaced = (path: string): boolean => /^\/(?:proc|dev|run|tmp|var\/tmp)(?:\/|$)/u.test(path);

interface HiddenPath {
  readonly path: string;
  readonly kind: MountKind;
}

const NOTHING_COVERED = { paths: [], by: null } as const;

const coverMount = ({ path, kind, by }: HiddenPath & { readonly by?: string }): string[] =>
  // The command owns the covering folder and could make it writable; what it wrote there would take memory without a bound.
  kind === 'folder'
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', by ?? '/dev/null', path];

function mountInside(mount: InnerMount, ownHome: string | null): string[] {
  // Our own data are covered in a folder that holds them, and this one of it is not.
  if (mount.as === 'covered' && ownHome !== null && isWithin(mount.path, ownHome))
    return ['--perms', '0555', '--tmpfs', mount.path, '--bind', ownHome, ownHome, '--remount-ro', mount.path];
  if (mount.as === 'covered') return coverMount(mount);
  return [mount.as === 'own' ? '--bind' : '--ro-bind', mount.path, mount.path];
}

/** Where a path really is, if it is anywhere and a command could get there. */
function resolveReachable(path: string): HiddenPath | null {
  try {
    // Most of what is looked for is nowhere, and that is quickly said.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    const canonical = realpathSync.native(path);
    const kind = kindOf(canonical);
    return kind !== null && isWithinReach(canonical) ? { path: canonical, kind } : null;
  } catch {
    return null;
  }
}
