import { lstatSync, realpathSync } from 'node:fs';
import { isWithinReach } from './within-reach.js';
import { CONTROL_FILES, listeningSockets, secretPaths } from './hidden-paths.js';

/** What a confined command may do, as bubblewrap's arguments. docs/adr/0005-confinement.md says why each is there. */
export interface ConfinementRequest {
  readonly bwrap: string;
  readonly workspace: string;
  readonly home: string | undefined;
  /** Gatehouse's own data, and whatever else must not be seen. */
  readonly hidden: readonly string[];
  readonly network: boolean;
  /** A socket of ours that is the way to single hosts, and where it stands inside. */
  readonly networkSocket: { readonly path: string; readonly inside: string } | null;
  readonly disableNestedNamespaces: boolean;
}

const TMP_BYTES = 1024 * 1024 * 1024;

const BASE: readonly string[] = [
  '--die-with-parent',
  '--new-session',
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
];

export const namespaceArguments = (options: { network: boolean; disableNestedNamespaces: boolean }): string[] => [
  ...BASE,
  ...(options.network ? [] : ['--unshare-net']),
  ...(options.disableNestedNamespaces ? ['--disable-userns'] : []),
];

export function bubblewrapArguments(request: ConfinementRequest): string[] {
  const workspace = realpathSync(request.workspace);
  const isInside = (path: string): boolean => path === workspace || path.startsWith(`${workspace}/`);
  const hidden = [...secretPaths(request.home), ...request.hidden, ...listeningSockets()]
    .map((path) => ({ path: canonical(path), kind: kindOf(path) }))
    .filter((each): each is { path: string; kind: Kind } => each.path !== null && each.kind !== null)
    // A link's target is what is covered, so that no other way leads to it.
    .filter(({ path }) => path !== workspace && path !== '/' && (isInside(path) || !isReplaced(path)))
    .filter(({ path }) => isWithinReach(path));
  return [
    request.bwrap,
    ...namespaceArguments(request),
    // The supervisor opens it to a private file: the command's exit is noted there, which only a command that ran can have.
    '--json-status-fd',
    '5',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
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
    // Name resolution and NixOS's programs live there; sockets do not.
    ...(request.network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    ...(request.networkSocket === null ? [] : ['--ro-bind', request.networkSocket.path, request.networkSocket.inside]),
    '--ro-bind-try',
    '/run/current-system',
    '/run/current-system',
    // What holds the workspace is covered before it, what it holds after it.
    ...hidden.filter(({ path }) => !isInside(path)).flatMap(cover),
    '--bind',
    workspace,
    workspace,
    ...protectControlFiles(workspace),
    ...hidden.filter(({ path }) => isInside(path)).flatMap(cover),
    '--remount-ro',
    '/run',
    // To the kernel root is root even without capabilities, and some of its settings run programs for everybody.
    '--remount-ro',
    '/proc',
    '--chdir',
    workspace,
    '--',
  ];
}

/** Folders that are made anew for each command anyway. */
const isReplaced = (path: string): boolean => /^\/(?:proc|dev|run|tmp|var\/tmp)(?:\/|$)/u.test(path);

type Kind = 'folder' | 'file';

const cover = ({ path, kind }: { path: string; kind: Kind }): string[] =>
  kind === 'folder' ? ['--perms', '0555', '--tmpfs', path] : ['--ro-bind', '/dev/null', path];

/**
 * The folder that holds a control file becomes a mount of its own, or it could be moved away whole and made anew.
 * Only what exists can be covered without leaving traces; what a command creates is shown among the changed files.
 */
function protectControlFiles(workspace: string): string[] {
  const present = CONTROL_FILES.map((path) => `${workspace}/${path}`).filter((path) => kindOf(path) !== null);
  const git = `${workspace}/.git`;
  return [
    ...(kindOf(git) === 'folder' ? ['--bind', git, git] : []),
    ...present.flatMap((path) => ['--ro-bind', path, path]),
  ];
}

function kindOf(path: string): Kind | null {
  try {
    const facts = lstatSync(realpathSync(path));
    return facts.isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

function canonical(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
