import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { HookedCall, HookContext } from '../../domain/ports/gate/hooks.js';
import { configWith } from '../../process/process.test-support.js';
import { openTestPrograms, type TestPrograms } from '../../process/programs/programs.test-support.js';
import type { TestHooks } from './hooks.test-support.js';

export const never = new AbortController().signal;

export let programs: TestPrograms;

beforeAll(async () => {
  programs = await openTestPrograms();
});

afterAll(async () => programs[Symbol.asyncDispose]());

export const call: HookedCall = {
  callId: 'call-1',
  tool: { name: 'write_file', id: 'gatehouse.write_file', version: '1.0.0' },
  arguments: { path: 'a.txt', content: 'password=hunter2hunter2' },
  risk: 'medium',
  summary: 'Write a.txt',
  door: 'mcp',
  client: 'claude 1',
  agent: 'builder',
};

export const place = (folder = ''): HookContext => ({ folder, config: configWith({}) });

export const judge = async ({ hooks }: TestHooks, folder = '', signal = never) =>
  hooks.judge(call, place(folder), signal);

export function workspace(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'gh-hooked-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const DENIES = 'echo \'{"decision":"deny","reason":"mine"}\'';
