import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import { PausedAgents } from './paused-agents.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-paused-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it('Who is paused is still paused after a crash, and who was resumed is not', () => {
  const file = join(folder(), 'paused-agents.json');
  const first = new PausedAgents(file);
  expect([first.set('agent codex', true), first.set('agent zed', true), first.set('agent zed', false)]).toEqual([
    null,
    null,
    null,
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = new PausedAgents(file);
  expect([again.list(), again.has('agent zed'), again.damaged]).toEqual([['agent codex'], false, false]);
});

it('What can’t be read is said to be damaged; what can’t be written is paused all the same', () => {
  const at = folder();
  const file = join(at, 'paused-agents.json');
  writeFileSync(file, '{"no": "list"}');
  expect(new PausedAgents(file).damaged).toBe(true);
  const nowhere = new PausedAgents(join(at, 'no', 'such', 'folder.json'));
  expect(nowhere.set('agent codex', true)).toContain('could not be written down');
  expect(nowhere.has('agent codex')).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('{"no": "list"}');
});

it('An agent is paused by its token, and by what its client calls itself only where it has none; the person never', () => {
  expect(buildPauseKey({ door: 'mcp', client: 'Claude Code 2', agent: 'claude' })).toBe('agent claude');
  expect(buildPauseKey({ door: 'mcp', client: 'claude', agent: null })).toBe('client claude');
  expect(buildPauseKey({ door: 'gateway', client: null, agent: null })).toBe('door gateway');
  expect(buildPauseKey({ door: 'compose', client: null, agent: null })).toBeNull();
  expect(buildPauseKey({ door: 'window', client: null, agent: null })).toBeNull();
});
