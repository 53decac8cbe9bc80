import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate, testFolder } from './gate.test-support.js';

const key = new Uint8Array(32).fill(7);

async function gateOn(files: Readonly<Record<string, string>> = {}, sealingKey: Uint8Array | null = key) {
  const workspace = testFolder('workspace');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(workspace, name, '..'), { recursive: true });
    writeFileSync(join(workspace, name), content);
  }
  return openTestGate({
    tools: [readFileTool, writeFileTool, applyPatchTool],
    workspace,
    config: collecting(),
    ...(sealingKey === null ? {} : { sealingKey }),
  });
}
const collecting = () => {
  const { approval, sandbox } = defaultConfig().tools;
  return defaultConfig({
    approval: { ...approval, edits: 'collect' },
    sandbox: { ...sandbox, allow_absolute: true },
  });
};
type Gate = Awaited<ReturnType<typeof gateOn>>;

const patch = (path: string, from: string, to: string): JsonObject => ({
  patch: `LP1\nF ${path}\nR\n${from}\n.\n${to}\n.\nEND\n`,
});
const agents = { door: 'mcp', client: 'codex 1' } as const;

/** What became of it at once; that it asks is seen on its sheet, which is then denied. */
async function asks(gate: Gate, tool: string, args: JsonObject): Promise<string | null> {
  const batch = gate.submit([{ tool, arguments: args }], agents);
  const why = await Promise.race([
    batch.settled.then(() => null),
    gate.sheet(batch).then(({ calls }) => calls[0]?.why ?? ''),
  ]);
  if (why !== null) await gate.decide(batch, { kind: 'deny-all' });
  await batch.settled;
  return why;
}

async function settle(gate: Gate, tool: string, args: JsonObject) {
  const [settled] = await gate.submit([{ tool, arguments: args }], agents).settled;
  if (settled === undefined) throw new Error('nothing settled');
  return settled;
}

test('A patch of two files of one folder is judged on these alone, and collects', async () => {
  const gate = await gateOn({ 'src/a.txt': 'one\n', 'src/b.txt': 'one\n', 'top.txt': 'one\n', 'next.txt': 'one\n' });
  const committed: JournalEvent[] = [];
  gate.journal.onCommit((events) => committed.push(...events));
  const change = (path: string) => `F ${path}\nR\none\n.\ntwo\n.\n`;
  for (const paths of [
    ['src/a.txt', 'src/b.txt'],
    ['top.txt', 'next.txt'],
  ]) {
    const args = { patch: `LP1\n${paths.map(change).join('')}END\n` };
    expect(await asks(gate, 'apply_patch', args)).toBeNull();
  }
  const judged = committed.flatMap((event) =>
    event.type === 'call-authorized' ? [event.grant.judgement?.files ?? []] : [],
  );
  expect(judged.map((files) => files.map(({ relative }) => relative))).toEqual([
    ['src/a.txt', 'src/b.txt'],
    ['top.txt', 'next.txt'],
  ]);
});

test('An edit inside the folder is made at once, by its rule, and can be undone', async () => {
  const gate = await gateOn({ 'a.txt': 'one\n' });
  const committed: JournalEvent[] = [];
  gate.journal.onCommit((events) => committed.push(...events));
  await settle(gate, 'read_file', { path: 'a.txt' });
  for (const [tool, args] of [
    ['apply_patch', patch('a.txt', 'one', 'two')],
    ['write_file', { path: 'new/b.txt', content: 'b' }],
  ] as const) {
    const { failure, result, summary } = await settle(gate, tool, args);
    expect(failure).toBeNull();
    expect(result.changedFiles).toMatchObject([{ undoable: true }]);
    expect(summary.state).toBe('COMPLETED');
    const grants = committed.flatMap((event) => (event.type === 'call-authorized' ? [event] : []));
    expect(grants.find(({ callId }) => callId === summary.callId)?.grant).toMatchObject({
      by: 'policy',
      from: { layer: 'settings', id: 'settings.collect' },
    });
  }
  expect(readFileSync(join(gate.workspace, 'a.txt'), 'utf8')).toBe('two\n');
});

