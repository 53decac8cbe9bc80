import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate } from './gate.test-support.js';

const tools = [any(writeFileTool), any(applyPatchTool), any(readFileTool)];
const write = (path: string, content = 'made') => ({ tool: 'write_file', arguments: { path, content } });

it('C4: a link put in the way after the sheet was drawn: what is approved is not written anywhere else', async () => {
  const gate = await openTestGate({ tools });
  mkdirSync(join(gate.workspace, 'd'));
  mkdirSync(join(gate.workspace, '.vscode'));
  const batch = gate.submit([write('d/tasks.json')]);
  await gate.sheet(batch);
  renameSync(join(gate.workspace, 'd'), join(gate.workspace, 'd.real'));
  symlinkSync('.vscode', join(gate.workspace, 'd'));
  await expect(gate.decide(batch, { kind: 'approve-all' })).rejects.toThrow('changed while you were deciding');
  expect((await gate.sheet(batch)).calls[0]).toMatchObject({ risk: 'high' });
});

it('M2: the file is another one by now: the old sheet approves nothing, and the new one shows the new text', async () => {
  const gate = await openTestGate({ tools });
  const file = join(gate.workspace, 'a.txt');
  const read = { tool: 'read_file', arguments: { path: 'a.txt' } };
  writeFileSync(file, 'one\nold\n');
  await gate.run(read);
  const patch = 'LP1\nF a.txt\nR\none\n.\ntwo\n.\nEND\n';
  const batch = gate.submit([{ tool: 'apply_patch', arguments: { patch } }]);
  const { calls } = await gate.sheet(batch);
  expect(calls[0]?.effect).toMatchObject({ kind: 'files' });
  writeFileSync(file, 'one\nnew\n');
  await gate.run(read);
  await expect(gate.decide(batch, { kind: 'approve-all' })).rejects.toThrow('changed while you were deciding');
  expect((await gate.sheet(batch)).calls[0]?.effect).toMatchObject({ files: [{ before: 'one\nnew\n' }] });
  expect(readFileSync(file, 'utf8')).toBe('one\nnew\n');
});

it('what was judged is kept with the authorisation', async () => {
  const gate = await openTestGate({ tools });
  const kept: unknown[] = [];
  gate.journal.onCommit((events) => kept.push(...events.filter(({ type }) => type === 'call-authorized')));
  const batch = gate.submit([write('a.txt')]);
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  const path = join(gate.workspace, 'a.txt');
  expect(kept).toMatchObject([
    { grant: { judgement: { files: [{ path, isControlFile: false }], shown: { [path]: null } } } },
  ]);
});

it('a batch that reads and then changes, or changes twice, is shown as it will be, and does that', async () => {
  const gate = await openTestGate({ tools });
  writeFileSync(join(gate.workspace, 'a.txt'), 'one\n');
  const patch = (text: string) => ({ tool: 'apply_patch', arguments: { patch: `LP1\n${text}END\n` } });
  const batch = gate.submit([
    { tool: 'read_file', arguments: { path: 'a.txt' } },
    patch('F a.txt\nR\none\n.\ntwo\n.\n'),
    patch('F a.txt\nR\ntwo\n.\nthree\n.\n'),
    write('new/b.txt', 'made\n'),
    patch('F new/b.txt\nR\nmade\n.\nmended\n.\n'),
  ]);
  const { calls } = await gate.sheet(batch);
  expect(calls.map(({ effect }) => (effect.kind === 'files' ? effect.files[0]?.after : effect))).toEqual([
    'two\n',
    'three\n',
    'made\n',
    'mended\n',
  ]);
  await gate.decide(batch, { kind: 'approve-all' });
  expect((await batch.settled).map(({ failure }) => failure)).toEqual([null, null, null, null, null]);
  expect(readFileSync(join(gate.workspace, 'a.txt'), 'utf8')).toBe('three\n');
  expect(readFileSync(join(gate.workspace, 'new/b.txt'), 'utf8')).toBe('mended\n');
});

it('what was shown on the assumption of an earlier change is not done where that one is denied', async () => {
  const gate = await openTestGate({ tools });
  const patch = 'LP1\nF new.txt\nR\nmade\n.\nmended\n.\nEND\n';
  const batch = gate.submit([write('new.txt', 'made\n'), { tool: 'apply_patch', arguments: { patch } }]);
  await gate.sheet(batch);
  const [, second] = batch.calls;
  await gate.decide(batch, { kind: 'approve-selected', callIds: [second?.callId ?? ''] });
  expect((await batch.settled).map(({ failure }) => failure?.code)).toEqual(['DeniedByPerson', 'PatchFailed']);
});
