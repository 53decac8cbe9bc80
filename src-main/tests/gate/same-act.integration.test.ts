import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { answerTo } from './answers.test-support.js';
import { codes, openTestGate, type TestGate } from './gate.test-support.js';

const asked = (agent: string) => ({ door: 'mcp', client: `${agent} 1`, agent, sessionId: agent }) as const;
const write = (path: string) => ({ tool: 'write_file', arguments: { path, content: `${path}\n` } });
const patch = (path: string) => ({
  tool: 'apply_patch',
  arguments: { patch: `LP1\nF ${path}\nR\none\n.\ntwo\n.\nEND\n` },
});

const gateOn = () => openTestGate({ tools: [readFileTool, writeFileTool, applyPatchTool] });

/** A sheet is drawn, then this happens, then it is approved as it was drawn. */
async function approvedAfter(
  gate: TestGate,
  call: ReturnType<typeof write> | ReturnType<typeof patch>,
  meanwhile: () => Promise<void> | void,
) {
  const batch = gate.submit([call], asked('codex'));
  const sheet = await gate.sheet(batch);
  await meanwhile();
  gate.read();
  const answer = await gate.desk.decide(answerTo(sheet, 'approve-all'));
  return { batch, sheet, answer, waits: () => gate.sheets().filter(({ batchId }) => batchId === batch.batchId) };
}

it.each(['new/two.txt', 'new/deep/er/two.txt', '.github/workflows/two.yml'])(
  'two agents each make a file in a folder that is not there yet, the other %s: both approvals count',
  async (path) => {
    const gate = await gateOn();
    const first = gate.submit([write(path.replace('two', 'one'))], asked('claude'));
    await gate.sheet(first);
    const { answer, batch } = await approvedAfter(gate, write(path), async () => {
      await gate.decide(first, { kind: 'approve-all' });
      expect(codes(await first.settled)).toEqual([null]);
    });
    expect(answer.ok).toBe(true);
    expect(codes(await batch.settled)).toEqual([null]);
    expect(readFileSync(join(gate.workspace, path), 'utf8')).toBe(`${path}\n`);
  },
);

it('a folder that somebody else makes, or takes away, is no other question', async () => {
  const gate = await gateOn();
  const made = await approvedAfter(gate, write('new/a.txt'), () => mkdirSync(join(gate.workspace, 'new')));
  expect(made.answer.ok).toBe(true);
  expect(codes(await made.batch.settled)).toEqual([null]);
  mkdirSync(join(gate.workspace, 'empty'));
  const gone = await approvedAfter(gate, write('empty/a.txt'), () =>
    rmSync(join(gate.workspace, 'empty'), { recursive: true }),
  );
  expect(gone.answer.ok).toBe(true);
  expect(codes(await gone.batch.settled)).toEqual([null]);
});

it('a file that was touched and holds the same bytes is no other question', async () => {
  const gate = await gateOn();
  writeFileSync(join(gate.workspace, 'a.txt'), 'one\n');
  await gate.run({ tool: 'read_file', arguments: { path: 'a.txt' } });
  const batch = gate.submit([patch('a.txt')]);
  const sheet = await gate.sheet(batch);
  writeFileSync(join(gate.workspace, 'a.txt'), 'one\n');
  gate.read();
  expect((await gate.desk.decide(answerTo(sheet, 'approve-all'))).ok).toBe(true);
  expect(codes(await batch.settled)).toEqual([null]);
});

it.each<[string, (workspace: string) => void]>([
  [
    'another folder in the place of one that was there',
    (workspace) => {
      renameSync(join(workspace, 'd'), join(workspace, 'd.real'));
      renameSync(join(workspace, '.vscode'), join(workspace, 'd'));
    },
  ],
  [
    'another folder in the place of one above, with more in it',
    (workspace) => {
      renameSync(join(workspace, 'd'), join(workspace, 'd.real'));
      mkdirSync(join(workspace, 'd/new'), { recursive: true });
    },
  ],
  ['a link where there was nothing', (workspace) => symlinkSync('../.vscode', join(workspace, 'd/new'))],
])('%s is another question', async (_what, swap) => {
  const gate = await gateOn();
  for (const folder of ['d', '.vscode']) mkdirSync(join(gate.workspace, folder));
  const { answer, batch, waits } = await approvedAfter(gate, write('d/new/a.txt'), () => swap(gate.workspace));
  expect(answer.ok).toBe(false);
  expect(existsSync(join(gate.workspace, 'd/new/a.txt'))).toBe(false);
  batch.cancel();
  await batch.settled;
  expect(waits()).toEqual([]);
});

it('what can only fail by now is answered at once, and nothing is asked again', async () => {
  const gate = await gateOn();
  const there = await approvedAfter(gate, write('a.txt'), () => writeFileSync(join(gate.workspace, 'a.txt'), 'mine\n'));
  expect(there.answer).toMatchObject({
    ok: false,
    problem: 'stale',
    message: expect.stringContaining('already exists'),
  });
  expect(there.waits()).toEqual([]);
  expect(codes(await there.batch.settled)).toEqual(['ExecutionFailed']);
  expect(readFileSync(join(gate.workspace, 'a.txt'), 'utf8')).toBe('mine\n');

  writeFileSync(join(gate.workspace, 'b.txt'), 'one\n');
  await gate.run({ tool: 'read_file', arguments: { path: 'b.txt' } });
  const batch = gate.submit([patch('b.txt')]);
  const sheet = await gate.sheet(batch);
  writeFileSync(join(gate.workspace, 'b.txt'), 'other\n');
  gate.read();
  const answer = await gate.desk.decide(answerTo(sheet, 'approve-all'));
  expect(answer).toMatchObject({ ok: false, problem: 'stale' });
  expect(gate.sheets()).toEqual([]);
  expect(codes(await batch.settled)).toEqual(['StaleFile']);
});
