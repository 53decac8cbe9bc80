import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { openTestRunner } from '../../process/process.test-support.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { CONFINES } from './confinement.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, states } from './gate.test-support.js';

/** What could only fail is answered at once, with what running it gives; what may yet work is asked about. */
async function gateOn() {
  const runner = await openTestRunner();
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const leftovers = { isInDoubt: () => false, mayBeShared: () => [], finds: runner.runner.finds.bind(runner.runner) };
  const gate = await openTestGate({
    tools: [
      readFileTool,
      writeFileTool,
      applyPatchTool,
      runCommandTool(createCommandReader(), leftovers, runner.watch),
    ],
    workspace: runner.workspace,
    config: defaultConfig({ approval: { denylist: [] }, run_command: { confinement: 'required' } }),
    parts: { commands: runner.runner, confinement: () => CONFINES },
  });
  writeFileSync(join(runner.workspace, 'a.txt'), 'one\n');
  return gate;
}
type Gate = Awaited<ReturnType<typeof gateOn>>;
type Wanted = { readonly tool: string; readonly arguments: JsonObject };

const patch = (path: string, from = 'one'): Wanted => ({
  tool: 'apply_patch',
  arguments: { patch: `LP1\nF ${path}\nR\n${from}\n.\ntwo\n.\nEND\n` },
});
const write = (path: string): Wanted => ({ tool: 'write_file', arguments: { path, content: 'x' } });
const read = (path: string): Wanted => ({ tool: 'read_file', arguments: { path } });
const command = (text: string): Wanted => ({ tool: 'run_command', arguments: { command: text } });

/** The calls that were asked about, by their places. A sheet is approved. */
async function asked(gate: Gate, calls: readonly Wanted[]) {
  const batch = gate.submit(calls);
  const ids = batch.calls.map(({ callId }) => callId);
  const sheet = await Promise.race([batch.settled.then(() => null), gate.sheet(batch)]);
  const places = (sheet?.calls ?? []).map(({ callId }) => ids.indexOf(callId));
  if (sheet !== null) await gate.decide(batch, { kind: 'approve-all' });
  return { places, settled: await batch.settled };
}

test.each<[string, Wanted, string]>([
  ['a file that is there is not written again', write('a.txt'), 'ExecutionFailed'],
  ['a file that was not read is not patched', patch('a.txt'), 'StaleFile'],
  ['a patch of what is not there', patch('nothing.txt'), 'PatchFailed'],
  ['a file of secrets that is not there', read('.env'), 'ExecutionFailed'],
])('%s: nobody is asked', async (_what, call, code) => {
  const gate = await gateOn();
  const { places, settled } = await asked(gate, [call]);
  expect(places).toEqual([]);
  expect(codes(settled)).toEqual([code]);
  expect(states(settled)).toEqual(['ROLLED_BACK']);
});

test('a patch that no longer fits what was read', async () => {
  const gate = await gateOn();
  await gate.run(read('a.txt'));
  expect((await asked(gate, [patch('a.txt', 'other')])).places).toEqual([]);
  writeFileSync(join(gate.workspace, 'a.txt'), 'changed\n');
  const { settled } = await asked(gate, [patch('a.txt')]);
  expect(codes(settled)).toEqual(['StaleFile']);
});

test('What an earlier call of the batch may yet make work, or keep from failing, is asked about', async () => {
  const gate = await gateOn();
  const batches: readonly (readonly Wanted[])[] = [
    [write('new.txt'), patch('new.txt', 'x')],
    [read('a.txt'), patch('a.txt')],
    [command('touch made.txt'), patch('made.txt')],
    [write('b.txt'), write('b.txt')],
  ];
  for (const calls of batches) {
    const { places } = await asked(gate, calls);
    expect(places, JSON.stringify(calls)).toContain(1);
  }
  expect(readFileSync(join(gate.workspace, 'new.txt'), 'utf8')).toBe('two');
});

test('What an earlier call has nothing to do with is answered at once', async () => {
  const gate = await gateOn();
  const { places, settled } = await asked(gate, [write('c.txt'), write('a.txt')]);
  expect(places).toEqual([0]);
  expect(codes(settled)).toEqual([null, 'ExecutionFailed']);
});

test.each([
  ['not-a-program-anywhere --help', true],
  ['ls', false],
  ['cd src', false],
  ['./missing.sh', false],
  ['not-a-program-anywhere || true', false],
  ['PATH=/opt/x not-a-program-anywhere', false],
])('a command is doomed only where its program is not found: %s', async (text, isDoomed) => {
  const gate = await gateOn();
  const { places, settled } = await asked(gate, [command(text)]);
  expect(places).toEqual(isDoomed ? [] : [0]);
  if (isDoomed) {
    expect(settled[0]?.failure).toMatchObject({ code: 'ExecutionFailed', message: expect.stringContaining('127') });
    expect(states(settled)).toEqual(['ABORTED']);
  }
});
