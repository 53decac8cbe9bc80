import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type * as apply from '../../domain/lp1/apply.js';
import type * as parse from '../../domain/lp1/parse.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate } from './gate.test-support.js';

/** How often a patch was parsed, and how often one of its files was made. */
const counts = { parsed: 0, made: 0 };
vi.mock('../../domain/lp1/parse.js', async (load) => {
  const real = await load<typeof parse>();
  return { ...real, parsePatch: (text: string) => ((counts.parsed += 1), real.parsePatch(text)) };
});
vi.mock('../../domain/lp1/apply.js', async (load) => {
  const real = await load<typeof apply>();
  const applyOperations: typeof apply.applyOperations = (...of) => ((counts.made += 1), real.applyOperations(...of));
  return { ...real, applyOperations };
});
beforeEach(() => Object.assign(counts, { parsed: 0, made: 0 }));

const section = (name: string) => `F ${name}\nR\nmine\n.\ntheirs\n.\n`;
const patch = (...names: readonly string[]) => ({
  tool: 'apply_patch',
  arguments: { patch: `LP1\n${names.map(section).join('')}END\n` },
});

async function openGate(approval: object) {
  const gate = await openTestGate({
    tools: [any(applyPatchTool), any(readFileTool)],
    config: defaultConfig({ approval }),
  });
  const read = async (...names: readonly string[]) => {
    for (const path of names) await gate.run({ tool: 'read_file', arguments: { path } });
  };
  const write = (name: string, text: string) => writeFileSync(join(gate.workspace, name), text);
  for (const name of ['a.txt', 'b.txt']) write(name, 'mine\n');
  await read('a.txt', 'b.txt');
  return { ...gate, read, write, text: (name: string) => readFileSync(join(gate.workspace, name), 'utf8') };
}

test.each([
  ['a person approves it', {}],
  ['a rule lets it run', { confirmed: [{ tool: 'apply_patch' }] }],
])('A patch is parsed once, and each of its files made once, for its sheet and its run, where %s', async (_, rules) => {
  const gate = await openGate(rules);
  const batch = gate.submit([patch('a.txt', 'b.txt')]);
  if (!('confirmed' in rules)) await gate.decide(batch, { kind: 'approve-all' });
  const [settled] = await batch.settled;
  expect(settled?.failure).toBeNull();
  expect(gate.text('a.txt') + gate.text('b.txt')).toBe('theirs\ntheirs\n');
  expect(counts).toEqual({ parsed: 1, made: 2 });
});

test('Only the file that is another by then is made anew', async () => {
  const gate = await openGate({});
  const batch = gate.submit([patch('a.txt', 'b.txt')]);
  await gate.sheet(batch);
  expect(counts.made).toBe(2);
  gate.write('b.txt', 'one\nmine\n');
  await gate.read('b.txt');
  await expect(gate.decide(batch, { kind: 'approve-all' })).rejects.toThrow('changed while you were deciding');
  expect(counts.made).toBe(3);
  await gate.decide(batch, { kind: 'approve-all' });
  const [settled] = await batch.settled;
  expect(settled?.failure).toBeNull();
  expect(gate.text('b.txt')).toBe('one\ntheirs\n');
  expect(counts).toEqual({ parsed: 1, made: 3 });
});
