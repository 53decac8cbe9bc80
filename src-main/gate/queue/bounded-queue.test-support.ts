import type { PlaceRequest, QueueTicket } from '../../domain/ports/gate/place-queue.js';
import { BoundedQueue } from './bounded-queue.js';

export const LIMITS = { places: 8, per_tool: 4, per_agent: 8, max_waiting: 1000, max_wait_seconds: 0 };

export const AT_ONCE = { starvationMs: () => 60_000, now: () => 0 };

export const wanted = (more: Partial<PlaceRequest> = {}): PlaceRequest => ({
  pool: 'app',
  toolId: 'tests.tool',
  tool: 'read_file',
  folder: '/w',
  agent: 'one',
  pausedAs: 'agent one',
  name: 'one',
  session: null,
  urgent: false,
  priority: 'normal',
  memoryBytes: null,
  ...more,
});

export const places = (limits: Partial<typeof LIMITS> = {}, memoryBytes = 1000) =>
  new BoundedQueue({ limits: () => ({ ...LIMITS, ...limits }), memoryBytes, isPaused: () => false, ...AT_ONCE });

export function ticket(asked: ReturnType<BoundedQueue['ask']>): QueueTicket {
  if ('code' in asked) throw new Error(asked.message);
  return asked;
}

/** Whether each ticket has been called by now. */
export async function called(tickets: readonly QueueTicket[]): Promise<readonly boolean[]> {
  const have = tickets.map(() => false);
  for (const [at, each] of tickets.entries()) void each.called.then((refusal) => (have[at] = refusal === null));
  await Promise.resolve();
  return have;
}
