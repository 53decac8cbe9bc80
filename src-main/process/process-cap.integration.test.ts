import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { capProcesses } from './process-cap.js';

it('stops a fork bomb at the kernel, where a cap can be had, and leaves nothing', async () => {
  // It waits for its cap, then forks as fast as it can. bash tries again for half a minute where it is refused.
  const bomb = 'read go; for i in $(seq 400); do sleep 60 & done; wait';
  const child = spawn('bash', ['-c', bomb], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const pid = child.pid ?? 0;
  const cap = capProcesses(pid, 10, `test-${pid}`);
  child.stdin.end('go\n');
  if (cap === null) {
    // Without the right to set one (an ordinary user), the watch alone holds the limit.
    expect(process.getuid?.()).not.toBe(0);
    process.kill(-pid, 'SIGKILL');
    return;
  }
  const inGroup = (): number =>
    readdirSync('/proc').filter((name) => {
      if (!/^\d+$/u.test(name)) return false;
      try {
        return readFileSync(`/proc/${name}/cgroup`, 'utf8').includes(`gatehouse-test-${pid}`);
      } catch {
        return false;
      }
    }).length;
  await expect.poll(() => cap.struck()).toBe(true);
  expect(inGroup()).toBeGreaterThan(5);
  expect(inGroup()).toBeLessThanOrEqual(18);
  process.kill(-pid, 'SIGKILL');
  await once(child, 'close');
  await expect.poll(inGroup).toBe(0);
  cap[Symbol.dispose]();
});
