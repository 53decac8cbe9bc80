import { expect, test } from 'vitest';
import type { AppEvent } from '#contract/window/app-events.js';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';
import { approveAll } from './decide-all.js';

const sheet = (digest: string, risk: 'low' | 'high') =>
  ({ batchId: 'b', digest, calls: [{ callId: 'c', risk }] }) as unknown as ApprovalRequest;

test('A sheet is approved once it stood; one that changed meanwhile as it is by then, and High risk by name', async () => {
  let shown: readonly ApprovalRequest[] = [sheet('first', 'low')];
  let tell: (event: AppEvent) => void = () => undefined;
  const due: (() => void)[] = [];
  const decided: DecisionMessage[] = [];
  const stop = approveAll({
    onEvent: (listener) => {
      tell = listener;
      return () => (tell = () => undefined);
    },
    approvals: () => shown,
    decide: (message) => {
      decided.push(message);
      const isStale = message.digest === 'first';
      return Promise.resolve(isStale ? { ok: false, problem: 'stale', message: '' } : { ok: true, value: null });
    },
    after: (_ms, run) => due.push(run),
  });
  const approval = { type: 'approval', approval: sheet('first', 'low') } as unknown as AppEvent;
  tell(approval);
  tell(approval);
  expect(decided).toEqual([]);
  expect(due).toHaveLength(1);
  due.shift()?.();
  await expect.poll(() => due.length).toBe(1);
  shown = [sheet('second', 'high')];
  due.shift()?.();
  expect(decided.map(({ digest, highRisk }) => [digest, [...(highRisk ?? [])]])).toEqual([
    ['first', []],
    ['second', ['c']],
  ]);
  // What was taken back by then is not decided.
  await expect.poll(() => decided.length).toBe(2);
  shown = [];
  tell(approval);
  due.shift()?.();
  expect(decided).toHaveLength(2);
  stop();
  tell(approval);
  expect(due).toEqual([]);
});
