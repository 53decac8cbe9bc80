import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { asUser } from '../../../process/reachable-project.test-support.js';
import { runChild, stepsIn } from '../../../platform/run-child.test-support.js';
import { sampledPlaces } from '../../../tests/sampled.test-support.js';
import { createQuarantineStore } from '../../quarantine/quarantine-store.js';
import { benchWith } from '../../transaction/bench-with.test-support.js';
import { Bench } from '../../transaction/transaction.test-support.js';
import type { CommandGuard } from './command-guard.js';
import { BEFORE, LEFT, leaveSamples, openGuard } from './guard-samples.test-support.js';

const CHILD = new URL('./guard-child.test-support.ts', import.meta.url).pathname;
const freshBench = (): Promise<Bench> => benchWith(BEFORE);

const NAMED_NOTHING = { mayLeave: { git: false, gitCommands: null, named: [] }, writesOutside: false };

/** A command that named nothing has begun. */
async function begun(): Promise<{ readonly bench: Bench; readonly guard: CommandGuard }> {
  const bench = await freshBench();
  const guard = openGuard(bench);
  await guard.begin('call-1', bench.workspace, {
    ...NAMED_NOTHING,
    watch: bench.parts.meanwhile.watch(bench.workspace),
  });
  return { bench, guard };
}

/** How many steps there were; null where it was killed at one. */
async function runUntil(base: string, killAt: number): Promise<number | null> {
  const { lines, killed } = await runChild(CHILD, [base, String(killAt)]);
  return killed ? null : stepsIn(lines);
}

/** A folder with nothing in it may be left by a crash: nothing obeys it. */
const filesOf = async (bench: Bench) =>
  Object.fromEntries(Object.entries(await bench.tree()).filter(([, state]) => state !== 'folder'));

/** Everything that was left is kept, nothing of it is there, and what was there before is. */
async function expectPutAside(bench: Bench, what: string): Promise<void> {
  const expected = await freshBench();
  await expected.write({ 'named.code-workspace': { content: 'named\n', mode: 0o644 } });
  expect(await filesOf(bench), what).toEqual(await filesOf(expected));
  const view = await createQuarantineStore(bench.parts).view('call-1', bench.jail);
  const kept = view?.files.map(({ after }) => after) ?? [];
  for (const [path, after] of Object.entries(LEFT)) expect(kept, `${what}: ${path}`).toContain(after);
}

it('killed at any step, the next start finishes it, and nothing is lost', async () => {
  const whole = await freshBench();
  const steps = await runUntil(whole.base, 0);
  await expectPutAside(whole, 'not killed');
  expect(steps).toBeGreaterThan(20);
  for (const at of sampledPlaces(steps ?? 0, 3)) {
    const killed = await freshBench();
    expect(await runUntil(killed.base, at)).toBeNull();
    const bench = await Bench.at(killed.base);
    await openGuard(bench).recover('call-1', bench.workspace);
    await expectPutAside(bench, `killed at step ${at}`);
    expect(bench.problems).toEqual([]);
    expect(readdirSync(join(bench.dataDir, 'owed-looks')), `step ${at}`).toEqual([]);
  }
}, 300_000);

it('what changes between keeping and taking away is kept as well', async () => {
  const { bench, guard } = await begun();
  leaveSamples(bench.workspace);
  let writes = 0;
  bench.step = (step, subject) => {
    if (step === 'remove' && subject === '.envrc') {
      writes += 1;
      writeFileSync(join(bench.workspace, '.envrc'), `written meanwhile ${writes}\n`);
    }
  };
  const { putAside, complete } = await guard.end('call-1', bench.workspace);
  expect(complete).toBe(true);
  expect(putAside.map(({ path }) => path)).toContain('.envrc');
  const view = await createQuarantineStore(bench.parts).view('call-1', bench.jail);
  expect(view?.files.find(({ path }) => path === '.envrc')).toMatchObject({ after: 'written meanwhile 1\n' });
});

it('a program that goes on writing is not waited for, and that is told', async () => {
  const { bench, guard } = await begun();
  const write = (): void => writeFileSync(join(bench.workspace, '.envrc'), 'again\n');
  write();
  bench.step = (step) => {
    if (step === 'place-cleanup') write();
  };
  expect(await guard.end('call-1', bench.workspace)).toMatchObject({ complete: false });
  expect(guard.isInDoubt(bench.workspace)).toBe(true);
});

