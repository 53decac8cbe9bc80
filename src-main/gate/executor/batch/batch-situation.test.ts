import { expect, it } from 'vitest';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import { BatchSituation } from './batch-situation.js';

const situation = (isOpen: boolean): PlanningSituation => ({ workspace: '/w', isOpen }) as PlanningSituation;

it('a batch keeps the situation it was planned in, and says what is in force in its folder now', () => {
  const [first, second, closed] = [situation(true), situation(true), situation(false)];
  let inForce = first;
  const batch = new BatchSituation(() => inForce);
  inForce = second;
  expect(batch.asPlanned).toBe(first);
  expect(batch.now()).toBe(second);
  batch.planMore();
  expect(batch.asPlanned).toBe(second);
  inForce = closed;
  expect(batch.asPlanned).toBe(second);
  expect(batch.now()).toBe(closed);
  batch.planMore();
  expect(batch.asPlanned).toBe(closed);
  expect(batch.workspace).toBe('/w');
});
