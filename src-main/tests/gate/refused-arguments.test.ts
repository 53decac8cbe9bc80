import { expect, it } from 'vitest';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';
import { call, reads, writes } from './gate-tools.test-support.js';

it('of the arguments of a refused call 4 KB and their hash are kept; of one that waits or runs all', async () => {
  const gate = await openTestGate({
    tools: [reads(), writes()],
    config: defaultConfig({ max_tool_args_bytes: 50_000 }),
  });
  const received = new Map<string, number>();
  gate.journal.onCommit((events) => {
    for (const event of events)
      if (event.type === 'call-received') received.set(event.callId, JSON.stringify(event.arguments).length);
  });
  const [refused, unknown, ran] = await gate.run(
    call('reads', 'x'.repeat(60_000)),
    call('nobody', 'x'.repeat(60_000)),
    call('reads', 'x'.repeat(40_000)),
  );
  const size = (settled: typeof ran): number => received.get(settled?.summary.callId ?? '') ?? 0;
  expect(refused?.failure?.code).toBe('LimitsExceeded');
  expect(unknown?.failure?.code).toBe('UnknownTool');
  expect(size(refused)).toBeLessThan(4400);
  expect(size(unknown)).toBeLessThan(4400);
  expect(size(ran)).toBeGreaterThan(40_000);
  const batch = gate.submit([call('writes', 'y'.repeat(40_000))]);
  await gate.decide(batch, { kind: 'deny-all' });
  expect(size((await batch.settled)[0])).toBeGreaterThan(40_000);
});

it('a secret that is cut in two is not kept in part', async () => {
  const gate = await openTestGate({ tools: [reads()] });
  const kept: string[] = [];
  gate.journal.onCommit((events) => {
    for (const event of events) if (event.type === 'call-received') kept.push(JSON.stringify(event.arguments));
  });
  const secret = `ghp_${'Q7'.repeat(18)}`;
  for (let before = 4030; before < 4090; before += 7)
    await gate.run(call('nobody', `${' '.repeat(before)}${secret}${'x'.repeat(99)} `));
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.join('\n')).not.toMatch(/ghp_Q|Q7Q7/u);
});
