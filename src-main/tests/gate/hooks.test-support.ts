import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import { openTestHooks, type TestHooks } from '../../authority/hooks/hooks.test-support.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { openTestPrograms, type TestPrograms } from '../../process/programs/programs.test-support.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { openTestGate, type TestGate, type TestGateOptions } from './gate.test-support.js';

let programs: TestPrograms;

beforeAll(async () => {
  programs = await openTestPrograms();
});

afterAll(async () => programs[Symbol.asyncDispose]());

interface HookedGate {
  readonly gate: TestGate;
  readonly hooks: TestHooks;
  readonly detail: (callId: string) => Promise<CallDetail>;
  /** What is in its timeline of hooks. */
  readonly runs: (callId: string) => Promise<readonly HookRun[]>;
}

export async function open(more: Partial<TestGateOptions> = {}): Promise<HookedGate> {
  const hooks = openTestHooks(programs.held);
  const gate = await openTestGate({
    tools: [readFileTool, writeFileTool],
    ...more,
    parts: { hooks: hooks.hooks, ...more.parts },
  });
  writeFileSync(join(gate.workspace, 'a.txt'), 'one\n');
  const detail = async (callId: string): Promise<CallDetail> => {
    const reader = openServiceReader(gate.dataDir);
    try {
      const found = await reader.service.detail(callId);
      if (found === null) throw new Error(`There is no call ${callId}.`);
      return found;
    } finally {
      reader.service.close();
    }
  };
  return {
    gate,
    hooks,
    detail,
    runs: async (callId) =>
      (await detail(callId)).events.flatMap((event) => {
        if (event.type !== 'hook') return [];
        const { name, when, ms } = event;
        return [
          'failed' in event
            ? { name, when, ms, failed: event.failed }
            : { name, when, ms, decision: event.decision, reason: event.reason },
        ];
      }),
  };
}

export const READ = { tool: 'read_file', arguments: { path: 'a.txt' } };

export const says = (decision: string, reason = 'because') => `echo '{"decision":"${decision}","reason":"${reason}"}'`;
