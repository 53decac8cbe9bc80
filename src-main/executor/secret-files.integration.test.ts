import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyPatchTool } from '../tools/apply-patch/handler.js';
import { readFileTool } from '../tools/read-file/handler.js';
import { writeFileTool } from '../tools/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate, testFolder } from './gate.test-support.js';

const ENV = 'API_KEY=abc123\nDEBUG=true\nPORT=8080\n# a note\n';

async function gateOn(files: Readonly<Record<string, string>>, secrets: 'ask' | 'deny' = 'ask') {
  const workspace = testFolder('workspace');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(workspace, name, '..'), { recursive: true });
    writeFileSync(join(workspace, name), content);
  }
  const { approval } = defaultConfig().tools;
  return openTestGate({
    tools: [readFileTool, writeFileTool, applyPatchTool],
    workspace,
    config: defaultConfig({ approval: { ...approval, secrets, mode: 'auto', allowlist: ['read_file'] } }),
  });
}

type Gate = Awaited<ReturnType<typeof gateOn>>;

async function settle(gate: Gate, tool: string, args: Record<string, string>) {
  const [settled] = await gate.submit([{ tool, arguments: args }]).settled;
  if (settled === undefined) throw new Error('nothing settled');
  return settled;
}

test('Reading a file of secrets asks whatever mode and lists say, and gives names without values', async () => {
  const gate = await gateOn({ 'app/.env': ENV, 'a.txt': 'plain\n' });
  expect((await settle(gate, 'read_file', { path: 'a.txt' })).result.content).toBe('plain\n');
  const batch = gate.submit([{ tool: 'read_file', arguments: { path: 'app/.env' } }]);
  const sheet = await gate.sheet(batch);
  expect(sheet.calls).toMatchObject([{ risk: 'high' }]);
  await gate.decide(batch, { kind: 'approve-all' });
  const [read] = await batch.settled;
  expect(read?.result).toMatchObject({
    content: 'API_KEY=[redacted]\nDEBUG=true\nPORT=8080\n# a note\n',
    outputBytes: ENV.length,
    outputBytesLeftOut: 0,
    redactions: 1,
  });
});

test('Denied, it is a denied path, and nobody is asked', async () => {
  const gate = await gateOn({ '.env': ENV }, 'deny');
  for (const [tool, args] of [
    ['read_file', { path: '.env' }],
    ['write_file', { path: '.env.local', content: 'x' }],
    ['apply_patch', { patch: 'LP1\nF .env\nR\nPORT=8080\n.\nPORT=1\n.\nEND\n' }],
  ] as const) {
    expect((await settle(gate, tool, args)).failure?.code).toBe('DeniedPatternMatched');
  }
});

test('The mark is no value: what would put it into a file is refused before anybody is asked', async () => {
  const gate = await gateOn({ 'a.ini': 'password=hunter2\n', 'doc.md': 'It says [redacted] there.\n' });
  const shown = (await settle(gate, 'read_file', { path: 'a.ini' })).result.content;
  expect(shown).toBe('password=[redacted]\n');
  const patched = await settle(gate, 'apply_patch', {
    patch: 'LP1\nF a.ini\nR\npassword=[redacted]\n.\npassword=[redacted]\nuser=x\n.\nEND\n',
  });
  expect(patched.failure).toMatchObject({
    code: 'PatchFailed',
    message: expect.stringContaining('[redacted]') as string,
  });
  const written = await settle(gate, 'write_file', { path: 'b.ini', content: 'password=[redacted]\n' });
  expect(written.failure).toMatchObject({ code: 'BadArgs', message: expect.stringContaining('[redacted]') as string });
  await settle(gate, 'read_file', { path: 'doc.md' });
  const literal = 'LP1\nF doc.md\nR\nIt says [redacted] there.\n.\nIt said [redacted] there.\n.\nEND\n';
  expect((await settle(gate, 'apply_patch', { patch: literal })).failure).toBeNull();
});

test('A patch of what was shown without its secret still goes by the file’s real content', async () => {
  const gate = await gateOn({ 'a.ini': 'name=x\npassword=hunter2\n' });
  await settle(gate, 'read_file', { path: 'a.ini' });
  const patch = 'LP1\nF a.ini\nR\nname=x\n.\nname=y\n.\nEND\n';
  expect((await settle(gate, 'apply_patch', { patch })).failure).toBeNull();
});
