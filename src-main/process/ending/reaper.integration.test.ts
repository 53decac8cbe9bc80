import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriesMark } from './call-mark.js';
import { listProcesses, isAlive, processFacts } from './proc-table.js';
import { reapProcess } from './reaper.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';

interface Started {
  readonly pid: number;
  readonly startTicks: string;
  readonly mark: string;
  readonly workspace: string;
}

const marked = (mark: string): number[] =>
  listProcesses()
    .filter((facts) => isAlive(facts) && carriesMark(facts, mark))
    .map(({ pid }) => pid);

/** Nothing of it runs; whether its entry is gone, too, is the matter of whoever took it in. */
const isOver = (pid: number): boolean => {
  const facts = processFacts(pid);
  return facts === null || !isAlive(facts);
};

/** The processes that have become what they were started for: a shell on its way there does not count. */
const asleep = (mark: string): number[] =>
  marked(mark).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ') === 'sleep 600 ';
    } catch {
      return false;
    }
  });

describe('after the app was killed', () => {
  let program = '';
  const children: ChildProcess[] = [];
  /** The leftovers that a killed app can't clear away itself. */
  const left: string[] = [];

  beforeAll(async () => {
    program = await buildRunnerChild();
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const path of left) await rm(path, { recursive: true, force: true });
    await rm(program, { force: true });
  });

  /** Starts the app in small, waits until so many of its command sleep, and kills it as a crash would. */
  async function crash(confinement: 'off' | 'required', command: string, sleepers: number): Promise<Started> {
    const child = spawn(process.execPath, [program, confinement, command], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    const started = JSON.parse(line) as Started;
    left.push(dirname(started.workspace));
    await expect.poll(() => asleep(started.mark)).toHaveLength(sleepers);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return started;
  }

  it('nothing is left when confined, without anybody’s help', async () => {
    const command = `trap '' HUP TERM; setsid sleep 600 & (trap '' HUP; sleep 600) & wait; sleep 600`;
    const { mark } = await crash('required', command, 2);
    await expect.poll(() => marked(mark)).toEqual([]);
  });

  it('what survived unconfined is found by its mark and ended at the next start', async () => {
    const started = await crash('off', `trap '' HUP TERM; setsid sleep 600 & sleep 600`, 2);
    await expect.poll(() => isOver(started.pid)).toBe(true);
    expect(marked(started.mark).length).toBeGreaterThan(0);
    expect(await reapProcess(started)).toBe('ended');
    expect(marked(started.mark)).toEqual([]);
    expect(await reapProcess(started)).toBe('gone');
  });

  it('a process that has left its session, its environment, its group and its parents is ended as well', async () => {
    const leaveGroup = 'for f in /sys/fs/cgroup/pids/cgroup.procs /sys/fs/cgroup/cgroup.procs; do echo $$ >$f; done';
    const daemon = `perl -e 'use POSIX (); fork and exit; POSIX::setsid(); fork and exit; %ENV = ();
      POSIX::close($_) for 0..255; $SIG{$_} = "IGNORE" for qw(TERM HUP INT); exec "sleep", "600"'`;
    const command = `{ ${leaveGroup}; } 2>/dev/null; ${daemon}; env -i setsid bash -c '(sleep 600 &) &'; exec sleep 600`;
    // The command, the daemon and the grandchild of the shell: the last two have no variable, and outlive the first.
    const started = await crash('off', command, 3);
    await expect.poll(() => isOver(started.pid)).toBe(true);
    await expect.poll(() => marked(started.mark)).toHaveLength(2);
    const alive = marked(started.mark);
    for (const pid of alive) expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain(started.mark);
    expect(await reapProcess(started)).toBe('ended');
    expect(alive.map((pid) => isAlive(processFacts(pid)))).toEqual([false, false]);
    expect(await reapProcess(started)).toBe('gone');
  });

  it('a process that has the pid by chance is left alone', async () => {
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
    children.push(bystander);
    const pid = bystander.pid ?? 0;
    await expect.poll(() => processFacts(pid)).not.toBeNull();
    expect(await reapProcess({ pid, startTicks: '1', mark: 'nobody-has-this' })).toBe('gone');
    expect(isAlive(processFacts(pid))).toBe(true);
  });
});
