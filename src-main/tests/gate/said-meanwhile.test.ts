import { describe, expect, it } from 'vitest';
import { call, any } from './gate-tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { elsewhereTool, sent } from './elsewhere-tool.test-support.js';
import { openTestGate } from './gate.test-support.js';

/** Nothing that runs for a call has a way to whoever asked, or to the window, but one: without secrets, and on record before it is told. */

const SECRET = `ghp_${'a1'.repeat(18)}`;
const config = defaultConfig({ approval: { confirmed: [{ tool: 'elsewhere' }] } });

async function running() {
  const go = Promise.withResolvers<void>();
  const tool = elsewhereTool(async ({ text }, { emit, onProgress, onCheckpoint }) => {
    const [first, second] = [SECRET.slice(0, 12), SECRET.slice(12)];
    await emit('stderr', `Authorization: Bearer ${first}`);
    await emit('stderr', `${second}\ndone\n`);
    onProgress({ percent: 10, phase: `with ${SECRET}` });
    onCheckpoint({ id: 'c', kind: 'macro', label: `passed ${SECRET}`, at: 1, stateBytes: 0 });
    await go.promise;
    return sent(text);
  });
  const gate = await openTestGate({ tools: [any(tool as never)], config });
  const inOrder: string[] = [];
  gate.journal.onCommit((events) => {
    if (events.some(({ type }) => type === 'text-given')) inOrder.push('on record');
  });
  return { gate, go, inOrder };
}

describe('what is said while a call runs', () => {
  it('is without secrets, wherever a piece of it ends, for the window, who follows it and the record', async () => {
    const { gate, go, inOrder } = await running();
    const batch = gate.submit([call('elsewhere', 'x')], { door: 'mcp', agent: 'codex' });
    const [running_] = batch.calls;
    running_?.onOutput(({ text }) => void inOrder.push(text));
    running_?.onProgress((progress) => {
      if (progress.type === 'progress') inOrder.push(progress.phase ?? '');
      if (progress.type === 'checkpoint') inOrder.push(progress.label ?? '');
    });
    await expect.poll(() => running_?.checkpoint?.label ?? null).not.toBeNull();
    await expect.poll(() => inOrder.join('')).toContain('done');
    expect(inOrder[0]).toBe('on record');
    expect(inOrder.join('')).not.toContain(SECRET.slice(12));
    expect(inOrder.filter((said) => said === 'on record')).toHaveLength(1);
    expect(running_?.told?.phase).toBe('with [redacted]');
    go.resolve();
    const [settled] = await batch.settled;
    expect(settled?.failure).toBeNull();
    expect(JSON.stringify([gate.events, settled])).not.toContain(SECRET.slice(12));
    // A secret stood in it: what was given is private.
    const given = gate.journal.given.all().flatMap(({ texts }) => texts);
    expect(given).toMatchObject([{ name: 'Send x', isPrivate: true }]);
  });
});
