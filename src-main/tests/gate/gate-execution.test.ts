import { contextRoom } from '../../domain/text/cut-to-context.js';
import { describe, expect, it } from 'vitest';
import { ToolFailure, ToolFailureWithOutput } from '../../domain/tool/tool.js';
import { noteOutput, noteTool, untilAborted } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, states } from './gate.test-support.js';
import { any, ran, reads, writes, slow, stuck, call } from './gate-tools.test-support.js';

describe('execution (FR-EXE)', () => {
  it('T-TMO-01: a time-out yields Timeout, and the batch goes on', async () => {
    const gate = await openTestGate({ tools: [reads(), slow()] });
    const settled = await gate.run(call('slow'), call('reads'));
    expect(codes(settled)).toEqual(['Timeout', null]);
    expect(states(settled)[0]).toBe('ROLLED_BACK');
  });

  it('T-CAN-01: cancelling mid-execution marks the remaining calls as cancelled', async () => {
    ran.length = 0;
    const gate = await openTestGate({ tools: [reads(), stuck()] });
    const batch = gate.submit([call('reads', '1'), call('stuck'), call('reads', '2')]);
    await new Promise<void>((resolve) =>
      batch.calls[1]?.onProgress((progress) => progress.type === 'executing' && resolve()),
    );
    gate.orchestrator.stopBatch(batch.batchId);
    const settled = await batch.settled;
    expect(codes(settled)).toEqual([null, 'Cancelled', 'Cancelled']);
    expect(settled[1]?.result.content).toBe('Cancelled by user');
    expect(states(settled)).toEqual(['COMPLETED', 'ROLLED_BACK', 'ABORTED']);
    expect(ran).toEqual(['reads:1']);
  });

  it('one call can be cancelled without the others', async () => {
    const gate = await openTestGate({ tools: [reads(), stuck()] });
    const batch = gate.submit([call('stuck'), call('reads')]);
    await new Promise<void>((resolve) =>
      batch.calls[0]?.onProgress((progress) => progress.type === 'executing' && resolve()),
    );
    expect(gate.orchestrator.stopCall(batch.calls[0]?.callId ?? '')).toBe(true);
    expect(codes(await batch.settled)).toEqual(['Cancelled', null]);
  });

  it('a caller that takes its waiting call back takes its sheet with it, and the person is told what it was', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes')]);
    await gate.sheet(batch);
    batch.cancel();
    expect(codes(await batch.settled)).toEqual(['Cancelled']);
    expect(gate.sheets()).toEqual([]);
    expect(gate.events).toMatchObject(
      expect.arrayContaining([
        {
          type: 'taken-back',
          what: expect.objectContaining({ callId: batch.calls[0]?.callId, door: 'compose' }) as object,
        },
        { type: 'approval-gone', batchId: batch.batchId },
      ]) as object,
    );
  });

  const thrown: ReadonlyArray<readonly [string, unknown]> = [
    ['an error', new Error('<script>alert(1)</script>')],
    ['text', 'boom \u001b]0;owned\u0007'],
    ['null', null],
    ['nothing', undefined],
    [
      'an error that throws when read',
      Object.defineProperty(new Error('x'), 'message', { get: () => expect.fail('read') }),
    ],
  ];
  it.each(thrown)('a handler that throws %s becomes a sanitized failure', async (_what, value) => {
    const throwing = any(noteTool({ name: 'throwing' }, { execute: () => Promise.reject(value as Error) }));
    const gate = await openTestGate({ tools: [throwing, reads()] });
    const settled = await gate.run(call('throwing'), call('reads'));
    expect(codes(settled)).toEqual(['Internal', null]);
    expect(settled[0]?.result.content).toMatch(/^Tool panicked: [A-Za-z ]+$/);
  });

  it('a handler that throws before it returns a promise is no different', async () => {
    const throwing = any(
      noteTool(
        { name: 'throwing' },
        {
          execute: () => {
            throw new TypeError('at once');
          },
        },
      ),
    );
    const gate = await openTestGate({ tools: [throwing] });
    expect(codes(await gate.run(call('throwing')))).toEqual(['Internal']);
  });

  it('output that does not fit the declaration is OutputInvalid and rolled back', async () => {
    const wrong = any(
      noteTool(
        { name: 'wrong' },
        { execute: () => Promise.resolve(noteOutput('x', { structured: { length: 'long' } })) },
      ),
    );
    const gate = await openTestGate({ tools: [wrong] });
    const settled = await gate.run(call('wrong'));
    expect(codes(settled)).toEqual(['OutputInvalid']);
    expect(states(settled)).toEqual(['ROLLED_BACK']);
  });

  it('a failure that is a JSON object goes to the caller verbatim', async () => {
    const message = '{"error":"no such table","at":[1,2]}';
    const failing = any(
      noteTool(
        { name: 'failing' },
        { execute: () => Promise.reject(new ToolFailure({ code: 'ExecutionFailed', message })) },
      ),
    );
    const gate = await openTestGate({ tools: [failing], config: defaultConfig({ output: { max_bytes: 10 } }) });
    expect((await gate.run(call('failing')))[0]?.result.content).toBe(message);
  });

  it('has the workspace copied as soon as a command is asked for, and for nothing else', async () => {
    const prepared: string[] = [];
    const commands = {
      prepare: ({ workingDirectory, isDenied }: { workingDirectory: string; isDenied: (path: string) => boolean }) =>
        void prepared.push(workingDirectory, String(isDenied('a.txt')), String(isDenied('key.pem'))),
      run: () => Promise.reject(new Error('nothing is run here')),
      confinement: async () => ({ available: false, problem: null }),
    };
    const command = any(noteTool({ name: 'command', sideEffecting: true, requiredCapabilities: ['process.run'] }, {}));
    const gate = await openTestGate({ tools: [writes(), command], parts: { commands } });
    await gate.sheet(gate.submit([call('writes')]));
    expect(prepared).toEqual([]);
    await gate.sheet(gate.submit([call('writes'), call('command')]));
    expect(prepared).toEqual([gate.workspace, 'false', 'true']);
  });

  it('a command’s failure is ABORTED and keeps its output', async () => {
    const output = { ...noteOutput('said before it failed'), structured: null };
    const command = any(
      noteTool(
        { name: 'command', requiredCapabilities: ['process.run'] },
        {
          execute: () =>
            Promise.reject(new ToolFailureWithOutput({ code: 'ExecutionFailed', message: 'exit code 3' }, output)),
        },
      ),
    );
    const gate = await openTestGate({ tools: [command] });
    const settled = await gate.run(call('command'));
    expect(states(settled)).toEqual(['ABORTED']);
    expect(settled[0]?.result.content).toBe('command failed: exit code 3\n\nsaid before it failed');
  });

  it('retries what is idempotent and ran out of time, visibly, and no more than three times', async () => {
    let attempts = 0;
    const flaky = any(
      noteTool(
        { name: 'flaky', idempotent: true },
        {
          timeoutMs: () => 20,
          execute: ({ text }, context) => {
            attempts += 1;
            return attempts < 3 ? untilAborted(context) : Promise.resolve(noteOutput(text));
          },
        },
      ),
    );
    const gate = await openTestGate({ tools: [flaky] });
    const seen: string[] = [];
    gate.journal.onCommit((events) => seen.push(...events.map(({ type }) => type)));
    expect(codes(await gate.run(call('flaky')))).toEqual([null]);
    expect(attempts).toBe(3);
    expect(seen.filter((type) => type === 'call-retrying')).toHaveLength(2);
    attempts = -100;
    expect(codes(await gate.run(call('flaky')))).toEqual(['Timeout']);
    expect(attempts).toBe(-96);
  });

  it('FR-REG-04b: what a model has room for is shared by the calls that have no result yet', async () => {
    const gate = await openTestGate({ tools: [reads()] });
    const texts = ['x', 'y'.repeat(100), 'z'.repeat(100), 'w'.repeat(30)];
    const calls = texts.map((text) => call('reads', text));
    const settled = await gate.submit(calls, { capacityBytes: 243 }).settled;
    // 60 of 243; then 78 of 235, and half of what is left each time: what a text takes, it takes in tokens, four bytes each.
    const takes = settled.map(({ result }) => contextRoom(result.content));
    expect(takes[0]).toBe(8);
    expect(takes[1]).toBeGreaterThan(60);
    expect(takes[1]).toBeLessThanOrEqual(78);
    expect(takes[2]).toBeLessThanOrEqual((235 - (takes[1] ?? 0)) / 2);
    expect(settled[1]?.result.content).toContain('... [output truncated]');
    expect(settled[3]?.result.content).toBe('w'.repeat(30));
    const none = await gate.submit(calls, { capacityBytes: 0 }).settled;
    expect(none.map(({ result }) => result.content)).toEqual(['', '', '', '']);
  });

  it('cuts and cleans what callers get', async () => {
    const gate = await openTestGate({ tools: [reads()], config: defaultConfig({ output: { max_bytes: 40 } }) });
    const [cut, clean] = await gate.run(call('reads', 'é'.repeat(100)), call('reads', 'a\u001b[31mb\u0007c'));
    expect(Buffer.byteLength(cut?.result.content ?? '')).toBeLessThanOrEqual(40);
    expect(cut?.result.content.endsWith('... [output truncated]')).toBe(true);
    expect(clean?.result.content).toBe('abc');
    expect(clean?.result.structured?.['controlCharactersRemoved']).toBe(6);
  });
});
