import { WorkerProblem, type WorkerRunner } from '../../domain/ports/sources/worker.js';

const NOTHING = 'This version can’t run workers itself: run it elsewhere, and say where as transport.base_url.';

export const noRunner: WorkerRunner = {
  isolationOf: async () => ({ by: 'none', lacking: [NOTHING] }),
  start: async () => {
    throw new WorkerProblem(NOTHING);
  },
  close: async () => undefined,
};
