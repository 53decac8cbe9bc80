import type { NetworkUse } from '#contract/vocabulary/calls.js';

/** Runs the workers of a domain package on this machine. Joined to the package's tools in `app/`. */
export interface WorkerRunner {
  /** Resolves the name of an image on this machine to its id now; null where there is none, or no engine is here. */
  imageId(image: string): Promise<string | null>;
  /** Says what would confine this worker here, and which of its bounds this machine would silently ignore. */
  isolationOf(plan: WorkerPlan): Promise<WorkerIsolation>;
  /** Starts one. Resolves once its HTTP server takes connections; rejects with a `WorkerProblem` (it never listened, it can't be built, …). */
  start(plan: WorkerPlan, signal: AbortSignal): Promise<RunningWorker>;
  /** Ends all that runs, whatever it does. */
  close(): Promise<void>;
}

/** Image ids by name, as they were when it was accepted; null where there was no such image here. */
export type ImageIds = Readonly<Record<string, string | null>>;

export interface WorkerPlan {
  /** The id of the package: for words, names of containers and the list of what a crash left. */
  readonly domainId: string;
  readonly version: string;
  readonly worker: string;
  /** The copy of the package in the data folder: read-only to the worker. */
  readonly packageFolder: string;
  /** The digest of every file of it. */
  readonly packageDigest: string;
  readonly runs:
    | { readonly kind: 'command'; readonly command: readonly string[]; readonly portEnv: string }
    | { readonly kind: 'build'; readonly folder: string; readonly bases: ImageIds; readonly port: number }
    /** `id`: the id of the image when it was accepted; null where there was no such image here. */
    | { readonly kind: 'image'; readonly image: string; readonly id: string | null; readonly port: number };
  readonly gvisor: boolean;
  /** host:port; nothing else is reached. */
  readonly egress: readonly string[];
  /** Secrets by name; resolved as it is started, kept nowhere. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly limits: { readonly memoryMb: number; readonly processes: number; readonly cpus: number };
}

export interface WorkerIsolation {
  readonly by: 'podman' | 'docker' | 'gvisor' | 'bubblewrap' | 'none';
  /** Bounds that are promised elsewhere and do not hold here, in words a person reads. */
  readonly lacking: readonly string[];
}

export interface RunningWorker {
  readonly isolation: WorkerIsolation;
  /** A Unix socket on which its HTTP server is reached. */
  readonly socketPath: string;
  readonly pid: number | null;
  /** The end of its log, fit to be read. */
  log(): string;
  /** Marks the traffic so far, reached and refused; `trafficSince` a mark taken before a call tells that call's own. */
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
