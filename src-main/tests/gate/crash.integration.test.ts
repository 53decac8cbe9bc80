import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import { makeAsker } from '../../domain/call/asker.js';
import { runChild } from '../../platform/run-child.test-support.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { openCrashGate } from './crash-gate.test-support.js';
import { testFolder } from './gate.test-support.js';
import { answerTo } from './answers.test-support.js';
import { sampledPlaces } from '../sampled.test-support.js';

const CHILD = new URL('./crash-child.test-support.ts', import.meta.url).pathname;
const BEFORE = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' };
const WRITTEN = { 'deep/down/w.txt': 'written' };
const PATCHED = { 'a.txt': 'ONE\ntwo\n', 'b.txt': 'b\nlast\n', 'new/c.txt': 'made\n' };

interface Place {
  readonly dataDir: string;
  readonly workspace: string;
}

interface Ended {
  readonly acknowledged: ReadonlyArray<{ readonly callId: string; readonly state: string }>;
  readonly places: number | null;
}

function fresh(): Place {
  const root = testFolder('crash');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work') };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(place.workspace, name), text);
  return place;
}

/** Runs the child until it kills itself at the `at`-th place (0: never). */
async function run(
  { dataDir, workspace }: Place,
  at: number,
  plan: 'calls' | 'remote' | 'resume' | 'discard',
): Promise<Ended> {
  const { lines } = await runChild(CHILD, [dataDir, workspace, String(at), plan]);
  const acknowledged = lines.flatMap((line) => {
    const [word, callId = '', state = ''] = line.split(' ');
    return word === 'settled' ? [{ callId, state }] : [];
  });
  const done = lines.find((line) => line.startsWith('done '));
  return { acknowledged, places: done === undefined ? null : Number(done.slice(5)) };
}

/** At each of recovery's own places in turn, until it comes through. Gives how often it was killed. */
async function killRecovery(place: Place, choice: 'resume' | 'discard'): Promise<number> {
  for (let at = 1; ; at += 1) {
    const { places } = await run(place, at, choice);
    if (places !== null) return at - 1;
  }
}

/** Opens it again as the app does, answers the question, and holds everything against the promises. */
async function expectSound(
  place: Place,
  acknowledged: Ended['acknowledged'],
  choice: 'resume' | 'discard',
): Promise<void> {
  const gate = await openCrashGate({ ...place, place: () => undefined, ran: () => expect.fail('something ran again') });
  // What waited for the person is asked again, not run.
  const drawn = () => gate.sheets().flatMap(({ calls }) => calls).length;
  await expect.poll(drawn).toBe(gate.orchestrator.activity.waiting);
  const asked = gate.sheets().flatMap(({ calls }) => calls.map(({ callId }) => callId));
  if (gate.recovery.isOpen) gate.recovery.decide(choice);
  for (const request of gate.sheets()) {
    await gate.desk.decide(answerTo(request, 'deny-all'));
  }
  expect(gate.journal.openBatches().flatMap((batch) => batch.calls.filter(({ settled }) => !settled))).toEqual([]);
  await gate.close();
  const { verify, service } = openServiceReader(place.dataDir);
  expect(await verify()).toMatchObject({ ok: true });
  const { calls } = await service.page({ limit: 500, before: null, filter: {} });
  const details: CallDetail[] = [];
  for (const { callId } of calls) {
    const detail = await service.detail(callId);
    if (detail !== null) details.push(detail);
  }
  service.close();
  for (const { callId, state } of acknowledged)
    expect(details.find((each) => each.callId === callId)?.state, 'acknowledged').toBe(state);
  for (const detail of details) expectOneEnd(detail, asked.includes(detail.callId));
  expectFiles(place.workspace, details);
  expectRanOnce(place.dataDir);
}

function expectOneEnd(detail: CallDetail, wasAsked: boolean): void {
  expect(detail.outcome, detail.tool).not.toBeNull();
  const states = detail.events.filter(({ note }) => note === null).map(({ state }) => state);
  const ends = states.filter((state) => ['COMPLETED', 'FAILED', 'DENIED', 'ABORTED'].includes(state));
  expect(ends, `${detail.tool}: ${states.join(' ')}`).toHaveLength(1);
  expect(states.filter((state) => state === 'EXECUTING').length).toBeLessThanOrEqual(1);
  if (wasAsked) expect(detail.state).toBe('DENIED');
}

/** Wholly before or wholly after, and what the journal says of it. */
function expectFiles(workspace: string, details: readonly CallDetail[]): void {
  const completed = (tool: string) => details.some((detail) => detail.tool === tool && detail.state === 'COMPLETED');
  const expected = {
    ...BEFORE,
    ...(completed('write_file') ? WRITTEN : {}),
    ...(completed('apply_patch') ? PATCHED : {}),
  };
  const found = Object.fromEntries(
    readdirSync(workspace, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(workspace.length + 1), readFileSync(path, 'utf8')]),
  );
  expect(found).toEqual(expected);
}

