import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type CommandGroup, findCommandGroup, openCommandGroup } from './command-group.js';

/** The unified tree, if this machine has one that we may change, whatever controllers it has. */
function unifiedTree(): string | null {
  const [, path] = /^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 /mu.exec(readFileSync('/proc/self/mountinfo', 'utf8')) ?? [];
  try {
    if (path !== undefined) accessSync(join(path, 'cgroup.procs'), constants.W_OK);
    return path ?? null;
  } catch {
    return null;
  }
}

const children: ChildProcess[] = [];
const groups: CommandGroup[] = [];
const commandIn = (open: (pid: number, name: string) => CommandGroup | null, script: string) => {
  // It waits for its group before it does anything.
  const child = spawn('bash', ['-c', `read go; ${script}`], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const pid = child.pid ?? 0;
  const group = open(pid, `test-${pid}`);
  children.push(child);
  if (group !== null) groups.push(group);
  child.stdin.end('go\n');
  return { child, pid, group, name: `test-${pid}` };
};

afterEach(async () => {
  for (const group of groups.splice(0)) {
    for (const pid of group.members()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended meanwhile, which is what was wanted.
      }
    }
    await expect.poll(() => group.members()).toEqual([]);
    group[Symbol.dispose]();
  }
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const BOUNDS = { processes: 10, memoryBytes: 1024 ** 3 };

describe('the kernel’s group of a command', () => {
  it('stops a fork bomb, where a cap can be had, and lists all of it', async () => {
    // It forks as fast as it can. bash tries again for half a minute where it is refused.
    const bomb = 'for i in $(seq 400); do sleep 60 & done; wait';
    const { child, pid, group } = commandIn((of, name) => openCommandGroup(of, BOUNDS, name), bomb);
    if (group?.capped !== true) {
      // Without the right to set one (an ordinary user without systemd), the watch alone holds the limit.
      expect(process.getuid?.()).not.toBe(0);
      process.kill(-pid, 'SIGKILL');
      return;
    }
    await expect.poll(() => group.struck()).toBe(true);
    expect(group.members().length).toBeGreaterThan(10);
    expect(group.members().length).toBeLessThanOrEqual(84);
    process.kill(-pid, 'SIGKILL');
    await once(child, 'close');
    await expect.poll(() => group.members()).toEqual([]);
  });

  it('is found again by its name, by an app that did not make it, and goes when it is empty', async () => {
    const { child, pid, group, name } = commandIn(
      (of, called) => openCommandGroup(of, BOUNDS, called),
      'exec sleep 60',
    );
    expect(findCommandGroup(`${name}-other`)).toBeNull();
    expect(findCommandGroup(name)?.members()).toEqual(group === null ? undefined : [pid]);
    child.kill('SIGKILL');
    await once(child, 'close');
    await expect.poll(() => group?.members() ?? []).toEqual([]);
    group?.[Symbol.dispose]();
    expect(findCommandGroup(name)).toBeNull();
  });

  const unified = unifiedTree();
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const kernelKills = major > 5 || (major === 5 && minor >= 14);
  it.runIf(unified !== null && kernelKills)('is ended whole by one act of the kernel in the unified tree', async () => {
    const beside = { memory: null, cpu: null };
    const place = { path: unified ?? '', fromTop: '/', caps: false, boundsMemory: false, sharesCpu: false, beside };
    const { child, group } = commandIn(
      (pid, name) => openCommandGroup(pid, BOUNDS, name, place),
      `for i in 1 2 3; do env -i setsid bash -c '(trap "" TERM HUP; sleep 60 & wait) &' & done; wait; sleep 60`,
    );
    await expect.poll(() => group?.members().length).toBeGreaterThanOrEqual(7);
    group?.kill();
    await once(child, 'close');
    await expect.poll(() => group?.members()).toEqual([]);
  });
});
