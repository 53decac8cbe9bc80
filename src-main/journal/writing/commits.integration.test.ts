import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from './journal.test-support.js';

const CHILD = new URL('./append-child.test-support.ts', import.meta.url).pathname;
const CALLS = 40;

/** How often a run with so many calls of a kind waits for the disk. */
function syncs(calls: number, kind: 'read' | 'write'): number {
  const folder = testFolder();
  const trace = join(folder, 'trace');
  const run = [process.execPath, CHILD, folder, 'c', String(calls), kind];
  execFileSync('strace', ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=fsync,fdatasync', '-o', trace, ...run], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes('sync(')).length;
}

it.each([
  ['read', 2],
  ['write', 3],
] as const)('the journal waits for the disk at most so often for a %s call: %i', (kind, most) => {
  const perCall = (syncs(CALLS, kind) - syncs(0, kind)) / CALLS;

  process.stdout.write(`${kind} call: ${perCall} syncs\n`);
  expect(perCall).toBeGreaterThan(most - 0.5);
  // Moving the WAL into the database now and then is shared by many calls.
  expect(perCall).toBeLessThan(most + 0.25);
});
