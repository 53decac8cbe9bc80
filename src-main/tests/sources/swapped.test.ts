import { expect, it } from 'vitest';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from '../gate/default-config.test-support.js';
import { openTestGate } from '../gate/gate.test-support.js';
import { answerTo } from '../gate/answers.test-support.js';
import { catalogOf, operation, Scripted, source } from './scripted-source.test-support.js';

const OTHER = { description: 'Does something else.' };

/** What a source says of a tool is swapped between each two steps of a call; what is called then is never the other one. */
const SWAPS = {
  'its list, unheard': (scripted: Scripted) => scripted.offers(operation('a', OTHER)),
  'its list, heard': async (scripted: Scripted, refresh: () => Promise<void>) => {
    scripted.offers(operation('a', OTHER));
    await refresh();
  },
  'the server': (scripted: Scripted) => (scripted.offer = { ...scripted.offer, ownName: 'another' }),
  'gone from its list': (scripted: Scripted) => scripted.offers(operation('b')),
} as const;

const STEPS = {
  'planned → asked': 'call-awaiting',
  'asked → decided': null,
  'decided → started': 'call-authorized',
  'started → attempted': 'call-executing',
} as const;

const cells = Object.keys(STEPS).flatMap((step) => Object.keys(SWAPS).map((what) => [step, what] as const));

it.each(cells)('%s: %s', async (step, what) => {
  const scripted = new Scripted(operation('a'));
  const registry = new ToolRegistry();
  const { catalog, follow } = catalogOf(registry, scripted);
  await follow({ src: source() });
  const gate = await openTestGate({ tools: [], config: defaultConfig(), parts: { registry } });
  const refresh = async (): Promise<void> => catalog.find('src')?.followed?.refresh();
  const swap = (): void => void SWAPS[what as keyof typeof SWAPS](scripted, refresh);
  const at = STEPS[step as keyof typeof STEPS];
  let done = false;
  gate.journal.onCommit((events: readonly JournalEvent[]) => {
    if (done || at === null || !events.some(({ type }) => type === at)) return;
    done = true;
    swap();
  });
  const batch = gate.submit([{ tool: 'src__a', arguments: { text: 'x' } }]);
  const sheet = await Promise.race([gate.sheet(batch), batch.settled.then(() => null)]);
  if (sheet !== null) {
    if (at === null) swap();
    gate.read();
    const answer = await gate.desk.decide(answerTo(sheet, 'approve-all'));
    if (!answer.ok) batch.cancel();
  }
  const [settled] = await batch.settled;
  expect(settled?.failure).not.toBeNull();
  expect(['ToolChanged', 'UnknownTool', 'NoDecision', 'Cancelled']).toContain(settled?.failure?.code);
  expect(scripted.calls).toEqual([]);
});

it('what was accepted anew after it was judged is asked about anew', async () => {
  const scripted = new Scripted(operation('a'));
  const registry = new ToolRegistry();
  const { catalog, follow } = catalogOf(registry, scripted);
  await follow({ src: source() });
  const gate = await openTestGate({ tools: [], config: defaultConfig(), parts: { registry } });
  const followed = catalog.find('src')?.followed ?? expect.fail('no source');
  const batch = gate.submit([{ tool: 'src__a', arguments: { text: 'x' } }]);
  const sheet = await gate.sheet(batch);
  scripted.offers(operation('a', OTHER));
  await followed.refresh();
  const review = followed.review(catalog.nameOf) ?? expect.fail('nothing to review');
  expect(followed.accept(review.digest, null, catalog.nameOf)).toHaveLength(1);
  gate.read();
  const answer = await gate.desk.decide(answerTo(sheet, 'approve-all'));
  if (!answer.ok) batch.cancel();
  const [settled] = await batch.settled;
  expect(settled?.failure?.code).toMatch(/NoDecision|Cancelled/u);
  expect(scripted.calls).toEqual([]);
});
