import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { ToolFailureWithOutput } from '../../domain/tool/tool.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { call, ran, reads } from './gate-tools.test-support.js';
import { codes, openTestGate } from './gate.test-support.js';
import { type Journal, JournalUnavailableError } from '../../domain/ports/journal.js';
import { refusing } from './refusing-journal.test-support.js';

const auto = defaultConfig({ approval: { mode: 'auto' } });
const write = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'x' } });

describe('a journal that can’t write', () => {
  it('keeps what was not recorded from being received', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'call-received' };
    const gate = await openTestGate({ tools: [writeFileTool], config: auto, wrapJournal: refusing(which) });
    const [refused] = await gate.run(write('a.txt'));
    expect(refused).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
    expect(existsSync(join(gate.workspace, 'a.txt'))).toBe(false);
    which.type = null;
    expect(codes(await gate.run(write('a.txt')))).toEqual([null]);
    expect(gate.faults).toEqual([]);
  });

  it('starts nothing whose start it could not record, and ends it in the history when it can write again', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'call-executing' };
    const gate = await openTestGate({ tools: [writeFileTool], config: auto, wrapJournal: refusing(which) });
    const [refused] = await gate.run(write('a.txt'));
    expect(refused).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
    expect(existsSync(join(gate.workspace, 'a.txt'))).toBe(false);
    which.type = null;
    await gate.run(write('b.txt'));
    await gate.close();
    const { service, verify } = openServiceReader(gate.dataDir);
    const { calls } = await service.page({ limit: 10, before: null, filter: {} });
    expect(calls.map(({ state, code }) => [state, code])).toEqual([
      ['COMPLETED', null],
      ['FAILED', 'JournalUnavailable'],
    ]);
    expect(await verify()).toMatchObject({ ok: true });
    service.close();
  });

  it('begins no read while it is known to fail, though a read need not wait for what is written', async () => {
    const disk = { isFull: false };
    const wrapJournal = (journal: Journal) =>
      new Proxy<Journal>(journal, {
        get: (target, key) => {
          if (disk.isFull && key === 'health') return { state: 'failed', problem: 'The disk is full.' };
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function') return value;
          if (!disk.isFull || key !== 'append') return value.bind(target);
          return () => {
            throw new JournalUnavailableError('The disk is full.');
          };
        },
      });
    const gate = await openTestGate({ tools: [reads()], config: auto, wrapJournal });
    ran.length = 0;
    disk.isFull = true;
    const [refused] = await gate.run(call('reads'));
    expect(refused).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
    expect(ran).toEqual([]);
    disk.isFull = false;
    expect(codes(await gate.run(call('reads')))).toEqual([null]);
    expect(ran).toEqual(['reads:x']);
  });

  it('what its caller gets of a command that failed counts as read all the same, once that can be written', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'call-settled' };
    const telling = noteTool(
      { name: 'telling', requiredCapabilities: ['process.run'], sideEffecting: true },
      {
        execute: async () => {
          const failure = { code: 'ExecutionFailed', message: 'exit code 1' } as const;
          throw new ToolFailureWithOutput(failure, noteOutput('Send it to collector.example.'));
        },
      },
    );
    const gate = await openTestGate({ tools: [telling, writeFileTool], config: auto, wrapJournal: refusing(which) });
    const facts: JournalEvent[] = [];
    gate.journal.onCommit((events) => void facts.push(...events));
    const by = { door: 'mcp', agent: 'codex' } as const;
    const [told] = await gate.submit([{ tool: 'telling', arguments: { text: 'x' } }], by).settled;
    expect(told).toMatchObject({ recorded: false });
    expect(told?.result.content).toContain('Send it to');
    which.type = null;
    await gate.submit([write('a.txt')], by).settled;
    expect(facts.find(({ type }) => type === 'text-given')).toMatchObject({ to: 'agent:codex' });
    await gate.close();
    const { service, verify } = openServiceReader(gate.dataDir);
    expect(await verify()).toMatchObject({ ok: true });
    service.close();
  });

  it('tells nothing of what runs while that can’t be recorded as given, and what comes after that it can', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'text-given' };
    const telling = noteTool(
      { name: 'telling', requiredCapabilities: ['process.run'], sideEffecting: true },
      {
        execute: async (_args, { emit }) => {
          await emit('stdout', 'one');
          which.type = null;
          await emit('stdout', 'two');
          return noteOutput('');
        },
      },
    );
    const gate = await openTestGate({ tools: [telling], config: auto, wrapJournal: refusing(which) });
    const heard: string[] = [];
    gate.journal.onCommit((events) => {
      if (events.some(({ type }) => type === 'text-given')) heard.push('recorded');
    });
    const batch = gate.submit([{ tool: 'telling', arguments: { text: 'x' } }], { door: 'mcp', agent: 'codex' });
    batch.calls[0]?.onOutput(({ text }) => void heard.push(text));
    expect(codes(await batch.settled)).toEqual([null]);
    expect(heard).toEqual(['recorded', 'two']);
    expect(gate.events.filter(({ type }) => type === 'output')).toHaveLength(2);
  });

  it('takes back what ran but could not be recorded', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'call-settled' };
    const gate = await openTestGate({ tools: [writeFileTool], config: auto, wrapJournal: refusing(which) });
    const [undone] = await gate.run(write('deep/a.txt'));
    expect(undone).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
    expect(undone?.result.content).toContain('its changes were undone');
    expect(existsSync(join(gate.workspace, 'deep'))).toBe(false);
  });

  it('says plainly that a command’s effects stay', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'call-settled' };
    const command = noteTool(
      { name: 'command', requiredCapabilities: ['process.run'] },
      { execute: async () => noteOutput('did it') },
    );
    const gate = await openTestGate({ tools: [command], config: auto, wrapJournal: refusing(which) });
    const [settled] = await gate.run({ tool: 'command', arguments: { text: 'x' } });
    expect(settled?.result.content).toContain('what it did stays done');
  });

  it('turns a yes that can’t be recorded into no yes', async () => {
    const which: Parameters<typeof refusing>[0] = { type: 'call-authorized' };
    const gate = await openTestGate({ tools: [writeFileTool], wrapJournal: refusing(which) });
    const batch = gate.submit([write('a.txt')]);
    await expect(gate.decide(batch, { kind: 'approve-all' })).rejects.toThrow("can't write its journal");
    expect(codes(await batch.settled)).toEqual(['JournalUnavailable']);
    expect(existsSync(join(gate.workspace, 'a.txt'))).toBe(false);
  });
});
