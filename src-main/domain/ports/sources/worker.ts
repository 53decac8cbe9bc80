import type { NetworkUse } from '#contract/vocabulary/calls.js';

/** What runs the workers of a domain package on this machine. Joined to the package's tools in `app/`. */
export interface WorkerRunner {
  /** What the name of an image stands for on this machine now; null where it stands for none, or no engine is here. */
  imageId(image: string): Promise<string | null>;
  /** What would hold this worker here, and which of its bounds this machine would silently ignore. */
  isolationOf(plan: WorkerPlan): Promise<WorkerIsolation>;
  /** Starts one. Resolves once its HTTP server takes connections; rejects with a `WorkerProblem` (it never listened, it can't be built, …). */
  start(plan: WorkerPlan, signal: AbortSignal): Promise<RunningWorker>;
  /** Ends all that runs, whatever it does. */
  close(): Promise<void>;
}

/** By name: what it stood for when it was accepted; null where it stood for nothing here. */
export type ImageIds = Readonly<Record<string, string | null>>;

export interface WorkerPlan {
  /** Of the package: for words, names of containers and the list of what a crash left. */
  readonly domainId: string;
  readonly version: string;
  readonly worker: string;
  /** The copy of the package in the data folder: read-only to the worker. */
  readonly packageFolder: string;
  /** Of every file of it. */
  readonly packageDigest: string;
  readonly runs:
    | { readonly kind: 'command'; readonly command: readonly string[]; readonly portEnv: string }
    | { readonly kind: 'build'; readonly folder: string; readonly bases: ImageIds; readonly port: number }
    /** `id`: what its name stood for when it was accepted; null where it stood for nothing here. */
    | { readonly kind: 'image'; readonly image: string; readonly id: string | null; readonly port: number };
  readonly gvisor: boolean;
  /** host:port; nothing else is reached. */
  readonly egress: readonly string[];
  /** By name; resolved as it is started, kept nowhere. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly limits: { readonly memoryMb: number; readonly processes: number; readonly cpus: number };
}

export interface WorkerIsolation {
  readonly by: 'podman' | 'docker' | 'gvisor' | 'bubblewrap' | 'none';
  /** What is promised elsewhere and does not hold here, in words a person reads. */
  readonly lacking: readonly string[];
}

export interface RunningWorker {
  readonly isolation: WorkerIsolation;
  /** A Unix socket on which its HTTP server is reached. */
  readonly socketPath: string;
  readonly pid: number | null;
  /** The end of what it wrote, fit to be read. */
  log(): string;
  /** What it reached and was refused so far; `since` a mark taken before a call tells that call's own. */
  mark(): number;
  trafficSince(mark: number): NetworkUse;
  readonly ended: Promise<WorkerEnd>;
  stop(graceMs: number): Promise<void>;
}

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly limit: string | null;
}

export class WorkerProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerProblem';
  }
}
