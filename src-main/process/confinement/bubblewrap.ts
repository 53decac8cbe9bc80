import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { CHECK_OPTIONS, CHECKING_SHELL, checkedStart } from './checked-start.js';
import { type Environment, listeningSockets, secretPaths } from './hidden-paths.js';
import { homeView, within } from './home-folder.js';
import { type InnerMount, type KeptPaths, type Kind, kindOf, mountsInside } from './inside-workspace.js';
import { isWithinReach } from './within-reach.js';

/** What a confined command may do, as bubblewrap's arguments. docs/adr/0005-confinement.md says why each is there. */
export interface ConfinementRequest {
  readonly bwrap: string;
  /** Null: nothing of the person's, and it begins in its own folder for temporary files. */
  readonly workspace: string | null;
  /** Outside the workspace, and read besides what commands read: what a program needs to run at all. */
  readonly reads: readonly string[];
  /** What stands at a place instead of what lies there. */
  readonly copies: readonly { readonly at: string; readonly from: string }[];
  /** By the environment and by the system. */
  readonly homes: readonly string[];
  /** What of them is shown besides tools. */
  readonly homeAllowlist: readonly string[];
  /** The app's own, which may say that keys are kept elsewhere. */
  readonly environment: Environment;
  /** Gatehouse's own data, and whatever else must not be seen. */
  readonly hidden: readonly string[];
  /** Of the workspace. */
  readonly kept: KeptPaths;
  /** A socket of ours that is the only way to a network, and where it stands inside. */
  readonly networkSocket: { readonly path: string; readonly inside: string } | null;
  readonly disableNestedNamespaces: boolean;
  readonly filtersCalls: boolean;
  readonly showsMounts: boolean;
}

/** Of each folder that is memory and can be written to. */
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

export interface Means {
  readonly disableNestedNamespaces: boolean;
  readonly filtersCalls: boolean;
}

export const namespaceArguments = (options: Means): string[] => [
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
  const secrets = secretPaths(request.homes, request.environment);
  const ownReads = readable(request.reads, secrets);
  const home = homeView({
    homes: request.homes,
    workspace: workspace ?? OWN_TEMPORARY,
    allowlist: [...request.homeAllowlist, ...ownReads],
    path: request.environment['PATH'] ?? '',
  });
  const reads = ownReads.map(find).flatMap((found) => (found === null ? [] : [found.path]));
  const isThere = (path: string): boolean =>
    [...home.shown, ...reads].some((folder) => within(folder, path)) ||
    !(isReplaced(path) || home.covered.some((folder) => within(folder, path)));
  const hidden = [...secrets, ...request.hidden, ...listeningSockets()]
    // A link's target is what is covered, so that no other way leads to it.
    .map(find)
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
            !reads.some((read) => within(other.path, read) && within(read, path)),
        ),
    );
  const outside = outsideWorkspace(
    hidden.filter(({ path }) => !isInside(path)),
    reads.filter((path) => !home.shown.includes(path) && !isInside(path) && path !== workspace),
    workspace,
  );
  const covered = hidden.filter(({ path }) => isInside(path));
  const inner = workspace === null ? [] : mountsInside(workspace, request.kept, covered, find);
  return [
    ...(request.showsMounts && workspace !== null ? checkedStart(CHECKING_SHELL, workspace, inner) : []),
    request.bwrap,
    ...namespaceArguments(request),
    ...(request.showsMounts && workspace !== null ? CHECK_OPTIONS : []),
    // The supervisor opens it to a private file: the command's exit is noted there, which only a command that ran can have.
    '--json-status-fd',
    '5',
    '--ro-bind',
    '/',
    '/',
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
    ...(workspace === null
      ? []
      : [request.kept.readOnly.includes(workspace) ? '--ro-bind' : '--bind', workspace, workspace]),
    ...inner.flatMap(mountInside),
    ...request.copies.flatMap(({ at, from }) => ['--ro-bind', from, at]),
    // What is secret in a program's own place is so in its copy.
    ...hidden.filter(({ path }) => request.copies.some((copy) => isInCopy(copy, path))).flatMap(cover),
    ...outside.closings,
    ...home.covered.flatMap((path) => ['--remount-ro', path]),
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/run',
    // To the kernel root is root even without capabilities, and some of its settings run programs for everybody.
    '--remount-ro',
    '/proc',
    '--chdir',
    workspace ?? OWN_TEMPORARY,
    '--',
  ];
}

/** A key is no part of a program, whoever names it. */
function readable(paths: readonly string[], secrets: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const kept = secrets.map((path) => find(path)?.path ?? path);
  return paths.filter((path) => {
    const found = find(path)?.path;
    return found !== undefined && !kept.some((secret) => within(secret, found));
  });
}

/** Memory that goes with the process. */
const OWN_TEMPORARY = '/tmp';

/** What is covered, and what of that is read all the same; in it, what is secret is covered again. */
function outsideWorkspace(hidden: readonly Found[], reads: readonly string[], workspace: string | null) {
  const isInRead = ({ path }: Found): boolean => reads.some((read) => within(read, path));
  const shown = workspace === null ? reads : [...reads, workspace];
  // Closed only once what is shown in it has its place there.
  const holdsShown = ({ path, kind }: Found): boolean => kind === 'folder' && shown.some((each) => within(path, each));
  const first = hidden.filter((each) => !isInRead(each));
  return {
    mounts: [
      ...first.flatMap((each) => (holdsShown(each) ? ['--perms', '0555', '--tmpfs', each.path] : cover(each))),
      ...reads.flatMap((path) => ['--ro-bind', path, path]),
      ...hidden.filter(isInRead).flatMap(cover),
    ],
    closings: first.filter(holdsShown).flatMap(({ path }) => ['--remount-ro', path]),
  };
}

const isInCopy = ({ at, from }: ConfinementRequest['copies'][number], path: string): boolean =>
  path !== at && within(at, path) && existsSync(`${from}${path.slice(at.length)}`);

/** Folders that are made anew for each command anyway. */
const isReplaced = (path: string): boolean => /^\/(?:proc|dev|run|tmp|var\/tmp)(?:\/|$)/u.test(path);

interface Found {
  readonly path: string;
  readonly kind: Kind;
}

const cover = ({ path, kind }: Found): string[] =>
  // Its owner may give it other rights, and what is written there would be memory without a bound.
  kind === 'folder' ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];

function mountInside(mount: InnerMount): string[] {
  if (mount.as === 'covered') return cover(mount);
  return [mount.as === 'own' ? '--bind' : '--ro-bind', mount.path, mount.path];
}

/** Where a path really is, if it is anywhere and a command could get there. */
function find(path: string): Found | null {
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