test('An absolute path inside the folder is shown, recorded and used as its relative form', async () => {
  const gate = await gateOn({ 'src/a.txt': 'one\n' });
  const asked = join(gate.workspace, 'src/a.txt');
  expect((await settle(gate, 'read_file', { path: asked })).summary.summary).toBe('Read src/a.txt');
  const { summary, result } = await settle(gate, 'apply_patch', patch(asked, 'one', 'two'));
  expect(summary.summary).not.toContain(gate.workspace);
  expect(result.content).toBe('modified: src/a.txt');
  expect(result.changedFiles).toMatchObject([{ path: 'src/a.txt' }]);
});

test.each([
  ['a control file', 'write_file', { path: '.envrc', content: 'x' }],
  ['a control file by its absolute name', 'write_file', { path: '/.vscode/tasks.json', content: '{}' }],
  ['a file of secrets', 'write_file', { path: '.env', content: 'A=1' }],
] as const)('%s asks all the same', async (_what, tool, args) => {
  const gate = await gateOn();
  const path = args.path.startsWith('/') ? join(gate.workspace, args.path) : args.path;
  expect(await asks(gate, tool, { ...args, path })).toMatch(/other programs run|a file of secrets/);
});

test('What is not kept for undo asks: with a finding and no key store', async () => {
  const secret = `token = "ghp_${'a1B2'.repeat(9)}"\n`;
  const without = await gateOn({ 'a.ini': `${secret}x=1\n`, 'b.ini': 'x=1\n' }, null);
  await settle(without, 'read_file', { path: 'a.ini' });
  await settle(without, 'read_file', { path: 'b.ini' });
  expect(await asks(without, 'apply_patch', patch('a.ini', 'x=1', 'x=2'))).toContain('couldn’t be restored');
  expect(await asks(without, 'apply_patch', patch('b.ini', 'x=1', 'x=2'))).toBeNull();
  const kept = await gateOn({ 'a.ini': `${secret}x=1\n` });
  await settle(kept, 'read_file', { path: 'a.ini' });
  expect(await asks(kept, 'apply_patch', patch('a.ini', 'x=1', 'x=2'))).toBeNull();
});

test('Between plan and act: settings that ask again, a link in its place, a folder’s link', async () => {
  const gate = await gateOn({ 'a.txt': 'one\n', 'dir/x': '' });
  await settle(gate, 'read_file', { path: 'a.txt' });
  const outside = testFolder('outside');
  const swaps: readonly (readonly [string, () => void, JsonObject])[] = [
    ['NoDecision', () => (gate.config = defaultConfig()), { path: 'c.txt', content: 'c' }],
    [
      'PathOutsideSandbox',
      () => {
        rmSync(join(gate.workspace, 'dir'), { recursive: true });
        symlinkSync(outside, join(gate.workspace, 'dir'));
      },
      { path: 'dir/c.txt', content: 'c' },
    ],
  ];
  for (const [code, swap, args] of swaps) {
    gate.config = collecting();
    await gate.configChanged();
    let isDone = false;
    gate.journal.onCommit((events) => {
      if (isDone || !events.some(({ type }) => type === 'call-authorized')) return;
      isDone = true;
      swap();
      void gate.configChanged();
    });
    const { failure } = await settle(gate, 'write_file', args);
    expect(isDone).toBe(true);
    expect(failure?.code).toBe(code);
    expect(existsSync(join(gate.workspace, 'c.txt'))).toBe(false);
    expect(existsSync(join(outside, 'c.txt'))).toBe(false);
  }
});

test('A workspace where edits ask asks', async () => {
  const gate = await gateOn();
  gate.config = defaultConfig();
  await gate.configChanged();
  expect(await asks(gate, 'write_file', { path: 'c.txt', content: 'c' })).toContain('review changes');
});

test('Closing waits until what an edit keeps for undo is in its place, though its answer was given before', async () => {
  const tidying = Promise.withResolvers<void>();
  const seen: string[] = [];
  const gate = await openTestGate({
    tools: [writeFileTool],
    config: collecting(),
    onStep: async (step) => {
      if (step !== 'settle') return;
      await tidying.promise;
      seen.push('tidied');
    },
  });
  await settle(gate, 'write_file', { path: 'new.txt', content: 'made\n' });
  const closed = gate.close().then(() => seen.push('closed'));
  await new Promise((resolve) => setImmediate(resolve));
  tidying.resolve();
  await closed;
  expect(seen).toEqual(['tidied', 'closed']);
});
