import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, type TestGate } from './gate.test-support.js';
import { any } from './gate-tools.test-support.js';

const read = { tool: 'read_file', arguments: { path: 'a.txt' } };
const write = { tool: 'write_file', arguments: { path: 'new.txt', content: 'x' } };
const by = (agent: string) => ({ door: 'mcp', sessionId: agent, agent, joinable: true }) as const;

async function pausing(config = defaultConfig()) {
  const paused = new Set<string>();
  const gate = await openTestGate({
    tools: [any(readFileTool), any(writeFileTool)],
    config,
    parts: { isPaused: (who) => paused.has(who) },
  });
  writeFileSync(join(gate.workspace, 'a.txt'), 'a');
  return { gate, paused };
}

/** What the journal last committed of it. */
async function shown(gate: TestGate, callId: string, until: (call: CallSummary) => boolean): Promise<CallSummary> {
  const found = (): CallSummary | undefined =>
    gate.journal
      .openBatches()
      .flatMap(({ calls }) => calls.map((each) => (each.settled ? each.summary : each.call.summary)))
      .find((call) => call.callId === callId);
  for (let call = found(); ; call = found()) {
    if (call !== undefined && until(call)) return call;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('A paused agent’s calls wait in the queue, recorded, with why; another’s run; resumed, they run', async () => {
  const { gate, paused } = await pausing();
  paused.add('agent codex');
  const held = gate.submit([read], by('codex'));
  const callId = held.calls[0]?.callId ?? '';
  const waiting = await shown(gate, callId, ({ reason }) => reason !== null);
  expect(waiting).toMatchObject({ display: 'pending', outcome: null, reason: 'codex is paused.' });
  expect(codes(await gate.submit([read], by('zed')).settled)).toEqual([null]);
  expect(gate.orchestrator.stopCall('no such call')).toBe(false);
  paused.clear();
  gate.queueChanged();
  expect(codes(await held.settled)).toEqual([null]);
});

it('What a paused agent asks about is decided by nobody’s clock, and what is approved meanwhile waits', async () => {
  const config = defaultConfig();
  const { gate, paused } = await pausing({
    ...config,
    tools: { ...config.tools, approval: { ...config.tools.approval, wait_seconds: 0.05 } },
  });
  paused.add('agent codex');
  const held = gate.submit([write], by('codex'));
  const other = gate.submit([write], by('zed'));
  // The other’s time is over long after that of the paused one would have been.
  expect(codes(await other.settled)).toEqual(['NoDecision']);
  await gate.decide(held, { kind: 'approve-all' });
  const callId = held.calls[0]?.callId ?? '';
  await shown(gate, callId, ({ reason }) => reason === 'codex is paused.');
  paused.clear();
  gate.queueChanged();
  expect(codes(await held.settled)).toEqual([null]);
});

it('A call of a paused agent can be stopped, by its caller too', async () => {
  const { gate, paused } = await pausing();
  paused.add('agent codex');
  const [one, other] = [gate.submit([read], by('codex')), gate.submit([read], by('codex'))];
  await shown(gate, one.calls[0]?.callId ?? '', ({ reason }) => reason !== null);
  one.cancel();
  expect(codes(await one.settled)).toEqual(['Cancelled']);
  await shown(gate, other.calls[0]?.callId ?? '', () => true);
  expect(gate.orchestrator.stopCall(other.calls[0]?.callId ?? '')).toBe(true);
  expect(codes(await other.settled)).toEqual(['Cancelled']);
});
