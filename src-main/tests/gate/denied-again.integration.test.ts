import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Clock } from '../../domain/ports/clock.js';
import { systemClock } from '../../platform/clock.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { detailsOf } from './call-details.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate, testFolder } from './gate.test-support.js';

const MINUTE = 60_000;

async function gateOn() {
  const workspace = testFolder('workspace');
  writeFileSync(join(workspace, 'a.txt'), 'one\n');
  let passed = 0;
  const clock: Clock = { now: () => systemClock.now(), monotonic: () => systemClock.monotonic() + passed };
  const gate = await openTestGate({
    tools: [readFileTool, writeFileTool, applyPatchTool],
    workspace,
    parts: { clock },
  });
  const submit = (tool: string, args: JsonObject, by: Parameters<typeof gate.submit>[1] = {}) =>
    gate.submit([{ tool, arguments: args }], { door: 'mcp', sessionId: 'one', ...by });
  return {
    gate,
    pass: (ms: number) => void (passed += ms),
    submit,
    /** Asked, and denied by the person. */
    async deny(tool: string, args: JsonObject, by: Parameters<typeof gate.submit>[1] = {}) {
      const batch = submit(tool, args, by);
      await gate.sheet(batch);
      await gate.decide(batch, { kind: 'deny-all' }, { reason: 'Not there.' });
      const [settled] = await batch.settled;
      return settled?.summary.callId ?? '';
    },
    async isAsked(tool: string, args: JsonObject, by: Parameters<typeof gate.submit>[1] = {}) {
      const batch = submit(tool, args, by);
      const asked = await Promise.race([batch.settled.then(() => false), gate.sheet(batch).then(() => true)]);
      if (asked) await gate.decide(batch, { kind: 'approve-all' });
      const [settled] = await batch.settled;
      return { asked, settled };
    },
  };
}

const write: JsonObject = { path: 'b.txt', content: 'b' };

test('The same again is denied with the same words, unasked, and counted on the first', async () => {
  const bench = await gateOn();
  const first = await bench.deny('write_file', write);
  // Equal as JSON, whatever the order of its names.
  for (const args of [write, { content: 'b', path: 'b.txt' }]) {
    const { asked, settled } = await bench.isAsked('write_file', args);
    expect(asked).toBe(false);
    expect(settled?.failure).toMatchObject({ code: 'DeniedByPerson', reason: 'Not there.', repeatOf: first });
    expect(settled?.summary).toMatchObject({ state: 'DENIED', reason: 'Not there.' });
  }
  const [detail] = await detailsOf(bench.gate.dataDir, [first]);
  expect(detail?.repeats).toBe(2);
});

test('Asked again: after ten minutes, for another session, tool or arguments, and where the person wants to be', async () => {
  const bench = await gateOn();
  const first = await bench.deny('write_file', write);
  expect((await bench.isAsked('write_file', { ...write, content: 'c', path: 'c.txt' })).asked).toBe(true);
  expect((await bench.isAsked('write_file', { path: 'd.txt', content: 'b' }, { sessionId: 'two' })).asked).toBe(true);
  expect((await bench.isAsked('write_file', write)).asked).toBe(false);
  expect(bench.gate.orchestrator.askAgain(first)).toBe(true);
  expect(bench.gate.orchestrator.askAgain(first)).toBe(false);
  await bench.deny('write_file', write);
  const { settled } = await bench.isAsked('write_file', write);
  expect(bench.gate.orchestrator.askAgain(settled?.summary.callId ?? '')).toBe(true);
  await bench.deny('write_file', write);
  bench.pass(9 * MINUTE);
  expect((await bench.isAsked('write_file', write)).asked).toBe(false);
  bench.pass(2 * MINUTE);
  expect((await bench.isAsked('write_file', write)).asked).toBe(true);
});

test('What it was judged on is other: it is asked about', async () => {
  const bench = await gateOn();
  const patch: JsonObject = { patch: 'LP1\nF a.txt\nR\none\n.\ntwo\n.\nEND\n' };
  const read = () => bench.submit('read_file', { path: 'a.txt' }).settled;
  await read();
  await bench.deny('apply_patch', patch);
  expect((await bench.isAsked('apply_patch', patch)).asked).toBe(false);
  writeFileSync(join(bench.gate.workspace, 'a.txt'), 'one\nmore\n');
  await read();
  expect((await bench.isAsked('apply_patch', patch)).asked).toBe(true);
  await bench.deny('write_file', write);
  bench.gate.config = defaultConfig({ timeouts: { file_operations_seconds: 7 } });
  await bench.gate.configChanged();
  expect((await bench.isAsked('write_file', write)).asked).toBe(true);
});

test('Never for Compose: the person asks as often as they like', async () => {
  const bench = await gateOn();
  await bench.deny('write_file', write, { door: 'compose' });
  expect((await bench.isAsked('write_file', write, { door: 'compose' })).asked).toBe(true);
});
