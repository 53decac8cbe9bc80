import type { WorkerPlan, WorkerRunner } from '../../../domain/ports/sources/worker.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { PlacedWorker } from './placed-worker.js';
import { unavailableFailure } from './service-worker.js';

/** Starts a worker for one request: it is asked once, and ended. */
export async function startJob(
  runner: Pick<WorkerRunner, 'start'>,
  plan: WorkerPlan,
  signal: AbortSignal,
): Promise<PlacedWorker> {
  try {
    const running = await runner.start(plan, signal);
    const mark = running.mark();
    return {
      running,
      traffic: () => running.trafficSince(mark),
      answered: () => undefined,
      done: () => running.stop(0),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolFailure(unavailableFailure(plan.worker, error));
  }
}
