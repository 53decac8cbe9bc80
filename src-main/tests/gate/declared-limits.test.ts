import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolContext, ToolDeclaration } from '../../domain/tool/tool.js';
import { noteOutput, noteTool, untilAborted } from '../../tools/builtin/tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, states } from './gate.test-support.js';
import { any, call } from './gate-tools.test-support.js';

const WIDE = { maxExecutionTimeMs: 86_400_000, maxOutputBytes: 2 ** 30 };

const COMMAND = { nature: 'command', sideEffecting: true, requiredCapabilities: ['process.run'] } as const;
const AUTO = { approval: { mode: 'auto', enabled: true } } as const;

/** What a tool of these limits is handed when it runs. */
async function handed(limits: object, config = defaultConfig(AUTO)): Promise<ToolContext> {
  const seen: ToolContext[] = [];
  const tool = noteTool<'command'>(
    { ...COMMAND, resourceLimits: { ...WIDE, ...limits } },
    {
      execute: ({ text }, context) => {
        seen.push(context);
        return Promise.resolve(noteOutput(text));
      },
    },
  );
  const gate = await openTestGate({ tools: [any(tool)], config });
  await gate.run(call('note'));
  const [context] = seen;
  if (context === undefined) throw new Error('It did not run.');
  return context;
}

describe('what a tool declares to need at most binds it (seed 000 rules 3, 5, 6, 7)', () => {
  it('time: it is stopped when its own is over, whatever the settings allow', async () => {
    const tool = noteTool(
      { resourceLimits: { ...WIDE, maxExecutionTimeMs: 30 } },
      { execute: (_args, context) => untilAborted(context), timeoutMs: () => 60_000 },
    );
    const gate = await openTestGate({ tools: [any(tool)] });
    const settled = await gate.run(call('note'));
    expect(codes(settled)).toEqual(['Timeout']);
    expect(settled[0]?.summary.timeoutMs).toBe(30);
  });

  it('time: the settings bind where they are tighter', async () => {
    expect((await handed({})).timeoutMs).toBe(30_000);
    expect((await handed({ maxExecutionTimeMs: 1000 })).timeoutMs).toBe(1000);
  });

  it('output: the tighter of its own and the settings, and what is longer is cut', async () => {
    expect((await handed({})).outputLimit).toBe(defaultConfig().tools.output.max_bytes);
    expect((await handed({ maxOutputBytes: 500 })).outputLimit).toBe(500);
    const tool = noteTool(
      { resourceLimits: { ...WIDE, maxOutputBytes: 500 } },
      { execute: () => Promise.resolve(noteOutput('x'.repeat(5000))) },
    );
    const gate = await openTestGate({ tools: [any(tool)] });
    const [settled] = await gate.run(call('note'));
    expect(Buffer.byteLength(settled?.result.content ?? '')).toBe(500);
    expect(settled?.result.outputBytesLeftOut).toBeGreaterThan(4500);
  });

  it('commands: memory and the size of files are the tighter of its own and the settings', async () => {
    const { run_command: settings } = defaultConfig().tools;
    const none = (await handed({})).config.tools.run_command;
    expect(none).toEqual(settings);
    const own = (await handed({ maxMemory: 1000, maxFileSize: 2000 })).config.tools.run_command;
    expect(own).toEqual({ ...settings, max_memory_bytes: 1000, max_file_bytes: 2000 });
    const tight = defaultConfig({ ...AUTO, run_command: { max_memory_bytes: 10, max_file_bytes: 20 } });
    const set = (await handed({ maxMemory: 1000, maxFileSize: 2000 }, tight)).config.tools.run_command;
    expect(set).toMatchObject({ max_memory_bytes: 10, max_file_bytes: 20 });
  });

  it('files: one that would be larger is not written, and nothing of the call is', async () => {
    const { declaration } = writeFileTool;
    const small = { ...writeFileTool, declaration: { ...declaration, resourceLimits: { ...WIDE, maxFileSize: 10 } } };
    const gate = await openTestGate({ tools: [any(small)], config: defaultConfig({ approval: { mode: 'auto' } }) });
    const write = (path: string, content: string) => ({ tool: 'write_file', arguments: { path, content } });
    const settled = await gate.run(write('a.txt', '0123456789'), write('b.txt', '01234567890'));
    expect(codes(settled)).toEqual([null, 'ResourceExhausted']);
    expect(states(settled)[1]).toBe('ROLLED_BACK');
    expect(settled[1]?.result.content).toContain('10 at most');
    expect(existsSync(join(gate.workspace, 'a.txt'))).toBe(true);
    expect(existsSync(join(gate.workspace, 'b.txt'))).toBe(false);
  });

  it('memory: what has no process of its own can’t promise it, by type and by force', async () => {
    // @ts-expect-error -- nothing could hold it to that
    const promised: ToolDeclaration<'reads'>['resourceLimits'] = { ...WIDE, maxMemory: 1000 };
    const tool = noteTool<'reads'>({ nature: 'reads', resourceLimits: promised });
    await expect(openTestGate({ tools: [any(tool)] })).rejects.toThrow('maxMemory');
  });

  it('memory: what no computer of this size has is refused before it starts', async () => {
    let ran = false;
    const tool = noteTool<'command'>(
      { ...COMMAND, resourceLimits: { ...WIDE, maxMemory: 2 ** 52 } },
      {
        execute: ({ text }) => {
          ran = true;
          return Promise.resolve(noteOutput(text));
        },
      },
    );
    const gate = await openTestGate({ tools: [any(tool)], config: defaultConfig(AUTO) });
    const [settled] = await gate.run(call('note'));
    expect(settled).toMatchObject({ failure: { code: 'ResourceExhausted', limit: 'memory' } });
    expect(ran).toBe(false);
  });
});
