import { expect, it } from 'vitest';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate } from './gate.test-support.js';
import { call, reads, writes } from './gate-tools.test-support.js';

const config = () => {
  const defaults = defaultConfig();
  return { ...defaults, gateway: { ...defaults.gateway, limits: { ...defaults.gateway.limits, sheets: 2 } } };
};
const asked = (agent: string | null, sessionId: string) =>
  ({ door: 'mcp', client: 'c 1', agent, sessionId, joinable: true }) as const;

it('an agent has its measure of sheets; more of it is LimitsExceeded, and others are not affected', async () => {
  const gate = await openTestGate({ tools: [reads(), writes()], config: config() });
  const open = [gate.submit([call('writes')], asked('one', 's1')), gate.submit([call('writes')], asked('one', 's2'))];
  for (const batch of open) await gate.sheet(batch);
  const [refused] = await gate.submit([call('writes')], asked('one', 's3')).settled;
  expect(refused?.failure).toMatchObject({ code: 'LimitsExceeded', rule: { layer: 'agent', id: 'agent.sheets' } });
  // What asks nobody runs, and what joins an open sheet makes none.
  expect(codes(await gate.submit([call('reads')], asked('one', 's3')).settled)).toEqual([null]);
  const joined = gate.submit([call('writes', 'again')], asked('one', 's1'));
  await expect
    .poll(() => gate.sheets().map(({ calls, behind }) => [calls.length, behind.length]))
    .toEqual([
      [1, 1],
      [1, 0],
    ]);
  for (const [agent, session] of [
    ['two', 's4'],
    [null, 's5'],
  ] as const)
    open.push(gate.submit([call('writes')], asked(agent, session)));
  await expect.poll(() => gate.sheets().length).toBe(4);
  expect(gate.sheets().map(({ agent }) => agent)).toEqual(['one', 'one', 'two', null]);

  await gate.decide(open[1] as never, { kind: 'deny-all' });
  const freed = gate.submit([call('writes')], asked('one', 's3'));
  await gate.sheet(freed);
  gate.orchestrator.stopAgent('one');
  expect(codes([...(await joined.settled), ...(await freed.settled)])).toEqual(['Cancelled', 'Cancelled']);
  await expect.poll(() => gate.sheets().map(({ agent }) => agent)).toEqual(['two', null]);
});

it('what an agent left waiting is not asked again once its token is revoked', async () => {
  const before = await openTestGate({ tools: [writes()] });
  for (const agent of ['one', 'two']) await before.sheet(before.submit([call('writes', agent)], asked(agent, agent)));
  await before.close();
  const after = await openTestGate({
    tools: [writes()],
    dataDir: before.dataDir,
    workspace: before.workspace,
    parts: { statusOf: (agent) => (agent === 'one' ? 'revoked' : 'known') },
  });
  await expect.poll(() => after.sheets().map(({ agent }) => agent)).toEqual(['two']);
  expect(
    after.journal
      .openBatches()
      .flatMap(({ calls }) => calls)
      .filter(({ settled }) => !settled),
  ).toHaveLength(1);
});
