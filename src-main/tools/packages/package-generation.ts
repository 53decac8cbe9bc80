import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract/vocabulary/json.js';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import type { Outside } from '../../domain/ports/outside.js';
import type { ServedDomain } from '../../domain/ports/sources/domain.js';
import type { RunningWorker, WorkerIsolation, WorkerPlan, WorkerRunner } from '../../domain/ports/sources/worker.js';
import type { ProcessTerms } from '../../domain/tool/terms.js';
import { assignModelNames } from '../foreign/model-names.js';
import {
  type DomainPackage,
  resolveEgress,
  type PackagedTool,
  type PackagePolicies,
  resolveTimeoutSec,
} from './domain-package.js';
import { createDomainTool } from './domain-tool.js';
import { startJob } from './workers/job-worker.js';
import type { PlacedWorker } from './workers/placed-worker.js';
import { SERVICE_TIMES, type ServiceState, ServiceWorker, type ServiceTimes } from './workers/service-worker.js';

export interface GenerationDeps {
  readonly runner: WorkerRunner;
  readonly outside: Outside;
  readonly withoutSecrets: (value: Json) => Promise<Json>;
  readonly now: () => number;
  /** The current value of a worker's secret; null where there is none. */
  readonly secretOf: (name: string) => string | null;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', what: string, facts: object) => void;
  readonly onChange: () => void;
  readonly startFailed: () => void;
  readonly times?: ServiceTimes;
}

/** The state of a worker that the gateway runs, for the person. */
export interface WorkerState extends ServiceState {
  readonly worker: string;
  readonly kind: 'service_worker' | 'job_worker';
  readonly toolIds: readonly string[];
  readonly isolation: WorkerIsolation | null;
  readonly log: string;
}

/** Bounds of one worker, whatever its package says. */
const LIMITS = { memoryMb: 512, processes: 64, cpus: 1 } as const;

/** A package in force, with its copy, its tools and its workers. Another package is another one of these. */
export class Generation {
  readonly package: DomainPackage;
  /** The copy. */
  readonly folder: string;
  readonly #parts: GenerationDeps;
  #policies: PackagePolicies;
  #tools: readonly RegisteredTool[] = [];
  readonly #names: ReadonlyMap<string, string | null>;
  readonly #isolations = new Map<string, WorkerIsolation>();
  readonly #services = new Map<string, ServiceWorker>();
  #jobs = 0;
  #onJobsDone: (() => void) | null = null;

  constructor(taken: DomainPackage, folder: string, parts: GenerationDeps) {
    this.package = taken;
    this.folder = folder;
    this.#parts = parts;
    this.#policies = taken.policies;
    this.#names = assignModelNames(taken.tools.map(({ id }) => ({ id, name: id.replace('.', '__') })));
  }

  /** The current value of a secret of its workers. */
  secretOf(name: string): string | null {
    return this.#parts.secretOf(name);
  }

  get policies(): PackagePolicies {
    return this.#policies;
  }

  /**
   * Puts policies in force. A worker that reaches something else by them is another one, and the one before ends with
   * its calls.
   */
  set policies(policies: PackagePolicies) {
    const before = this.#policies;
    this.#policies = policies;
    for (const [key, [tool]] of this.#localWorkers()) {
      const service = this.#services.get(key);
      if (service === undefined || isDeepStrictEqual(resolveEgress(tool, before), resolveEgress(tool, policies)))
        continue;
      this.#replaceService(key, tool, service);
    }
    this.#makeTools();
  }

  /** Where what its secrets stand for is another by now. */
  renewWorkers(): void {
    for (const [key, [tool]] of this.#localWorkers()) {
      const service = this.#services.get(key);
      if (service?.isOutdated === true) this.#replaceService(key, tool, service);
    }
  }