function expectRanOnce(dataDir: string): void {
  const log = join(dataDir, 'ran.log');
  const ran = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  expect(new Set(ran).size).toBe(ran.length);
}

/** Two at a time: the machine has few cores, and each run is its own process. */
async function inPairs<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all([worker(), worker()]);
}

describe('the app killed at every place of whole batches', () => {
  it('loses nothing that was acknowledged, runs nothing twice, and leaves files wholly before or after', async () => {
    const places = (await run(fresh(), 0, 'calls')).places ?? 0;
    expect(places).toBeGreaterThan(60);
    let kills = 0;
    const tried = sampledPlaces(places, 3);
    // A multiple: these are among them.
    const recovered = new Set(sampledPlaces(places, 15));
    await inPairs(tried, async (at) => {
      const place = fresh();
      const { acknowledged, places: survived } = await run(place, at, 'calls');
      // What is read may be written together with what follows it or before that: then there are fewer places.
      if (survived !== null) return expect(survived).toBeLessThan(at);
      kills += 1;
      const choice = at % 2 === 0 ? 'resume' : 'discard';
      // Recovery itself is killed at each of its places, one after another, on the same data folder.
      if (recovered.has(at)) kills += await killRecovery(place, choice);
      await expectSound(place, acknowledged, choice);
    });
    expect(kills).toBeGreaterThan(tried.length / 2);
  });

  it('what ran elsewhere may have had an effect: it is aborted, not sent again, and never said to be undone', async () => {
    const places = (await run(fresh(), 0, 'remote')).places ?? 0;
    const told = new Set<string>();
    await inPairs(
      Array.from({ length: places }, (_, index) => index + 1),
      async (at) => {
        const place = fresh();
        const { acknowledged } = await run(place, at, 'remote');
        const reports: AppEventBody[] = [];
        const gate = await openCrashGate({
          ...place,
          place: () => undefined,
          ran: () => expect.fail('it was sent again'),
          publish: (event) => reports.push(event),
        });
        for (const event of reports) {
          if (event.type !== 'recovery' || event.recovery === null) continue;
          for (const { foundAs, nature } of event.recovery.batches.flatMap(({ calls }) => calls)) {
            expect(nature).toBe('remote');
            told.add(foundAs);
          }
        }
        if (gate.recovery.isOpen) gate.recovery.decide('resume');
        gate.journal.close();
        const { service } = openServiceReader(place.dataDir);
        const { calls } = await service.page({ limit: 10, before: null, filter: {} });
        for (const { callId, state, code, awaiting } of calls) {
          if (awaiting !== null) continue;
          const detail = (await service.detail(callId)) ?? expect.fail(`no call ${callId}`);
          const was = acknowledged.find((each) => each.callId === callId);
          if (was !== undefined) expect(state).toBe(was.state);
          else if (code === 'Interrupted') expect(state).toBe('ABORTED');
          const started = detail.events.some((event) => event.state === 'EXECUTING');
          if (code === 'Interrupted')
            expect(detail.result).toContain(started ? 'may have had an effect' : 'did not run');
          expect(detail.result ?? '').not.toMatch(/undone|rolled back|taken back/iu);
          expect(detail.events.map((event) => event.state)).not.toContain('ROLLED_BACK');
        }
        service.close();
      },
    );
    expect([...told].sort()).toEqual(['finished', 'may-have-run', 'not-started']);
  });

  it('IT-JRN-01: calls that were received and waited for the person are asked again with their ids', async () => {
    const place = fresh();
    const before = await openCrashGate({ ...place, place: () => undefined, ran: () => expect.fail('ran') });
    const batch = before.gate.submit({
      asker: makeAsker('mcp', 's', { client: 'c 1' }),
      folder: place.workspace,
      calls: [{ requestId: 'r', tool: 'write_file', arguments: { path: 'x.txt', content: 'x' } }],
      capacityBytes: null,
      joinable: false,
    });
    await expect.poll(() => before.sheets().length).toBe(1);
    // The journal is closed as a crash would: nothing was decided, nothing said.
    before.journal.close();
    const after = await openCrashGate({ ...place, place: () => undefined, ran: () => expect.fail('ran') });
    expect(after.recovery.isOpen).toBe(false);
    await expect
      .poll(() => after.sheets())
      .toMatchObject([{ batchId: batch.batchId, callerGone: true, calls: [{ callId: batch.calls[0]?.callId }] }]);
    const [request] = after.sheets();
    after.read();
    await after.desk.decide(answerTo(request, 'approve-all'));
    await expect.poll(() => existsSync(join(place.workspace, 'x.txt'))).toBe(true);
    await expect.poll(() => after.orchestrator.activity).toEqual({ waiting: 0, running: 0 });
    await after.close();
  });
});
