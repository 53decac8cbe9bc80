/**
 * What every benchmark is made of: one thing of ours and one peer (a bare floor, or another way to do the same), measured
 * in turn in the same run so that a busy machine slows both, warmed up first, sampled often, told as median and p95.
 * A module `<name>.bench.ts` exports `run`; see startup.bench.ts for one.
 */
export interface Measured {
  readonly name: string;
  /** One sample: the figure itself, in the comparison's unit. `timed` makes one of a piece of work. */
  readonly sample: () => number | Promise<number>;
}

export interface Comparison {
  readonly name: string;
  readonly unit: 'ms' | 'µs' | 'MB' | 'MB/s' | 'per s' | 'asked';
  readonly subject: Measured;
  readonly peer: Measured;
  readonly warmUp?: number;
  readonly samples?: number;
  /** What the ratio (subject ÷ peer, of medians) should be. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

export interface Figures {
  readonly name: string;
  readonly median: number;
  readonly p95: number;
  readonly samples: readonly number[];
}

export interface BenchResult {
  readonly name: string;
  readonly unit: Comparison['unit'];
  readonly subject: Figures;
  readonly peer: Figures;
  readonly ratio: number;
  readonly goal: { readonly text: string; readonly met: boolean } | null;
}

export type Compare = (comparison: Comparison) => Promise<BenchResult>;
export interface BenchModule {
  readonly run: (compare: Compare) => Promise<void>;
}

export async function compare(comparison: Comparison): Promise<BenchResult> {
  const { subject, peer, warmUp = 3, samples = 30, goal } = comparison;
  const subjectSamples: number[] = [];
  const peerSamples: number[] = [];
  for (let at = -warmUp; at < samples; at += 1) {
    // Who goes first changes each time: neither always gets the other's warm caches.
    const order = at % 2 === 0 ? ([subject, peer] as const) : ([peer, subject] as const);
    for (const measured of order) {
      collectGarbage();
      const value = await measured.sample();
      if (at >= 0) (measured === subject ? subjectSamples : peerSamples).push(value);
    }
  }
  const ours = figures(subject.name, subjectSamples);
  const theirs = figures(peer.name, peerSamples);
  const ratio = ours.median / theirs.median;
  return {
    name: comparison.name,
    unit: comparison.unit,
    subject: ours,
    peer: theirs,
    ratio,
    goal: goal === undefined ? null : judge(goal, ratio),
  };
}

/** How long `work` takes, in ms. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function figures(name: string, samples: readonly number[]): Figures {
  return { name, median: quantile(samples, 0.5), p95: quantile(samples, 0.95), samples };
}

export function quantile(samples: readonly number[], fraction: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

function judge(goal: NonNullable<Comparison['goal']>, ratio: number): { text: string; met: boolean } {
  return 'atMost' in goal
    ? { text: `≤ ${goal.atMost}×`, met: ratio <= goal.atMost }
    : { text: `≥ ${goal.atLeast}×`, met: ratio >= goal.atLeast };
}

function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
