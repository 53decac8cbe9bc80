import { describe, expect, it } from 'vitest';
import { type CgroupPlace, findCgroupPlace } from './cgroup-place.js';

const UNIFIED = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';
const LEGACY = [
  '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
  '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
  '39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
  '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
].join('\n');

const FROM_TOP = '/user.slice/user-1000.slice/user@1000.service';
const USER = `/sys/fs/cgroup${FROM_TOP}`;

/** A tree as the system would show it: which groups may be written to, and what each gives on to those below. */
function find(mounts: string, ownGroups: string, writable: string[], control: Record<string, string> = {}) {
  const mine = new Set(writable.flatMap((path) => [path, `${path}/cgroup.procs`]));
  return findCgroupPlace({
    mounts,
    ownGroups,
    read: (path) => control[path.replace(/\/cgroup\.subtree_control$/u, '')] ?? '',
    mayWrite: (path) => mine.has(path),
  });
}

const NOTHING = { memory: null, cpu: null };

describe('where groups for commands are made', () => {
  it.each<[string, Partial<CgroupPlace> | null, Parameters<typeof find>]>([
    [
      'in a session of systemd: beside the app’s own scope, in the slice that holds it',
      { path: `${USER}/app.slice`, fromTop: `${FROM_TOP}/app.slice`, caps: true, boundsMemory: true },
      [
        UNIFIED,
        '0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gatehouse-7.scope\n',
        [USER, `${USER}/app.slice`, `${USER}/app.slice/app-gatehouse-7.scope`],
        { [USER]: 'cpu memory pids\n', [`${USER}/app.slice`]: 'memory pids\n' },
      ],
    ],
    [
      'further up where the slice passes no pids on',
      { path: USER, fromTop: FROM_TOP, caps: true, boundsMemory: true, sharesCpu: true },
      [
        UNIFIED,
        '0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope\n',
        [USER, `${USER}/app.slice`, `${USER}/app.slice/a.scope`],
        { [USER]: 'cpu memory pids\n', [`${USER}/app.slice`]: 'memory\n' },
      ],
    ],
    [
      'without pids anywhere: where at least a list can be had',
      { path: `${USER}/app.slice/a.scope`, fromTop: `${FROM_TOP}/app.slice/a.scope`, caps: false, boundsMemory: false },
      [
        UNIFIED,
        '0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope\n',
        [USER, `${USER}/app.slice`, `${USER}/app.slice/a.scope`],
        { [USER]: 'cpupids memory\n' },
      ],
    ],
    [
      'not where only root may: a session that systemd did not hand over',
      null,
      [
        UNIFIED,
        '0::/user.slice/user-1000.slice/session-2.scope\n',
        [USER],
        { [USER]: 'pids', '/sys/fs/cgroup': 'pids' },
      ],
    ],
    [
      'as root in the older trees: below our own group of the pids controller',
      { path: '/sys/fs/cgroup/pids/service', fromTop: '/service', caps: true, boundsMemory: false },
      [
        LEGACY,
        '8:pids:/service\n4:memory:/elsewhere\n0::/\n',
        ['/sys/fs/cgroup/pids', '/sys/fs/cgroup/pids/service', '/sys/fs/cgroup/unified'],
      ],
    ],
    [
      'where older kernels keep memory and processor, each in a tree of its own',
      {
        path: '/sys/fs/cgroup/pids',
        fromTop: '/',
        caps: true,
        boundsMemory: false,
        beside: { memory: '/sys/fs/cgroup/memory/elsewhere', cpu: null },
      },
      [
        LEGACY,
        '8:pids:/\n4:memory:/elsewhere\n0::/\n',
        ['/sys/fs/cgroup/pids', '/sys/fs/cgroup/memory', '/sys/fs/cgroup/memory/elsewhere'],
      ],
    ],
    [
      'in a container that sees a part of the tree: counted from what is mounted',
      { path: '/sys/fs/cgroup/pids/below', fromTop: '/below', caps: true, boundsMemory: false },
      [
        '39 31 0:36 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
        '8:pids:/docker/abc/below\n',
        ['/sys/fs/cgroup/pids', '/sys/fs/cgroup/pids/below'],
      ],
    ],
    [
      'not in a mount that does not show our own group',
      null,
      [
        '39 31 0:36 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
        '8:pids:/docker/other\n0::/../outside\n',
        ['/sys/fs/cgroup/pids'],
      ],
    ],
    [
      'where a mount’s name has a space in it',
      { path: '/odd place/pids', fromTop: '/', caps: true, boundsMemory: false },
      ['39 31 0:36 / /odd\\040place/pids rw - cgroup cgroup rw,pids', '8:pids:/\n', ['/odd place/pids']],
    ],
    ['nowhere without any', null, ['', '', []]],
  ])('%s', (_, place, [mounts, ownGroups, writable, control]) => {
    const found = find(mounts, ownGroups, writable, control);
    expect(found).toEqual(place === null ? null : { sharesCpu: false, beside: NOTHING, ...place });
  });

  it('needs both: to make a folder there and to move a process in', () => {
    const system = { mounts: UNIFIED, ownGroups: '0::/\n', read: () => 'pids\n' };
    expect(findCgroupPlace({ ...system, mayWrite: (path) => path === '/sys/fs/cgroup' })).toBeNull();
    expect(findCgroupPlace({ ...system, mayWrite: () => true })).toEqual({
      path: '/sys/fs/cgroup',
      fromTop: '/',
      caps: true,
      boundsMemory: false,
      sharesCpu: false,
      beside: NOTHING,
    });
  });
});
