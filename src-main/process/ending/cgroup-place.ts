import { posix } from 'node:path';

/** A folder of the kernel's control groups where groups for commands can be made. */
export interface CgroupPlace {
  readonly path: string;
  /** The same, from the top of its tree. */
  readonly fromTop: string;
  /** Whether a group there can be given a cap on its processes; without one it still is an exact list of them. */
  readonly caps: boolean;
  /** Whether it can be given a bound on its memory. */
  readonly boundsMemory: boolean;
  /** Whether it can be given a share of the processor. */
  readonly sharesCpu: boolean;
  /** Where older kernels keep these: each in a tree of its own. */
  readonly beside: { readonly memory: string | null; readonly cpu: string | null };
}

/** The questions put to the system, so that the search itself is pure. */
export interface CgroupSystem {
  /** `/proc/self/mountinfo` and `/proc/self/cgroup`. */
  readonly mounts: string;
  readonly ownGroups: string;
  readonly read: (path: string) => string;
  readonly mayWrite: (path: string) => boolean;
}

/**
 * The nearest group above us where we may make others. For root that is ours or the one above. For a person's own
 * session it is a slice below `user@<uid>.service`, which systemd hands to them with the pids controller. Not the
 * topmost: what limits the app should go on limiting what it starts.
 */
export function findCgroupPlace(system: CgroupSystem): CgroupPlace | null {
  const inReach = mountsOf(system.mounts).flatMap((mount) => {
    const own = ownGroup(system.ownGroups, mount);
    if (own === null) return [];
    return upwards(mount.point, own)
      .filter((path) => system.mayWrite(path) && system.mayWrite(posix.join(path, 'cgroup.procs')))
      .map((path) => ({
        path,
        fromTop: posix.join('/', posix.relative(mount.point, path)),
        caps: mount.version === 1 || controlsBelow(system, path, 'pids'),
        boundsMemory: mount.version === 2 && controlsBelow(system, path, 'memory'),
        sharesCpu: mount.version === 2 && controlsBelow(system, path, 'cpu'),
        beside: {
          memory: mount.version === 1 ? nearest(system, 'memory') : null,
          cpu: mount.version === 1 ? nearest(system, 'cpu') : null,
        },
      }));
  });
  return inReach.find(({ caps }) => caps) ?? inReach[0] ?? null;
}

/** Null where none is, or none that we may make others in. */
function nearest(system: CgroupSystem, controller: Controller): string | null {
  const found = mountsOf(system.mounts, controller).flatMap((mount) => {
    const own = mount.version === 1 ? ownGroup(system.ownGroups, mount, controller) : null;
    return own === null ? [] : upwards(mount.point, own);
  });
  return found.find((path) => system.mayWrite(path) && system.mayWrite(posix.join(path, 'cgroup.procs'))) ?? null;
}

type Controller = 'pids' | 'memory' | 'cpu';

interface CgroupMount {
  readonly version: 1 | 2;
  readonly root: string;
  readonly point: string;
}

/** The unified tree, and of the older ones that of the controller. */
function mountsOf(text: string, controller: Controller = 'pids'): CgroupMount[] {
  return text.split('\n').flatMap((line): CgroupMount[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root, point] = before.split(' ').map(unescape);
    const [type, , options = ''] = after.split(' ');
    if (root === undefined || point === undefined) return [];
    if (type === 'cgroup2') return [{ version: 2, root, point }];
    return type === 'cgroup' && options.split(',').includes(controller) ? [{ version: 1, root, point }] : [];
  });
}

/** Spaces and their like are written as octal numbers. */
const unescape = (field: string): string =>
  field.replace(/\\([0-7]{3})/gu, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/**
 * The path of our own group below the mount, or null where the mount does not show it. Lines are
 * “number:controllers:path”.
 */
function ownGroup(text: string, { version, root }: CgroupMount, controller: Controller = 'pids'): string | null {
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/u.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    if (version === 2 ? controllers !== '' : !controllers.split(',').includes(controller)) continue;
    const below = posix.relative(root, path);
    return below === '..' || below.startsWith('../') ? null : below;
  }
  return null;
}

/** The folders from our own group up to the top of the mount. */
function upwards(top: string, below: string): string[] {
  const names = below === '' ? [] : below.split('/');
  return Array.from({ length: names.length + 1 }, (_, gone) => posix.join(top, ...names.slice(0, names.length - gone)));
}

const controlsBelow = (system: CgroupSystem, path: string, controller: Controller): boolean =>
  system.read(posix.join(path, 'cgroup.subtree_control')).split(/\s+/u).includes(controller);
