import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import { detectAgentAsking } from './asking.js';
import { setAgentAsking, setAgentFolders } from './agents/edit-agents.js';
import { ConfigStore } from './config-store.js';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-asking-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'config.toml');
  const store = new ConfigStore(file);
  onTestFinished(() => store.close());
  return { file, store };
}

const inForce = ({ current: { tools } }: ConfigStore) => ({
  denylist: tools.approval.denylist,
  commands: tools.approval.commands,
  edits: tools.approval.edits,
  allow_absolute: tools.sandbox.allow_absolute,
});

const CHOICES: readonly (readonly [AskingPreset, ReturnType<typeof inForce>])[] = [
  ['strict', { denylist: ['run_command'], commands: 'ask', edits: 'ask', allow_absolute: false }],
  ['careful', { denylist: [], commands: 'sandbox', edits: 'ask', allow_absolute: false }],
  ['balanced', { denylist: [], commands: 'sandbox', edits: 'collect', allow_absolute: true }],
];

test.each(CHOICES)('%s writes all of its keys, and they count at once', async (asking, expected) => {
  const { file, store } = open();
  expect(store.hasPersonsFile).toBe(false);
  const told: boolean[] = [];
  store.onChange(() => told.push(store.hasPersonsFile));
  expect(await store.chooseAsking(asking)).toEqual({ ok: true });
  expect(inForce(store)).toEqual(expected);
  expect(told).toEqual([true]);
  for (const key of Object.keys(expected)) expect(readFileSync(file, 'utf8'), key).toContain(`${key} = `);
  // Each is theirs to change, as ever.
  expect(await store.set('tools.approval.edits', 'ask')).toEqual({ ok: true });
  expect(inForce(new ConfigStore(file))).toEqual({ ...expected, edits: 'ask' });
});

test('Until it is answered it is Strict, and nothing is written', () => {
  const { file, store } = open();
  expect(inForce(store)).toEqual(CHOICES[0]?.[1]);
  expect(existsSync(file)).toBe(false);
});

test('What the person has by then is not written over, however little it is', async () => {
  const { file, store } = open();
  writeFileSync(file, '');
  store.reload();
  expect(await store.chooseAsking('balanced')).toMatchObject({ ok: false });
  writeFileSync(file, '# mine\n');
  expect(await store.chooseAsking('balanced')).toMatchObject({ ok: false });
  expect(readFileSync(file, 'utf8')).toBe('# mine\n');
});

test('One agent’s choice is its own: written, replaced and taken out again, with what else it has kept', async () => {
  const { file, store } = open();
  writeFileSync(file, '# mine\n[[gateway.agents]]\nname = "codex"\nsecrets = "deny"\n');
  store.reload();
  const own = () => store.current.gateway.agents;
  expect(await setAgentAsking(store, 'builder', 'balanced')).toEqual({ ok: true });
  expect(await setAgentAsking(store, 'codex', 'careful')).toEqual({ ok: true });
  const careful = { name: 'codex', commands: 'sandbox', edits: 'ask', allow_absolute: false, secrets: 'deny' };
  expect(own()).toEqual([{ name: 'builder', commands: 'sandbox', edits: 'collect', allow_absolute: true }, careful]);
  expect(own().map(detectAgentAsking)).toEqual(['balanced', 'careful']);
  expect(readFileSync(file, 'utf8')).toContain('# mine');
  expect(await setAgentAsking(store, 'builder', 'strict')).toEqual({ ok: true });
  expect(new Set(own().map(detectAgentAsking))).toEqual(new Set(['careful', 'strict']));
  for (const name of ['builder', 'codex']) expect(await setAgentAsking(store, name, null)).toEqual({ ok: true });
  expect(own()).toEqual([{ name: 'codex', secrets: 'deny' }]);
  expect(detectAgentAsking({ edits: 'collect' })).toBe('own');
  expect(detectAgentAsking({ secrets: 'deny' })).toBeNull();
});

test('An agent is limited to folders and freed again; what else is said of it, and of others, stays', async () => {
  const { file, store } = open();
  writeFileSync(file, '# mine\n[[gateway.clients]]\nname = "codex"\naccess = "ask"\n');
  store.reload();
  expect(await setAgentFolders(store, 'codex', ['/shop'])).toEqual({ ok: true });
  expect(await setAgentFolders(store, 'builder', ['/shop', '/notes'])).toEqual({ ok: true });
  expect(store.own.gateway.clients).toEqual([
    { name: 'codex', access: 'ask', folders: ['/shop'] },
    { name: 'builder', access: 'normal', folders: ['/shop', '/notes'] },
  ]);
  expect(await setAgentFolders(store, 'builder', null)).toEqual({ ok: true });
  expect(await setAgentFolders(store, 'codex', null)).toEqual({ ok: true });
  expect(new ConfigStore(file).own.gateway.clients).toEqual([{ name: 'codex', access: 'ask' }]);
  expect(readFileSync(file, 'utf8')).toContain('# mine');
  // Of several rules for it the strictest stays.
  writeFileSync(
    file,
    '[[gateway.clients]]\nname = "a"\naccess = "normal"\n[[gateway.clients]]\nname = "a"\naccess = "blocked"\n',
  );
  store.reload();
  expect(await setAgentFolders(store, 'a', ['/shop'])).toEqual({ ok: true });
  expect(store.own.gateway.clients).toEqual([{ name: 'a', access: 'blocked', folders: ['/shop'] }]);
});