  /** Calls in flight end as they began, by the one before. */
  #replaceService(key: string, tool: PackagedTool, before: ServiceWorker): void {
    this.#services.delete(key);
    void before.retire();
    this.#ensureService(key, tool).begin();
  }

  get tools(): readonly RegisteredTool[] {
    return this.#tools;
  }

  get served(): ServedDomain {
    const { domainId, version, tools } = this.package;
    return {
      domainId,
      version,
      tools: tools.map((tool) => ({
        id: tool.id,
        name: this.#names.get(tool.id) ?? tool.id,
        displayName: tool.displayName,
        description: tool.description,
        capabilities: tool.capabilities,
        timeoutSec: resolveTimeoutSec(tool, this.#policies),
        egress: resolveEgress(tool, this.#policies),
        transportEndpoint: tool.endpoint,
        idempotent: tool.idempotent,
        inputSchema: tool.inputSchema,
        outputSchema: tool.outputSchema,
      })),
    };
  }

  get workers(): readonly WorkerState[] {
    return [...this.#localWorkers()].map(([key, tools]) => {
      const [first] = tools;
      const service = this.#services.get(key);
      return {
        worker: first.worker?.name ?? '',
        kind: first.kind,
        toolIds: tools.map(({ id }) => id),
        isolation: this.#isolations.get(key) ?? null,
        ...(service?.state ?? { running: 'stopped', healthy: null, restarts: 0, problem: null }),
        log: service?.log ?? '',
      };
    });
  }

  /** Looks how its workers would be held, so that sheets say what is so. Nothing is started. */
  async prepare(): Promise<void> {
    for (const [key, [tool]] of this.#localWorkers()) {
      const isolation = await this.#parts.runner.isolationOf(this.#buildPlan(tool)).catch((error: unknown) => ({
        by: 'none' as const,
        lacking: [error instanceof Error ? error.message : String(error)],
      }));
      this.#isolations.set(key, isolation);
    }
    this.#makeTools();
  }

  /** Starts the service workers. */
  begin(): void {
    for (const [key, [tool]] of this.#localWorkers())
      if (tool.kind === 'service_worker') this.#ensureService(key, tool).begin();
  }

  /** Lets the calls in flight end as they began; then its workers end. */
  async retire(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.retire()));
    if (this.#jobs > 0) await new Promise<void>((resolve) => (this.#onJobsDone = resolve));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.close()));
  }

  #makeTools(): void {
    this.#tools = this.package.tools.flatMap((tool) => {
      const name = this.#names.get(tool.id) ?? null;
      if (name === null) return [];
      return [
        createDomainTool({
          domainId: this.package.domainId,
          tool,
          name,
          policies: () => this.#policies,
          withoutSecrets: this.#parts.withoutSecrets,
          outside: this.#parts.outside,
          now: this.#parts.now,
          held: tool.worker === null ? null : toProcessTerms(this.#isolations.get(tool.worker.key) ?? null),
          place: (signal) => this.#takeWorker(tool, signal),
          log: this.#parts.log,
        }),
      ];
    });
  }

  async #takeWorker(tool: PackagedTool, signal: AbortSignal): Promise<PlacedWorker> {
    if (tool.worker === null) throw new Error(`${tool.id} runs elsewhere.`);
    if (tool.kind === 'service_worker') return this.#ensureService(tool.worker.key, tool).use(signal);
    this.#jobs += 1;
    const over = (): void => {
      this.#jobs -= 1;
      if (this.#jobs === 0) this.#onJobsDone?.();
    };
    try {
      const runner = { start: (plan: WorkerPlan, stop: AbortSignal) => this.#start(plan, stop) };
      const placed = await startJob(runner, this.#buildPlan(tool), signal);
      return { ...placed, done: () => placed.done().finally(over) };
    } catch (error) {
      over();
      throw error;
    }
  }

  async #start(plan: WorkerPlan, signal: AbortSignal): Promise<RunningWorker> {
    try {
      return await this.#parts.runner.start(plan, signal);
    } catch (error) {
      this.#parts.startFailed();
      throw error;
    }
  }

  #localWorkers(): ReadonlyMap<string, readonly [PackagedTool, ...PackagedTool[]]> {
    const local = this.package.tools.filter(({ worker }) => worker !== null);
    return Map.groupBy(local, ({ worker }) => worker?.key ?? '') as Map<string, [PackagedTool, ...PackagedTool[]]>;
  }

  #ensureService(key: string, tool: PackagedTool): ServiceWorker {
    const known = this.#services.get(key);
    if (known !== undefined) return known;
    const made = new ServiceWorker({
      runner: { start: (plan, signal) => this.#start(plan, signal) },
      plan: () => this.#buildPlan(tool),
      outside: this.#parts.outside,
      times: this.#parts.times ?? SERVICE_TIMES,
      onChange: this.#parts.onChange,
      log: this.#parts.log,
    });
    this.#services.set(key, made);
    return made;
  }

  #buildPlan(tool: PackagedTool): WorkerPlan {
    const { secretOf } = this.#parts;
    return buildWorkerPlan(this.package, tool, {
      packageFolder: this.folder,
      egress: resolveEgress(tool, this.#policies),
      secretOf,
    });
  }
}

interface WorkerPlanInput {
  readonly packageFolder: string;
  readonly egress: readonly string[];
  readonly secretOf: (name: string) => string | null;
}

/** How its worker is started, with what its secrets stand for now. */
export function buildWorkerPlan(
  { domainId, version, digest }: DomainPackage,
  tool: PackagedTool,
  given: WorkerPlanInput,
): WorkerPlan {
  const { worker } = tool;
  if (worker === null) throw new Error(`${tool.id} runs elsewhere.`);
  const secrets = tool.secrets.flatMap((name) => {
    const value = given.secretOf(name);
    return value === null ? [] : [[name, value] as const];
  });
  const { packageFolder, egress } = given;
  return {
    domainId,
    version,
    worker: worker.name,
    packageFolder,
    packageDigest: digest,
    runs: worker.runs,
    gvisor: worker.gvisor,
    egress,
    secrets: Object.fromEntries(secrets),
    limits: LIMITS,
  };
}

/**
 * The isolation of a worker in the words of sheets. A worker that nothing would hold is not started: its call fails,
 * and says why.
 */
function toProcessTerms(isolation: WorkerIsolation | null): ProcessTerms {
  const lacks = isolation === null || isolation.lacking.length === 0 ? null : isolation.lacking.join(' ');
  return isolation === null || isolation.by === 'none'
    ? { asked: 'required', held: 'refused', lacks: null, why: lacks ?? 'nothing on this computer can hold a worker.' }
    : { asked: 'required', held: 'confined', lacks, why: null };
}
