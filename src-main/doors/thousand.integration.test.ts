import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openServiceReader } from '../journal/writing/journal.test-support.js';
import { runChild } from '../platform/run-child.test-support.js';
import { testFolder } from '../tests/gate/gate.test-support.js';

const CHILD = new URL('./thousand-child.test-support.ts', import.meta.url).pathname;
const CALLS = 1000;
/** Asked for while unfinished work is to be decided about. */
const HELD = 20;
/** The limit on calls of one tool that run at the same time. */
const AT_ONCE = 4;
const ORDER = ['high', 'normal', 'low'];

it('a thousand async calls of ten agents, killed in the middle, and more of them killed before they may begin: in their order, none lost, none twice', async () => {
  const root = testFolder('thousand');
  const [dataDir, workspace] = [join(root, 'data'), join(root, 'work')];
  mkdirSync(dataDir);
  mkdirSync(workspace);
  const asked = await runChild(CHILD, [dataDir, workspace, 'ask', '400']);
  expect(asked.killed).toBe(true);
  const held = await runChild(CHILD, [dataDir, workspace, 'hold']);
  expect(held.killed).toBe(true);
  const taken = new Map(
    [...asked.lines, ...held.lines]
      .map((line) => line.split(' '))
      .flatMap(([word, status, id = '', priority = '', agent = '']) => {
        expect([word, status]).toEqual(['taken', '202']);
        return [[id, { priority, agent }] as const];
      }),
  );
  expect(taken.size).toBe(CALLS + HELD);
  const resumed = await runChild(CHILD, [dataDir, workspace, 'resume']);
  expect(resumed.lines).toEqual(['done']);

  const ran = readFileSync(join(dataDir, 'ran.log'), 'utf8').trim().split('\n');
  expect(new Set(ran).size).toBe(ran.length);
  const db = new Database(join(dataDir, 'journal.db'), { readonly: true });
  const calls = db
    .prepare<[], { readonly callId: string; readonly outcome: string }>('SELECT callId, outcome FROM calls ORDER BY id')
    .all();
  db.close();
  expect(new Set(calls.map(({ callId }) => callId))).toEqual(new Set(taken.keys()));
  // What had begun as it was killed is interrupted; all else ran, once.
  const interrupted = calls.filter(({ outcome }) => outcome === 'interrupted').map(({ callId }) => callId);
  expect(interrupted.length).toBeLessThanOrEqual(AT_ONCE);
  expect(calls.filter(({ outcome }) => outcome === 'success')).toHaveLength(CALLS + HELD - interrupted.length);
  expect(new Set([...ran, ...interrupted])).toEqual(new Set(taken.keys()));
  // The first took the places that were free.
  const first = new Set(ran.slice(0, AT_ONCE));
  const rank = (id: string): number => ORDER.indexOf(taken.get(id)?.priority ?? '');
  const waited = calls.map(({ callId }) => callId).filter((id) => !first.has(id));
  const expected = waited.toSorted((one, other) => rank(one) - rank(other)).filter((id) => ran.includes(id));
  // Of its own calls each agent has first what it gave more priority, and then what it asked for first.
  const byAgent = (ids: readonly string[]) => Map.groupBy(ids, (id) => taken.get(id)?.agent);
  expect(byAgent(ran.slice(AT_ONCE))).toEqual(byAgent(expected));
  const { verify, service } = openServiceReader(dataDir);
  expect(await verify()).toMatchObject({ ok: true });
  service.close();
});
