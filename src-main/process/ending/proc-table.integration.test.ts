import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { listProcesses, processFacts } from './proc-table.js';

const LAST_PID = '/proc/sys/kernel/ns_last_pid';

/** Only root may say which number comes next, and not in every container. */
function mayChooseNumbers(): boolean {
  try {
    writeFileSync(LAST_PID, readFileSync(LAST_PID));
    return true;
  } catch {
    return false;
  }
}

describe('the list of processes', () => {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  async function start(): Promise<{ readonly child: ChildProcess; readonly pid: number; readonly ticks: number }> {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    started.push(child);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    return { child, pid, ticks: Number(processFacts(pid)?.startTicks) };
  }
  const pidsSince = (since: number, except?: ReadonlySet<number>): number[] =>
    listProcesses({ since, ...(except === undefined ? {} : { except }) }).map(({ pid }) => pid);

  it('may begin at a moment: what is older is not in it, but for what was asked for', async () => {
    const { pid, ticks } = await start();
    for (let time = 0; time < 2; time += 1) {
      expect(pidsSince(0)).toContain(pid);
      expect(pidsSince(ticks)).toContain(pid);
      expect(pidsSince(ticks + 1)).not.toContain(pid);
      expect(pidsSince(ticks + 1, new Set([pid]))).toContain(pid);
      expect(pidsSince(ticks)).not.toContain(process.pid);
    }
  });

  it.runIf(mayChooseNumbers())('one that has the number of an older one is not taken for it', async () => {
    // Somebody else may take the number first.
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const old = await start();
      expect(pidsSince(old.ticks + 1)).not.toContain(old.pid);
      old.child.kill('SIGKILL');
      await once(old.child, 'exit');
      await expect.poll(() => processFacts(old.pid)).toBeNull();
      writeFileSync(LAST_PID, String(old.pid - 1));
      const young = await start();
      if (young.pid !== old.pid || young.ticks === old.ticks) continue;
      expect(pidsSince(old.ticks + 1)).toContain(young.pid);
      return;
    }
    expect.unreachable('the number never came again');
  });
});
