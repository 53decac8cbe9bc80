import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate, testFolder } from './gate.test-support.js';
import { ControlTargets } from '../../workspace/watching/control/control-targets.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';

const write = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'made\n' } });
const patch = (path: string) => ({
  tool: 'apply_patch',
  arguments: { patch: `LP1\nF ${path}\nR\nmine\n.\ntheirs\n.\nEND\n` },
});

/** The gate with its real tools, where changing files by name was allowed for good. */
async function openGate(files: Readonly<Record<string, string>>, { folder = '', isAllowed = true } = {}) {
  const top = testFolder('repository');
  const home = testFolder('home');
  const workspace = join(top, folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), content);
  }
  let looks = 0;
  const ledTo = new ControlTargets({ hidden: [], home });
  const gate = await openTestGate({
    workspace,
    tools: [any(writeFileTool), any(applyPatchTool), any(readFileTool)],
    config: defaultConfig({
      approval: {
        confirmed: isAllowed ? [{ tool: 'write_file' }, { tool: 'apply_patch' }] : [],
      },
    }),
    parts: { bounds: () => ({ findControlTargets: (root) => ((looks += 1), ledTo.find(root)) }) },
  });
  const git = (...words: readonly string[]): void => {
    execFileSync('git', words, { cwd: top, stdio: 'pipe', env: { PATH: process.env['PATH'], HOME: home } });
  };
  const read = (path: string) => gate.run({ tool: 'read_file', arguments: { path } });
  /** Null where nobody was asked. */
  const asked = async (call: ReturnType<typeof write | typeof patch>): Promise<string | null> => {
    const batch = gate.submit([call]);
    const state = { isSettled: false };
    void batch.settled.then(() => (state.isSettled = true));
    const sheet = () => gate.sheets().find(({ batchId }) => batchId === batch.batchId);
    while (!state.isSettled && sheet() === undefined) await new Promise((resolve) => setImmediate(resolve));
    const first = sheet();
    if (first === undefined) return null;
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
    return first.calls[0]?.risk ?? null;
  };
  return { ...gate, top, git, read, asked, looks: () => looks };
}

it('N2: what the settings of Git name is asked about, High, whatever was allowed; reading looks at nothing', async () => {
  const gate = await openGate({ 'tools/hooks/pre-commit': 'mine\n', 'team.gitconfig': 'mine\n', 'a.txt': 'mine\n' });
  gate.git('init', '-q');
  gate.git('config', 'core.hooksPath', 'tools/hooks');
  gate.git('config', 'include.path', '../team.gitconfig');
  for (const path of ['tools/hooks/pre-commit', 'team.gitconfig', 'a.txt']) await gate.read(path);
  expect(gate.looks()).toBe(0);
  expect(await gate.asked(patch('tools/hooks/pre-commit'))).toBe('high');
  expect(await gate.asked(patch('team.gitconfig'))).toBe('high');
  expect(await gate.asked(write('tools/hooks/post-checkout'))).toBe('high');
  expect(await gate.asked(write('tools/other'))).toBeNull();
  expect(await gate.asked(patch('a.txt'))).toBeNull();
  expect(readFileSync(join(gate.top, 'a.txt'), 'utf8')).toBe('theirs\n');
  expect(readFileSync(join(gate.top, 'team.gitconfig'), 'utf8')).toBe('mine\n');
});

it('N2: settings that are otherwise by the time of the click are judged again', async () => {
  const gate = await openGate({ 'a.txt': 'mine\n', 'tools/x': '' }, { isAllowed: false });
  gate.git('init', '-q');
  const batch = gate.submit([write('tools/hooks/pre-commit')]);
  expect((await gate.sheet(batch)).calls[0]).toMatchObject({ risk: 'medium' });
  gate.git('config', 'core.hooksPath', 'tools/hooks');
  await expect(gate.decide(batch, { kind: 'approve-all' })).rejects.toThrow('changed while you were deciding');
  expect((await gate.sheet(batch)).calls[0]).toMatchObject({ risk: 'high' });
});

it('N1: no repository is made file by file without being asked, nor at the top of a folder that has none', async () => {
  const gate = await openGate({ 'app/sub/x': '' }, { folder: 'app' });
  for (const path of ['HEAD', 'config', 'hooks/post-checkout', 'commondir', 'sub2/HEAD']) {
    expect(await gate.asked(write(path)), path).toBe('high');
  }
  for (const path of ['sub/config', 'sub/refs/x', 'objects/x', 'config.txt']) {
    expect(await gate.asked(write(path)), path).toBeNull();
  }
  writeFileSync(join(gate.top, 'app/sub/HEAD'), 'ref: refs/heads/main\n');
  for (const path of ['sub/config.worktree', 'sub/refs/y', 'sub/objects/x', 'sub/hooks/x']) {
    expect(await gate.asked(write(path)), path).toBe('high');
  }
});

it('N1: in one batch the HEAD is asked about, and what was judged without it is not made beside it', async () => {
  const gate = await openGate({ 'x.txt': '' });
  gate.git('init', '-q');
  const batch = gate.submit([write('d/HEAD'), write('d/config')]);
  await gate.sheet(batch);
  await gate.decide(batch, { kind: 'approve-all' });
  const settled = await batch.settled;
  const states = settled.map(({ summary }) => summary.state);
  expect(settled[1]?.failure?.message).toContain('what other programs make of it');
  expect(states).toEqual(['COMPLETED', 'DENIED']);
  expect(existsSync(join(gate.top, 'd/config'))).toBe(false);
});

