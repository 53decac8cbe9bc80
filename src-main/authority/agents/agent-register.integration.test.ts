import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AgentRegister } from './agent-register.js';

function register(): { readonly file: string; readonly open: () => AgentRegister } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agents-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'agents.json');
  return { file, open: () => new AgentRegister(file, () => 1000) };
}

function made(agents: AgentRegister, name: string): string {
  const created = agents.create(name);
  if (!created.ok) throw new Error(created.problem);
  return created.token;
}

it('gives each agent one token, good over restarts, of which only a hash is kept', () => {
  const { file, open } = register();
  const agents = open();
  const token = made(agents, 'builder');
  const other = made(agents, 'reviewer-2');
  expect(token).not.toBe(other);
  expect(token.length).toBeGreaterThanOrEqual(43);
  for (const each of [agents, open()]) {
    expect(each.findByToken(token)).toBe('builder');
    expect(each.findByToken(other)).toBe('reviewer-2');
    expect(each.findByToken(`${token}x`)).toBeNull();
    expect(each.findByToken('')).toBeNull();
  }
  expect(readFileSync(file, 'utf8')).not.toContain(token.slice(10));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(agents.create('builder')).toMatchObject({ ok: false });
});

it('a revoked token is good no more, at once and for good, and its name is not up for the taking by a pipe', () => {
  const { open } = register();
  const agents = open();
  const token = made(agents, 'builder');
  expect(agents.getStatus('builder')).toBe('known');
  expect(agents.getStatus('somebody')).toBe('unknown');
  expect(agents.revoke('builder')).toBeNull();
  expect(agents.revoke('builder')).toContain('no agent');
  for (const each of [agents, open()]) {
    expect(each.findByToken(token)).toBeNull();
    expect(each.getStatus('builder')).toBe('revoked');
  }
  const again = made(agents, 'builder');
  expect(again).not.toBe(token);
  expect(open().findByToken(again)).toBe('builder');
  expect(open().findByToken(token)).toBeNull();
});

it('who is given a revoked name is another than who had it, for ever', () => {
  const { open } = register();
  const agents = open();
  expect(agents.getHolder('builder')).toEqual({ id: 'builder', since: 0 });
  made(agents, 'builder');
  expect(agents.getHolder('builder')).toEqual({ id: 'builder', since: 0 });
  for (const id of ['builder#2', 'builder#3']) {
    agents.revoke('builder');
    made(agents, 'builder');
    for (const each of [agents, open()]) expect(each.getHolder('builder')).toEqual({ id, since: 1000 });
  }
});

it.each(['', 'Builder', 'a b', 'a'.repeat(33), '../x', 'ü', 'a\n'])('takes no agent by the name %j', (name) => {
  expect(register().open().create(name)).toMatchObject({ ok: false });
});

it('lets nobody in by a file that it can’t read, and does not write over it', () => {
  const { file, open } = register();
  for (const text of ['{', '{"agents":[{"name":"x"}]}', '{"agents":[{"name":"x","token":"short","made":1}]}']) {
    writeFileSync(file, text);
    const agents = open();
    expect(agents.damaged).toBe(true);
    expect(agents.list()).toEqual([]);
    expect(agents.create('builder')).toMatchObject({ ok: false });
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
});
