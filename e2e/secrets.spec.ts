import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, callTool, connectAgent, type GatewayFile, gatewayOf } from './agent.js';
import type { Gatehouse, Launch, LaunchOptions } from './app.js';
import { approveAll, denyAll } from './compose-door.js';
import { canary, placesOf } from './canaries.js';
import { expect, test } from './key-store.js';

interface Detail {
  readonly state: string;
  readonly code: string | null;
  readonly arguments: Readonly<Record<string, string>>;
  readonly result: string | null;
  readonly reason: string | null;
  readonly redactions: number;
  readonly changedFiles: readonly { readonly undoable: boolean }[];
}

const config = '[tools.approval]\ndenylist = []\n';
const detailOf = (gateway: GatewayFile, callId: string): Promise<Detail> => ask(gateway, `/v1/calls/${callId}`);

/** Secrets on every way through the app, ended by a crash while a call waits. */
async function everyWay(launch: Launch, options: LaunchOptions) {
  const value = Object.fromEntries(
    ['read', 'write', 'old', 'new', 'output', 'command', 'reason', 'waiting', 'variable'].map((way) => [way, canary()]),
  ) as Record<'read' | 'write' | 'old' | 'new' | 'output' | 'command' | 'reason' | 'waiting' | 'variable', string>;
  const values = Object.values(value);
  const app = await launch({
    ...options,
    config,
    files: {
      'notes.txt': `user: me\npassword: ${value.read}\nend\n`,
      'settings.ini': `name=x\nDB_PASSWORD=${value.old}\n`,
      'output.txt': `{"log":"{\\"api_key\\":\\"${value.output}\\"}"}\nfine\n`,
    },
    flags: [...(options.flags ?? []), '--gateway'],
    env: { ...options.env, CANARY_TOKEN: value.variable },
  });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const sheet = app.page.getByRole('dialog', { name: 'Approve tool calls' });
  const approved = async (tool: string, args: Record<string, unknown>) => {
    const pending = callTool(agent, tool, args);
    await approveAll(app.page);
    return pending;
  };

  const read = await callTool(agent, 'read_file', { path: 'notes.txt' });
  expect(read.text).toBe('user: me\npassword: [redacted]\nend\n');
  expect(await detailOf(gateway, read.callId)).toMatchObject({ result: read.text, redactions: 1 });

  // The person decides on the thing itself; what is kept of it is not.
  const writing = callTool(agent, 'write_file', { path: 'new.env', content: `API_KEY=${value.write}\n` });
  await expect(sheet).toContainText(value.write);
  await approveAll(app.page);
  const written = await writing;
  expect(readFileSync(join(app.workspace, 'new.env'), 'utf8')).toBe(`API_KEY=${value.write}\n`);
  expect(await detailOf(gateway, written.callId)).toMatchObject({
    arguments: { content: 'API_KEY=[redacted]\n' },
    redactions: 1,
  });

  await callTool(agent, 'read_file', { path: 'settings.ini' });
  const patch = `LP1\nF settings.ini\nR\nDB_PASSWORD=${value.old}\n.\nDB_PASSWORD=${value.new}\n.\nEND\n`;
  const patched = await approved('apply_patch', { patch });
  expect(patched).toMatchObject({ isError: false });

  const ran = await approved('run_command', {
    command: `cat output.txt; echo ${value.variable} # token=${value.command}`,
  });
  expect(ran.text).toContain('[redacted]');
  expect(ran.text).toContain('fine');
  expect((await detailOf(gateway, ran.callId)).redactions).toBeGreaterThanOrEqual(3);

  const refused = callTool(agent, 'write_file', { path: 'no.txt', content: 'x' });
  await sheet.getByRole('textbox', { name: 'Reason' }).fill(`use password=${value.reason} instead`);
  await denyAll(app.page);
  expect((await refused).text).not.toContain(value.reason);

  for (const way of values) {
    const found = await ask<{ calls: readonly unknown[] }>(gateway, `/v1/calls?query=${way}`);
    expect(found.calls).toEqual([]);
  }
  callTool(agent, 'write_file', { path: 'late.txt', content: `SECRET_KEY=${value.waiting}\n` }).catch(() => undefined);
  await expect(sheet).toContainText('late.txt');
  expect(placesOf(values, app.dataDir)).toEqual([]);
  await app.kill();
  expect(placesOf(values, app.dataDir)).toEqual([]);
  return { app, value, values, patched: patched.callId };
}

async function again(launch: Launch, { dataDir, workspace }: Gatehouse, options: LaunchOptions): Promise<Gatehouse> {
  return launch({ ...options, dataDir, workspace, flags: [...(options.flags ?? []), '--gateway'] });
}

test('With a key store nothing of a secret stands in the clear, and what waited is asked again whole', async ({
  launch,
  keyStore,
}) => {
  test.setTimeout(180_000);
  const before = await everyWay(launch, keyStore.options);
  const app = await again(launch, before.app, keyStore.options);
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const sheet = app.page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(sheet).toContainText(before.value.waiting);
  await approveAll(app.page);
  const late = join(app.workspace, 'late.txt');
  await expect.poll(() => existsSync(late) && readFileSync(late, 'utf8')).toBe(`SECRET_KEY=${before.value.waiting}\n`);
  expect((await detailOf(gateway, before.patched)).changedFiles).toMatchObject([{ undoable: true }]);
  expect(placesOf(before.values, app.dataDir)).toEqual([]);
});

test('Without a key store it is not kept: what waited ends, what held it can’t be undone, and the window says so', async ({
  launch,
}) => {
  test.setTimeout(180_000);
  const options = { flags: ['--password-store=basic'] };
  const before = await everyWay(launch, options);
  const app = await again(launch, before.app, options);
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const { calls } = await ask<{ calls: readonly { callId: string; code: string | null }[] }>(gateway, '/v1/calls');
  expect(calls[0]).toMatchObject({ code: 'Interrupted' });
  expect((await detailOf(gateway, calls[0]?.callId ?? '')).reason).toContain('key store');
  expect(existsSync(join(app.workspace, 'late.txt'))).toBe(false);
  expect((await detailOf(gateway, before.patched)).changedFiles).toMatchObject([{ undoable: false }]);
  const agent = await connectAgent(gateway);
  callTool(agent, 'write_file', { path: 'x.txt', content: 'API_KEY=abc123def\n' }).catch(() => undefined);
  // The sheet stands before everything else: the notice is read when it is gone.
  const sheet = app.page.getByRole('dialog', { name: 'Approve tool calls' });
  await denyAll(app.page);
  await expect(sheet).toBeHidden();
  await expect(app.page.getByRole('region', { name: 'Notices' })).toContainText('is not kept');
  expect(placesOf(before.values, app.dataDir)).toEqual([]);
});
