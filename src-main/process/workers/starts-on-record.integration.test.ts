import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestPrograms } from '../programs/programs.test-support.js';
import { inside, openTestWorkers } from './workers.test-support.js';

it('a worker is on record before it runs, with what it may reach and the names of what it is given', async () => {
  await using workers = await openTestWorkers();
  const { recorded } = workers;
  const worker = await workers.start({ secrets: { KEY: 'sk-mine-1234' }, egress: ['example.com:443'] });
  const [facts] = recorded.started;
  expect(recorded.started).toEqual([
    {
      run: facts?.run,
      of: 'worker',
      name: 'shell',
      domain: 'tests 1',
      runs: 'perl shell-server.pl',
      digest: 'of the package',
      heldBy: 'bubblewrap',
      hosts: ['example.com:443'],
      given: ['KEY'],
    },
  ]);
  // Ended by whoever started it: nothing to tell.
  await worker.stop(0);
  await worker.ended;
  expect(recorded.ended).toEqual([]);
});

it('a worker that ends by itself is on record, as the end of its own start', async () => {
  await using workers = await openTestWorkers();
  const { recorded } = workers;
  const worker = await workers.start();
  await inside(worker, 'kill -9 $PPID $(cat /proc/$PPID/status | sed -n "s/^PPid:\\t//p")').catch(() => '');
  const end = await worker.ended;
  expect(recorded.ended).toEqual([
    {
      run: recorded.started[0]?.run,
      of: 'worker',
      name: 'shell',
      domain: 'tests 1',
      how: `It ended by ${end.signal}.`,
    },
  ]);
});

it('what can’t be recorded is not started: neither a worker nor a program of a source', async () => {
  await using workers = await openTestWorkers();
  workers.recorded.whyNot = 'The disk is full.';
  await expect(workers.start()).rejects.toThrow('The disk is full.');
  expect(existsSync(workers.runningFolder) ? readdirSync(workers.runningFolder) : []).toEqual([]);
  await using programs = await openTestPrograms();
  programs.recorded.whyNot = 'The disk is full.';
  const trace = join(programs.runner.workspace, 'ran');
  const folder = { path: programs.runner.workspace, access: 'write' } as const;
  const ran = await programs.run(['touch', trace], { folder });
  expect(ran.end.unstartable).toContain('The disk is full.');
  expect(existsSync(trace)).toBe(false);
  programs.recorded.whyNot = null;
  expect((await programs.run(['touch', trace], { folder })).end.code).toBe(0);
  expect(existsSync(trace)).toBe(true);
});

it('a program of a source is on record, and that it ended by itself; a hook’s run is an event already', async () => {
  await using programs = await openTestPrograms();
  const { recorded } = programs;
  await programs.run(['sh', '-c', 'exit 7'], { startedFor: 'mine', environment: { CREDENTIAL_X: 'y' } });
  const [facts] = recorded.started;
  expect(facts).toMatchObject({ of: 'source', name: 'mine', heldBy: 'confined', hosts: [], given: ['CREDENTIAL_X'] });
  expect(facts?.runs).toMatch(/\/sh -c exit 7$/u);
  expect(recorded.ended).toEqual([
    { run: facts?.run, of: 'source', name: 'mine', domain: null, how: 'It ended with exit code 7.' },
  ]);
  const asked = await programs.start(['sleep', '600'], { startedFor: 'mine' });
  await asked.end(0);
  await programs.run(['true'], { startedFor: null });
  expect(recorded.started).toHaveLength(2);
  expect(recorded.ended).toHaveLength(1);
});
