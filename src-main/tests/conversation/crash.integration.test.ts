import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callsIn, readHistoryParts } from '../../conversation/history/history-parts.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { runChild } from '../../platform/run-child.test-support.js';
import { openCrashGate } from '../gate/crash-gate.test-support.js';
import { testFolder } from '../gate/gate.test-support.js';
import { answerTo } from '../gate/answers.test-support.js';
import { sampledTimes } from '../sampled.test-support.js';
import { refusedBy } from './wire-rules.test-support.js';

const CHILD = new URL('./talk-child.test-support.ts', import.meta.url).pathname;
/** How often it is killed by chance. */
const TIMES = sampledTimes(200, 10);

interface Place {
  readonly dataDir: string;
  readonly workspace: string;
}

function fresh(): Place {
  const root = testFolder('talk');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work') };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  writeFileSync(join(place.workspace, 'a.txt'), 'one\ntwo\n');
  return place;
}

const talk = ({ dataDir, workspace }: Place, at: number, choice: 'resume' | 'discard') =>
  runChild(CHILD, [dataDir, workspace, String(at), choice]);

/** Opens it again as the app does, answers what it asks, and holds everything against the promises. */
async function expectSound(place: Place, said: readonly string[], choice: 'resume' | 'discard'): Promise<void> {
  const gate = await openCrashGate({ ...place, place: () => undefined, ran: () => expect.fail('something ran again') });
  const { conversations: record } = gate;
  expect(record.leftByCrash(), 'nothing is still being written').toEqual([]);
  await expect.poll(() => gate.sheets().flatMap(({ calls }) => calls).length).toBe(gate.orchestrator.activity.waiting);
  if (gate.recovery.isOpen) gate.recovery.decide(choice);
  for (const request of gate.sheets()) await gate.desk.decide(answerTo(request, 'deny-all'));
  await expect.poll(() => gate.orchestrator.activity).toEqual({ waiting: 0, running: 0 });
  const { verify, service } = openServiceReader(place.dataDir);
  for (const line of said.filter((each) => each.startsWith('conversation '))) {
    const kept = readHistoryParts(record, line.slice('conversation '.length), () => 7);
    if (kept.branch.length > 0) expect(await refusedBy(kept)).toEqual([]);
    for (const { said: each } of kept.branch) {
      if (each.by === 'person' || each.end.state !== 'broke-off') continue;
      for (const block of each.blocks) {
        if (block.kind !== 'call') continue;
        const detail = await service.detail(block.callId ?? '');
        expect(detail).toMatchObject({
          state: 'ABORTED',
          outcome: 'interrupted',
          code: 'Interrupted',
          door: 'conversation',
        });
      }
    }
    expect(new Set(callsIn(kept.branch)).size).toBe(callsIn(kept.branch).length);
  }
  // What somebody else could read of an answer is there.
  const answers = said.flatMap((line) => (line.startsWith('answer ') ? [line.slice('answer '.length)] : []));
  let message = '';
  for (const line of said) {
    if (line.startsWith('answer ')) message = line.slice('answer '.length);
    if (!line.startsWith('noted ')) continue;
    const text = JSON.parse(line.slice('noted '.length)) as string;
    const found = record.message(message)?.said;
    const first = found?.by === 'assistant' ? found.blocks[0] : undefined;
    expect(first?.kind === 'text' && first.text.startsWith(text), `${message} of ${answers.length}`).toBe(true);
  }
  const ran = existsSync(join(place.dataDir, 'ran.log'))
    ? readFileSync(join(place.dataDir, 'ran.log'), 'utf8').trim().split('\n')
    : [];
  expect(new Set(ran).size, 'no call ran twice').toBe(ran.length);
  expect(await verify()).toMatchObject({ ok: true });
  service.close();
  await gate.close();
}

describe('killed while a model writes, and while what it asked for is recorded and run', () => {
  it('IT-JRN-01: calls that were received and not recorded are a batch after the crash, and none of them runs', async () => {
    let received = 0;
    // Each place of the first answer in turn.
    for (let at = 1; received < 3; at += 1) {
      const here = fresh();
      const { lines: said, killed } = await talk(here, at, 'resume');
      expect(killed).toBe(true);
      const gate = await openCrashGate({ ...here, place: () => undefined, ran: () => expect.fail('something ran') });
      const last = said.findLast((line) => line.startsWith('answer ')) ?? '';
      const found = gate.conversations.message(last.slice('answer '.length))?.said;
      const isBroken = found?.by === 'assistant' && found.end.state === 'broke-off';
      const calls = isBroken ? found.blocks.filter(({ kind }) => kind === 'call') : [];
      if (calls.length > 0) {
        received += 1;
        expect(gate.recovery.isOpen, 'the person is told of each').toBe(true);
        expect(gate.journal.openBatches()).toMatchObject([{ calls: calls.map(() => ({ settled: false })) }]);
      }
      await gate.close();
      await expectSound(here, said, at % 2 === 0 ? 'resume' : 'discard');
    }
  });

  it(`pairs every call, runs none twice and keeps what came, killed ${TIMES} times by chance`, async () => {
    const { places } = placesOf(await talk(fresh(), 0, 'resume'));
    let place = fresh();
    let said: string[] = [];
    for (let time = 1; time <= TIMES; time += 1) {
      const choice = Math.random() < 0.5 ? 'resume' : 'discard';
      const at = 1 + Math.floor(Math.random() * places);
      said.push(...(await talk(place, at, choice)).lines);
      if (time % 5 !== 0 && time < TIMES) continue;
      await expectSound(place, said, choice);
      place = fresh();
      said = [];
    }
  });
});

const placesOf = ({ lines }: { readonly lines: readonly string[] }) => ({
  places: Number(lines.find((line) => line.startsWith('done '))?.slice('done '.length)),
});
