import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { SECRETS } from '../../domain/text/secrets/samples.test-support.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { detailsOf } from './call-details.test-support.js';
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

async function settle(gate: Gate, tool: string, args: JsonObject) {
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

test.each(['.env.local', '.env.production', 'app/.env.test', '.envrc'])(
  '%s asks too, and gives no value, whatever its names are',
  async (path) => {
    const gate = await gateOn({ [path]: 'A=kxqzwjvh\nexport B="two words"\nC=false\nD=\nE=12\n#F=old-one\n' });
    const batch = gate.submit([{ tool: 'read_file', arguments: { path } }]);
    expect((await gate.sheet(batch)).calls).toMatchObject([{ risk: 'high' }]);
    await gate.decide(batch, { kind: 'approve-all' });
    expect((await batch.settled)[0]?.result).toMatchObject({
      content: 'A=[redacted]\nexport B="[redacted]"\nC=false\nD=\nE=12\n#F=[redacted]\n',
      redactions: 3,
    });
  },
);

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

test('A mark that stands in the file for itself does not let another stand for a value', async () => {
  const gate = await gateOn({ 'both.ini': '# “[redacted]” stands for what is hidden\npassword=hunter2-and-more\n' });
  await settle(gate, 'read_file', { path: 'both.ini' });
  const patch = (find: string, becomes: string): string => `LP1\nF both.ini\nR\n${find}\n.\n${becomes}\n.\nEND\n`;
  const comment = '# “[redacted]” stands for what is hidden';
  for (const [find, becomes] of [
    ['password=[redacted]', 'password=x'],
    ['password=hunter2-and-more', 'password=[redacted]'],
    [comment, `${comment}\npassword=[redacted]`],
  ] as const) {
    expect((await settle(gate, 'apply_patch', { patch: patch(find, becomes) })).failure, becomes).toMatchObject({
      code: 'PatchFailed',
      message: expect.stringContaining('[redacted]') as string,
    });
  }
  const reworded = patch(comment, '# It says “[redacted]” there');
  expect((await settle(gate, 'apply_patch', { patch: reworded })).failure).toBeNull();
});

test('A patch of what was shown without its secret still goes by the file’s real content', async () => {
  const gate = await gateOn({ 'a.ini': 'name=x\npassword=hunter2\n' });
  await settle(gate, 'read_file', { path: 'a.ini' });
  const patch = 'LP1\nF a.ini\nR\nname=x\n.\nname=y\n.\nEND\n';
  expect((await settle(gate, 'apply_patch', { patch })).failure).toBeNull();
});

const lineOfKey = (at: number): string => `${at}q7ZxW2`.padEnd(64, 'MIIEpAIBAAKCAQEA');
/** Put together here, so that no scanner takes this file for a leak. */
const edge = (word: string): string => ['-----', word, ' RSA PRIVATE', ' KEY-----'].join('');
const KEY = [edge('BEGIN'), ...Array.from({ length: 40 }, (_, at) => lineOfKey(at)), edge('END')];

test('A line says no more by itself than in its file: what stands around it is judged with it', async () => {
  const noise = Array.from({ length: 3000 }, (_, at) => `line ${at} of many that say nothing`);
  const block = ['api_key: |', '  first-of-two', '  second-of-two', 'next: x'];
  const list = ['passwords:', '  - alpha-1', '  - bravo-2'];
  const lines = [...noise, ...KEY, ...noise, ...block, ...list, ...noise];
  const gate = await gateOn({ 'server.txt': `${lines.join('\n')}\n` });
  const read = async (start: number, end: number): Promise<string> => {
    const settled = await settle(gate, 'read_file', { path: 'server.txt', start_line: start, end_line: end });
    expect(settled.failure).toBeNull();
    return settled.result.content;
  };
  const key = noise.length + 1;
  for (const [start, end] of [
    [key + 1, key + 1],
    [key + 1, key + 7],
    [key + 39, key + 40],
    [key - 2, key + 3],
  ] as const)
    expect(await read(start, end)).not.toMatch(/q7ZxW2|MIIE/u);
  expect(await read(key - 2, key + 3)).toBe(`${noise.slice(-2).join('\n')}\n[redacted]`);
  expect(await read(key + 41, key + 43)).toBe(`[redacted]\n${noise.slice(0, 2).join('\n')}\n`);
  const below = 2 * noise.length + KEY.length + 1;
  expect(await read(below + 1, below + 1)).toBe('  [redacted]');
  expect(await read(below + 2, below + 2)).toBe('[redacted]\n');
  expect(await read(below + 2, below + 3)).toBe('[redacted]\nnext: x\n');
  expect(await read(below + 5, below + 6)).toBe('  - [redacted]\n  - [redacted]\n');
  expect(await read(key + 60, key + 61)).toBe(`${noise.slice(18, 20).join('\n')}\n`);
});

test('Nothing that is blotted out in its file is given a line at a time', async () => {
  const texts = SECRETS.map(([, text]) => text);
  const files = Object.fromEntries(texts.map((text, at) => [`${at}.txt`, `before\n${text}\nafter\n`]));
  const gate = await gateOn(files);
  for (const [at, [name, text, ...secrets]] of SECRETS.entries()) {
    const parts: string[] = [];
    for (let line = 1; line <= text.split('\n').length + 2; line += 1) {
      const args = { path: `${at}.txt`, start_line: line, end_line: line };
      parts.push((await settle(gate, 'read_file', args)).result.content);
    }
    for (const secret of secrets) expect(parts.join(''), name).not.toContain(secret);
    expect(parts.join(''), name).toMatch(/^before\n[^]*\nafter\n$/u);
  }
});

test('Of a file of secrets a line goes by the whole file as well', async () => {
  const gate = await gateOn({ '.env.local': 'A="one\n# two\nthree"\nB=4\nC=five\nKEY=|\n' });
  const shown: string[] = [];
  for (let line = 1; line <= 5; line += 1) {
    const batch = gate.submit([
      { tool: 'read_file', arguments: { path: '.env.local', start_line: line, end_line: line } },
    ]);
    await gate.sheet(batch);
    await gate.decide(batch, { kind: 'approve-all' });
    shown.push((await batch.settled)[0]?.result.content ?? '');
  }
  expect(shown).toEqual(['A="[redacted]\n', '[redacted]\n', '[redacted]"\n', 'B=4\n', 'C=[redacted]\n']);
});

test('A link whose name is that of a file of secrets is one, as is a link to one', async () => {
  const gate = await gateOn({ 'real.txt': ENV, '.env': ENV });
  symlinkSync('real.txt', join(gate.workspace, '.env.link'));
  symlinkSync('.env', join(gate.workspace, 'plain.txt'));
  for (const path of ['.env.link', 'plain.txt']) {
    const batch = gate.submit([{ tool: 'read_file', arguments: { path } }]);
    expect((await gate.sheet(batch)).calls).toMatchObject([{ risk: 'high', secrets: [path] }]);
    await gate.decide(batch, { kind: 'approve-all' });
    expect((await batch.settled)[0]?.result.content).toContain('API_KEY=[redacted]');
  }
});

test.each(['.env.example', 'app/.env.sample', '.env.template'])(
  '%s asks only where something is found in it, or in what it is to hold',
  async (path) => {
    const gate = await gateOn({
      [path]: 'API_KEY=\nNAME=some words\n',
      'x/.env.example': 'API_KEY=q8Zk2mPw1xYv\nA=word\n',
    });
    expect((await settle(gate, 'read_file', { path })).result.content).toBe('API_KEY=\nNAME=some words\n');
    const asked = [
      { tool: 'read_file', arguments: { path: 'x/.env.example' } },
      { tool: 'write_file', arguments: { path: 'y/.env.template', content: 'API_KEY=q8Zk2mPw1xYv\n' } },
      { tool: 'apply_patch', arguments: { patch: `LP1\nF ${path}\nR\nAPI_KEY=\n.\nAPI_KEY=q8Zk2mPw1xYv\n.\nEND\n` } },
    ];
    for (const call of asked) {
      const batch = gate.submit([call]);
      expect((await gate.sheet(batch)).calls, call.tool).toMatchObject([{ risk: 'high' }]);
      await gate.decide(batch, { kind: 'approve-all' });
      const [settled] = await batch.settled;
      if (call.tool === 'read_file') expect(settled?.result.content).toBe('API_KEY=[redacted]\nA=[redacted]\n');
    }
    expect((await settle(gate, 'write_file', { path: 'z/.env.example', content: 'A=\n' })).failure).toBeNull();
  },
);

test('Revealed by the person for this call, its caller gets the values; what is recorded has none', async () => {
  const gate = await gateOn({ '.env': ENV, 'b/.env': 'B=other-value\n' });
  const batch = gate.submit([
    { tool: 'read_file', arguments: { path: '.env' } },
    { tool: 'read_file', arguments: { path: 'b/.env' } },
  ]);
  const sheet = await gate.sheet(batch);
  expect(sheet.calls).toMatchObject([{ secrets: ['.env'] }, { secrets: ['b/.env'] }]);
  const [first] = batch.calls;
  if (first === undefined) throw new Error('two calls');
  await gate.decide(batch, { kind: 'approve-all' }, { reveals: new Set([first.callId]) });
  const [read, other] = await batch.settled;
  expect(read?.result).toMatchObject({ content: ENV, redactions: 1, outputBytes: ENV.length, outputBytesLeftOut: 0 });
  expect(other?.result.content).toBe('B=[redacted]\n');
  expect(Object.keys(read?.result ?? {})).not.toContain('withheld');
  const [detail] = await detailsOf(gate.dataDir, [first.callId]);
  expect(detail).toMatchObject({ result: 'API_KEY=[redacted]\nDEBUG=true\nPORT=8080\n# a note\n', redactions: 1 });
  expect(detail?.capabilities).toContain('secrets.reveal');
  expect(detail?.events.map(({ note }) => note)).toContain('Approved by you, with secrets revealed to its caller.');
  // For that call only.
  const again = gate.submit([{ tool: 'read_file', arguments: { path: '.env' } }]);
  await gate.sheet(again);
  await gate.decide(again, { kind: 'approve-all' });
  expect((await again.settled)[0]?.result.content).toContain('API_KEY=[redacted]');
});

test('Nothing is revealed that was not offered, or is not approved', async () => {
  const gate = await gateOn({ '.env': ENV, 'c.txt': 'x\n' });
  const batch = gate.submit([
    { tool: 'read_file', arguments: { path: '.env' } },
    { tool: 'write_file', arguments: { path: '.envrc', content: 'A=b\n' } },
  ]);
  const [read, write] = batch.calls;
  if (read === undefined || write === undefined) throw new Error('two calls');
  await expect(gate.decide(batch, { kind: 'approve-all' }, { reveals: new Set([write.callId]) })).rejects.toThrow(
    'Secrets can be revealed only',
  );
  await expect(
    gate.decide(batch, { kind: 'approve-selected', callIds: [write.callId] }, { reveals: new Set([read.callId]) }),
  ).rejects.toThrow('Secrets can be revealed only');
});
