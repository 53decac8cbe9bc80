import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import type { Config } from '#contract/vocabulary/config.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, type TestGate, testFolder } from './gate.test-support.js';
import { any, call, stuck } from './gate-tools.test-support.js';

const read = { tool: 'read_file', arguments: { path: 'which.txt' } };
const write = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'x' } });
const by = (sessionId: string, agent: string | null = null) => ({ door: 'mcp', sessionId, agent }) as const;

/** One gate on two folders: `other` is opened beside, with settings of its own. */
async function twoFolders(
  tightened: Partial<Config['tools']['approval']> = {},
  more: Partial<Config['gateway']> = {},
): Promise<{ readonly gate: TestGate; readonly first: string; readonly other: string }> {
  const [first, other] = [testFolder('first'), testFolder('other')];
  for (const folder of [first, other]) writeFileSync(join(folder, 'which.txt'), folder);
  const defaults = defaultConfig();
  const config: Config = { ...defaults, gateway: { ...defaults.gateway, ...more } };
  const { approval } = config.tools;
  const gate: TestGate = await openTestGate({
    tools: [readFileTool, writeFileTool, stuck()].map(any),
    workspace: first,
    config,
    parts: {
      config: (folder) =>
        folder === other ? { ...config, tools: { ...config.tools, approval: { ...approval, ...tightened } } } : config,
    },
  });
  await gate.openFolder(other);
  return { gate, first, other };
}

it('each call runs in the folder that it was asked for, whichever was opened last', async () => {
  const { gate, first, other } = await twoFolders();
  const results = await Promise.all(
    [first, other, first].map((folder, at) => gate.submit([read], { folder, ...by(`s${at}`) }).settled),
  );
  expect(results.flat().map(({ result }) => result.content)).toEqual([first, other, first]);
  expect(results.flat().map(({ summary }) => summary.workspace)).toEqual([first, other, first]);
});

it('one folder’s tightening binds its own calls and no others', async () => {
  const { gate, first, other } = await twoFolders({ denylist: ['read_file'] });
  expect(codes(await gate.submit([read], { folder: first }).settled)).toEqual([null]);
  expect(codes(await gate.submit([read], { folder: other }).settled)).toEqual(['Denylisted']);
  expect(gate.gate.listAdvertised(first).map(({ name }) => name)).toContain('read_file');
  expect(gate.gate.listAdvertised(other).map(({ name }) => name)).not.toContain('read_file');
});

it('what one session has waiting in two folders is on two sheets, and each is decided in its own', async () => {
  const { gate, first, other } = await twoFolders();
  const asked = { ...by('s'), joinable: true };
  const here = gate.submit([write('here.txt')], { folder: first, ...asked });
  const there = gate.submit([write('there.txt')], { folder: other, ...asked });
  expect(here.batchId).not.toBe(there.batchId);
  await gate.sheet(here);
  await gate.decide(there, { kind: 'approve-all' });
  await there.settled;
  expect(readFileSync(join(other, 'there.txt'), 'utf8')).toBe('x');
  await gate.decide(here, { kind: 'approve-all' });
  await here.settled;
  expect(readFileSync(join(first, 'here.txt'), 'utf8')).toBe('x');
});

it('closing a folder ends what waits and what runs there, and nothing elsewhere', async () => {
  const { gate, first, other } = await twoFolders();
  const running = gate.submit([call('stuck')], { folder: other, ...by('r') });
  const waiting = gate.submit([write('never.txt')], { folder: other, ...by('w') });
  const elsewhere = gate.submit([write('later.txt')], { folder: first, ...by('e') });
  await gate.sheet(waiting);
  await gate.sheet(elsewhere);
  await expect.poll(() => gate.orchestrator.activityIn(other)).toEqual({ waiting: 1, running: 1 });
  gate.closeFolder(other);
  expect(codes([...(await running.settled), ...(await waiting.settled)])).toEqual(['Cancelled', 'Cancelled']);
  expect(gate.sheets().map(({ batchId }) => batchId)).toEqual([elsewhere.batchId]);
  expect(gate.orchestrator.activityIn(other)).toEqual({ waiting: 0, running: 0 });
  await gate.decide(elsewhere, { kind: 'approve-all' });
  expect(codes(await elsewhere.settled)).toEqual([null]);
  expect(gate.faults).toEqual([]);
});

it('in a closed folder every call is NotPermitted with the words for one that never was, until it is open again', async () => {
  const { gate, other } = await twoFolders();
  gate.closeFolder(other);
  const [closed] = await gate.submit([read], { folder: other, ...by('s') }).settled;
  const [never] = await gate.submit([read], { folder: '/no/such/folder', ...by('s') }).settled;
  expect(closed?.failure).toMatchObject({ code: 'NotPermitted', rule: { id: 'workspace.closed' } });
  expect(never?.failure).toEqual(closed?.failure);
  expect(closed?.summary.state).toBe('DENIED');
  await gate.openFolder(other);
  expect(codes(await gate.submit([read], { folder: other, ...by('s') }).settled)).toEqual([null]);
});

it('an agent that is limited to some folders works in these and in what lies in them', async () => {
  const limited = testFolder('limited');
  const { gate, first, other } = await twoFolders(
    {},
    { clients: [{ name: 'one', access: 'normal', folders: [limited] }] },
  );
  await gate.openFolder(limited);
  writeFileSync(join(limited, 'which.txt'), limited);
  const codesOf = async (agent: string | null) =>
    codes(
      (
        await Promise.all(
          [first, other, limited].map((folder) => gate.submit([read], { folder, ...by('s', agent) }).settled),
        )
      ).flat(),
    );
  expect(await codesOf('one')).toEqual(['NotPermitted', 'NotPermitted', null]);
  expect(await codesOf('two')).toEqual([null, null, null]);
  expect(await codesOf(null)).toEqual([null, null, null]);
});

it('the person may act themselves in a folder that is closed; what an agent asks there meanwhile stays refused', async () => {
  const { gate, other } = await twoFolders();
  gate.closeFolder(other);
  const own = { asker: makeAsker('window', 'w'), capacityBytes: null, joinable: false, folder: other } as const;
  const calls = [{ requestId: null, ...write('own.txt') }];
  const [acted, agents] = await gate.during(other, async () => [
    await gate.orchestrator.submit({ ...own, calls }).settled,
    await gate.submit([read], { folder: other, ...by('s') }).settled,
  ]);
  expect([...codes(acted ?? []), ...codes(agents ?? [])]).toEqual([null, 'NotPermitted']);
  expect(readFileSync(join(other, 'own.txt'), 'utf8')).toBe('x');
  expect(codes(await gate.orchestrator.submit({ ...own, calls }).settled)).toEqual(['NotPermitted']);
});