it.each(['a.txt', '.env'])(
  'a patch of %s is shown as if what stands before it in its batch had run, the reading of its file too',
  async (path) => {
    const gate = await openGate({ [path]: 'mine\n' }, { isAllowed: false });
    const batch = gate.submit([{ tool: 'read_file', arguments: { path } }, patch(path)]);
    const { calls } = await gate.sheet(batch);
    // To read what may hold secrets is asked about, too.
    expect(calls).toHaveLength(path === '.env' ? 2 : 1);
    expect(calls.at(-1)?.effect).toMatchObject({ files: [{ before: 'mine\n', after: 'theirs\n' }] });
    await gate.decide(batch, { kind: 'approve-all' });
    expect((await batch.settled).map(({ failure }) => failure)).toEqual([null, null]);
    expect(readFileSync(join(gate.top, path), 'utf8')).toBe('theirs\n');
  },
);

it('the next sheet of an asker is previewed on what was approved on the one before, and on nothing that was denied', async () => {
  const gate = await openGate({ 'a.txt': '' }, { isAllowed: false });
  const joined = { door: 'mcp', sessionId: 's', joinable: true } as const;
  const mine = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'mine\n' } });
  const before = gate.submit([mine('made.txt'), mine('other.txt')], joined);
  await gate.sheet(before);
  const after = gate.submit([patch('made.txt'), patch('other.txt')], joined);
  await expect.poll(async () => (await gate.sheet(before)).behind.length).toBe(2);
  const [first = ''] = before.calls.map(({ callId }) => callId);
  await gate.decide(before, { kind: 'approve-selected', callIds: [first] });
  await expect.poll(async () => (await gate.sheet(before)).behind.length).toBe(0);
  const effects = (await gate.sheet(before)).calls.map(({ effect }) => effect);
  // What can only fail by now is answered, and nobody is asked about it.
  expect(effects).toMatchObject([{ files: [{ before: 'mine\n' }] }]);
  await gate.decide(before, { kind: 'deny-all' });
  expect((await after.settled).map(({ failure }) => failure?.code)).toEqual(['DeniedByPerson', 'PatchFailed']);
});

it('what the person makes of a file is asked as the arguments that leave it so; the other files of the patch stay as they would be', async () => {
  const gate = await openGate({ 'a.txt': 'mine\r\nend\r\n', 'b.txt': 'mine\n' }, { isAllowed: false });
  for (const path of ['a.txt', 'b.txt']) await gate.read(path);
  const section = (path: string) => `F ${path}\nR\nmine\n.\ntheirs\n.\n`;
  const both = `LP1\n${section('a.txt')}${section('b.txt')}END\n`;
  const batch = gate.submit([{ tool: 'apply_patch', arguments: { patch: both } }]);
  const asked = await gate.sheet(batch);
  const callId = asked.calls[0]?.callId ?? '';
  const edit = async (path: string, content: string) =>
    gate.desk.editFile(batch.batchId, callId, (await gate.sheet(batch)).digest, path, content);
  expect(await edit('a.txt', 'ours\n.dot\nend\n')).toMatchObject({ ok: true });
  expect((await gate.sheet(batch)).calls[0]).toMatchObject({
    originalArguments: { patch: both },
    effect: { files: [{ after: 'ours\r\n.dot\r\nend\r\n' }, { after: 'theirs\n' }] },
  });
  expect(await edit('elsewhere.txt', 'x')).toMatchObject({ ok: false, problem: 'refused' });
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  expect(readFileSync(join(gate.top, 'a.txt'), 'utf8')).toBe('ours\r\n.dot\r\nend\r\n');
  expect(readFileSync(join(gate.top, 'b.txt'), 'utf8')).toBe('theirs\n');

  const made = gate.submit([write('new.txt')]);
  const { digest, calls } = await gate.sheet(made);
  await gate.desk.editFile(made.batchId, calls[0]?.callId ?? '', digest, 'new.txt', 'by hand\n');
  await gate.decide(made, { kind: 'approve-all' });
  await made.settled;
  expect(readFileSync(join(gate.top, 'new.txt'), 'utf8')).toBe('by hand\n');
});

it('a dot name that is new and that no list knows is asked about by name, High; then it is made, and is what is there', async () => {
  const gate = await openGate({ '.old-tool/x': 'mine\n', 'a.txt': '' });
  expect(await gate.asked(write('.new-tool/settings'))).toBe('high');
  expect(await gate.asked(write('.old-tool/y'))).toBe('high');
  expect(await gate.asked(patch('.old-tool/x'))).toBeNull();
  expect(await gate.asked(write('.prettierrc'))).toBeNull();
  const batch = gate.submit([write('.new-tool/settings'), write('.new-tool/more')]);
  expect((await gate.sheet(batch)).calls[0]?.why).toContain(
    '“.new-tool/settings” may steer a program that Gatehouse doesn’t know.',
  );
  await gate.decide(batch, { kind: 'approve-all' });
  expect((await batch.settled).map(({ summary }) => summary.state)).toEqual(['COMPLETED', 'COMPLETED']);
});
