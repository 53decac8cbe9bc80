import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * The adversary: a thread that does nothing but put links in the place of folders and files, and back, as fast as the
 * system lets it. What a tool made in the gap is removed, so that the swapping goes on.
 */
const ADVERSARY = `
const { performance } = require('node:perf_hooks');
const { parentPort, workerData } = require('node:worker_threads');
const fs = require('node:fs');
const { dirname } = require('node:path');
const stop = new Int32Array(workerData.stop);
const moved = (from, to) => {
  try { fs.renameSync(from, to); return true; } catch { return false; }
};
const clear = (path) => {
  try { fs.rmSync(path, { recursive: true, force: true }); } catch {}
};
let swaps = 0;
parentPort.postMessage('ready');
while (Atomics.load(stop, 0) === 0) {
  for (const { path, real, link } of workerData.sites) {
    if (!moved(path, real)) continue;
    if (!moved(link, path)) { clear(path); moved(link, path); }
    moved(path, link);
    while (!moved(real, path)) {
      clear(path);
      // Empty in the gap, it may have been taken for a folder that a tool made and takes back.
      try { fs.mkdirSync(dirname(path)); } catch {}
    }
    swaps += 1;
    // Long enough in place for a check to pass, short enough for the walk after it to be overtaken.
    const until = performance.now() + Math.random() * workerData.restMs;
    while (performance.now() < until);
  }
}
parentPort.postMessage(swaps);
`;

/** A path, and beside it where the real thing is put meanwhile and where the link waits. */
export interface SwapSite {
  readonly path: string;
  readonly real: string;
  readonly link: string;
}

export const swapSite = (path: string, waiting: string): SwapSite => ({
  path,
  real: `${waiting}.real`,
  link: `${waiting}.link`,
});

export class Swapper {
  readonly #worker: Worker;
  readonly #stop: Int32Array;

  private constructor(worker: Worker, stop: Int32Array) {
    this.#worker = worker;
    this.#stop = stop;
  }

  static async start(sites: readonly SwapSite[], restMs = 0.1): Promise<Swapper> {
    const stop = new SharedArrayBuffer(4);
    const worker = new Worker(ADVERSARY, { eval: true, workerData: { sites, stop, restMs } });
    await once(worker, 'message');
    return new Swapper(worker, new Int32Array(stop));
  }

  /** How many swaps it made; everything is back in its place. */
  async stop(): Promise<number> {
    const told = once(this.#worker, 'message');
    Atomics.store(this.#stop, 0, 1);
    const [swaps] = (await told) as [number];
    await this.#worker.terminate();
    return swaps;
  }
}
