import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configWith } from '../../process/process.test-support.js';
import { openTestHooks, playProgram } from './hooks.test-support.js';

const TOOL = { name: 'write_file', id: 'gatehouse.write_file', version: '1.0.0' };
const call = {
  callId: 'c',
  tool: TOOL,
  arguments: {},
  risk: null,
  summary: '',
  door: 'mcp',
  client: null,
  agent: null,
} as const;
const nobody = () => openTestHooks(() => Promise.reject(new Error('Nothing is to be started.')));

it('one whose settings can’t be used judges: it denies, unless it was to be ignored', async () => {
  const made = nobody();
  expect(made.hooks.identifyJudges(TOOL)).toBeNull();
  const refused = { name: 'broken', when: 'before', reason: '', tools: ['*'], file: '', line: null } as const;
  for (const [onFailure, kind] of [
    ['deny', 'deny'],
    ['ignore', 'nothing'],
  ] as const) {
    made.refused = [{ ...refused, onFailure }];
    expect(made.hooks.identifyJudges(TOOL)).not.toBeNull();
    const { verdict } = await made.hooks.judge(
      call,
      { folder: '', config: configWith({}) },
      new AbortController().signal,
    );
    expect(verdict.kind).toBe(kind);
  }
  made.refused = [{ ...refused, onFailure: 'deny', tools: ['read_file'] }];
  expect(made.hooks.identifyJudges(TOOL)).toBeNull();
});

it('one is another where its settings, or a file of its that tools may change, are others', () => {
  const made = nobody();
  const inside = join(made.dataDir, 'open');
  mkdirSync(inside);
  writeFileSync(join(inside, 'hook.sh'), 'exit 0');
  made.openFolders = [inside];
  made.settings = [{ name: 'looks', when: 'before', command: ['sh', join(inside, 'hook.sh')] }];
  const seen = [made.hooks.identifyJudges(TOOL)];
  writeFileSync(join(inside, 'hook.sh'), 'exit 1');
  seen.push(made.hooks.identifyJudges(TOOL));
  made.settings = made.settings.map((hook) => ({ ...hook, timeout_seconds: 3 }));
  seen.push(made.hooks.identifyJudges(TOOL));
  made.refused = [
    { name: 'broken', when: 'before', reason: '', tools: ['*'], file: '', line: null, onFailure: 'deny' },
  ];
  seen.push(made.hooks.identifyJudges(TOOL));
  expect(new Set(seen).size).toBe(4);
  expect(made.hooks.identifyJudges(TOOL)).toBe(seen.at(-1));
});

it('what one that is tried said is shown without its secrets', async () => {
  const one = playProgram([], ['With ghp_0123456789abcdefABCDEF0123456789abcd.']);
  const made = openTestHooks(async () => one.program);
  made.settings = [{ name: 'looks', when: 'before', command: ['sh', 'x'] }];
  const result = { outcome: 'success', code: null, durationMs: 1 } as const;
  one.endsWith({});
  const tried = await made.hooks.try('looks', call, result, { folder: '', config: configWith({}) });
  expect(tried?.said).toMatch(/^With /u);
  expect(tried?.said).not.toContain('ghp_0123');
  expect(await made.hooks.try('other', call, result, { folder: '', config: configWith({}) })).toBeNull();
});
