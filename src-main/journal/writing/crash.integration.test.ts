import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runChild } from '../../platform/run-child.test-support.js';
import { sampledPlaces } from '../../tests/sampled.test-support.js';
import { openServiceReader, openTestJournal, openTestReader, testFolder } from './journal.test-support.js';
import { batchReceived, settled, started } from './journal-samples.test-support.js';

const CHILD = new URL('./append-child.test-support.ts', import.meta.url).pathname;
/** The number of points to kill at, each time. */
const POINTS = 15;

/** Everything that was acknowledged is there, as it was, once; the chain and its signed head agree. */
async function expectSound(folder: string, acknowledged: readonly string[]): Promise<void> {
  const journal = openTestJournal(folder);
  expect(journal.movedAside).toBeNull();
  const { verify, service } = openServiceReader(folder);
  expect(await verify()).toMatchObject({ ok: true });
  const open = new Map(journal.openBatches().flatMap((batch) => batch.calls.map((call) => [idOf(call), call])));
  for (const line of acknowledged) {
    const [what, callId = ''] = line.split(' ');
    if (what !== 'received' && what !== 'executing' && what !== 'settled') continue;
    const detail = await service.detail(callId);
    expect(detail, line).not.toBeNull();
    const states = detail?.events.map((event) => event.state) ?? [];
    expect(states.filter((state) => state === 'DECLARED')).toHaveLength(1);
    if (what === 'executing') expect(states).toContain('EXECUTING');
    if (what === 'settled') {
      expect(detail).toMatchObject({ result: `result of ${callId}` });
      expect(['COMPLETED', 'ROLLED_BACK']).toContain(detail?.state);
    }
    if (detail?.outcome === null) expect(open.get(callId)).toMatchObject({ settled: false });
  }
  // What search goes by is written a moment after a call: what a crash left of that is made up for.
  journal.readyForSearch();
  for (const line of acknowledged.filter((one) => one.startsWith('settled ')).slice(-20)) {
    const callId = line.slice('settled '.length);
    const { calls } = await service.page({ limit: 500, before: null, filter: { query: `result of ${callId}` } });
    expect(
      calls.map((call) => call.callId),
      line,
    ).toContain(callId);
  }
  service.close();
  journal.close();
}

function idOf(call: ReturnType<ReturnType<typeof openTestJournal>['openBatches']>[number]['calls'][number]): string {
  return call.settled ? call.summary.callId : call.call.summary.callId;
}

describe('killed while appending', () => {
  it('keeps what it acknowledged, wherever it was killed (SIGKILL from outside)', async () => {
    const folder = testFolder();
    const acknowledged: string[] = [];
    for (const point of sampledPlaces(POINTS, 2)) {
      const { lines, killed: wasKilled } = await runChild(CHILD, [folder, `k${point}-`, '500'], {
        killAfter: point * 3,
      });
      expect(wasKilled).toBe(true);
      acknowledged.push(...lines);
    }
    await expectSound(folder, acknowledged);
  });

  it.each(['pwrite64', 'fsync'])('keeps what it acknowledged, killed at every %s', async (call) => {
    const folder = testFolder();
    const acknowledged: string[] = [];
    let killed = 0;
    const points = sampledPlaces(POINTS, 2);
    for (const point of points) {
      // Spread over what the child does: opening, the first appends, later ones.
      const when = 1 + Math.floor((point - 1) * ((call === 'pwrite64' ? 220 : 45) / POINTS));
      const wrapper = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`];
      const { lines, killed: wasKilled } = await runChild(CHILD, [folder, `${call}-${point}-`, '12'], {
        wrapper: [...wrapper, '-e', `inject=${call}:signal=SIGKILL:when=${when}`],
      });
      if (wasKilled) killed += 1;
      acknowledged.push(...lines);
      await expectSound(folder, lines);
    }
    expect(killed).toBeGreaterThan(points.length / 2);
    await expectSound(folder, acknowledged);
  });

  it('knows that it was killed, and when it last lived', async () => {
    const folder = testFolder();
    const before = Date.now();
    await runChild(CHILD, [folder, 'k', '500'], { killAfter: 4 });
    const journal = openTestJournal(folder);
    expect(journal.startedAfterCrash).toBe(true);
    expect(journal.lastAlive).toBeGreaterThanOrEqual(before - 1000);
    journal.close();
    const again = openTestJournal(folder);
    expect(again.startedAfterCrash).toBe(false);
    again.close();
  });
});

describe('a power cut', () => {
  it('keeps every synced append, wherever the WAL ends', async () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const database = join(folder, 'journal.db');
    const wal = `${database}-wal`;
    const base = readFileSync(database);
    const head = readFileSync(join(folder, 'audit-head.json'));
    const done: { readonly line: string; readonly size: number }[] = [];
    for (let n = 0; n < 5; n += 1) {
      journal.append([batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })]);
      done.push({ line: `executing c${n}`, size: statSync(wal).size });
      journal.append([settled(`c${n}`, { content: `result of c${n}` })]);
      done.push({ line: `settled c${n}`, size: statSync(wal).size });
    }
    const log = readFileSync(wal);
    journal.close();
    const cut = join(folder, 'cut');
    for (let size = 0; size <= log.length; size += 4096 + 24) {
      for (const end of [size, size + 2000]) {
        mkdirSync(cut);
        writeFileSync(join(cut, 'journal.db'), base);
        writeFileSync(join(cut, 'audit-head.json'), head);
        writeFileSync(join(cut, 'journal.db-wal'), log.subarray(0, end));
        await expectSound(
          cut,
          done.filter((entry) => entry.size <= end).map((entry) => entry.line),
        );
        rmSync(cut, { recursive: true });
      }
    }
  });

  it('is noticed when it took the WAL: the signed head knows of more', async () => {
    const folder = testFolder();
    await runChild(CHILD, [folder, 'a', '3', 'read']);
    const journal = openTestJournal(folder);
    journal.append([batchReceived('b')]);
    const saved = join(folder, 'saved.db');
    copyFileSync(join(folder, 'journal.db'), saved);
    journal.close();
    copyFileSync(saved, join(folder, 'journal.db'));
    expect(existsSync(join(folder, 'journal.db-wal'))).toBe(false);
    const reader = openTestReader(folder);
    expect(await reader.verify()).toMatchObject({ ok: false });
    await reader.close();
  });
});