it('N3: doubt outlives the app, until a whole look was certain', async () => {
  const bench = await freshBench();
  const run = async (guard: CommandGuard, callId: string, left: () => void) => {
    using watch = bench.parts.meanwhile.watch(bench.workspace);
    await guard.begin(callId, bench.workspace, { ...NAMED_NOTHING, watch });
    left();
    return (await guard.end(callId, bench.workspace)).complete;
  };
  const write = (): void => writeFileSync(join(bench.workspace, '.envrc'), 'again\n');
  bench.step = (step) => {
    if (step === 'place-cleanup') write();
  };
  expect(await run(openGuard(bench), 'call-1', write)).toBe(false);

  const second = openGuard(bench);
  expect(second.isInDoubt(bench.workspace)).toBe(true);
  expect(second.isInDoubt(bench.dataDir)).toBe(false);
  // One that never began makes nothing sure.
  using watch = bench.parts.meanwhile.watch(bench.workspace);
  await second.begin('call-2', bench.workspace, { ...NAMED_NOTHING, watch });
  await second.forget('call-2', bench.workspace);
  expect(openGuard(bench).isInDoubt(bench.workspace)).toBe(true);

  bench.step = () => undefined;
  const third = openGuard(bench);
  expect(await run(third, 'call-3', () => undefined)).toBe(true);
  expect(third.isInDoubt(bench.workspace)).toBe(false);
  expect(openGuard(bench).isInDoubt(bench.workspace)).toBe(false);
  expect(readdirSync(join(bench.dataDir, 'owed-looks'))).toEqual([]);
});

it('N3: a crash while it is looked after leaves doubt where the next start can’t be sure', async () => {
  const bench = await freshBench();
  const guard = openGuard(bench);
  using watch = bench.parts.meanwhile.watch(bench.workspace);
  await guard.begin('call-1', bench.workspace, { ...NAMED_NOTHING, watch });
  const write = (): void => writeFileSync(join(bench.workspace, '.envrc'), 'again\n');
  write();
  bench.step = (step) => {
    if (step === 'place-cleanup') write();
  };
  await openGuard(bench).recover('call-1', bench.workspace);
  expect(openGuard(bench).isInDoubt(bench.workspace)).toBe(true);
  bench.step = () => undefined;
  await openGuard(bench).recover('call-1', bench.workspace);
  expect(openGuard(bench).isInDoubt(bench.workspace)).toBe(false);
});

it('on a disk that takes nothing more, what was left is moved into quarantine, and nothing of it is lost', async () => {
  const { bench, guard } = await begun();
  leaveSamples(bench.workspace);
  bench.step = (step) => {
    if (step.startsWith('image-') || step.startsWith('manifest-')) {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    }
  };
  const { putAside, complete } = await guard.end('call-1', bench.workspace);
  bench.step = () => undefined;
  expect(complete).toBe(false);
  expect(putAside.map(({ note }) => note ?? '').join()).toContain('.gatehouse-put-aside/');
  const tree = await bench.tree();
  expect(Object.keys(tree).filter((path) => path.startsWith('.gatehouse-put-aside/')).length).toBeGreaterThan(2);
  expect(tree['.envrc']).toBeUndefined();
});

it('what is hidden in a folder of ours is quarantined; what nobody may look into is in doubt until it can’t be meant', async () => {
  const bench = await freshBench();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    execFileSync('chown', ['-R', '65534:65534', bench.base]);
    mkdirSync(join(bench.workspace, 'foreign'), { mode: 0o700 });
  }
  const words = [process.execPath, CHILD.replace('guard-child', 'doubt-child'), bench.base] as const;
  const [program, ...rest] = isRoot ? asUser(65534, resolve('.'), words) : words;
  const said = execFileSync(program, rest, {
    env: { ...process.env, HOME: bench.base, ELECTRON_RUN_AS_NODE: '1', NODE_NO_WARNINGS: '1' },
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual({
    hidden: { complete: true, aside: ['d/.vscode/tasks.json'], doubt: false },
    left: false,
    moved: isRoot ? { complete: false, aside: [], doubt: true } : null,
    back: isRoot ? { complete: true, aside: [], doubt: false } : null,
  });
});
