import type { DomainChangeView, DomainToolView, DomainView, DomainWorkerView } from '#contract/window/tools/domain.js';
import type { WorkerIsolation } from '../../domain/ports/sources/worker.js';
import {
  resolveEgress,
  type PackagedTool,
  resolveConcurrency,
  type PackagePolicies,
  resolveTimeoutSec,
} from '../../tools/packages/domain-package.js';
import type { Generation, WorkerState } from '../../tools/packages/package-generation.js';
import type { PackageChange } from '../../tools/packages/package-acceptance.js';
import type { PackageHost } from '../../tools/packages/package-host.js';
import { waitsFor } from './package-notices.js';

interface PackageFolder {
  readonly folder: string;
}

/** The domain as the window shows it. */
export function domainView({ now, problems, lastChange, waiting }: PackageHost, known: PackageFolder): DomainView {
  const waits = waiting === null ? null : { domainId: waiting.offered.package.domainId, words: waitsFor(waiting) };
  if (now === null) return { folder: known.folder, taken: null, problems, waits };
  const { package: taken, policies, served } = now;
  const names = new Map(served.tools.map(({ id, name }) => [id, name]));
  return {
    folder: known.folder,
    problems,
    waits,
    taken: {
      domainId: taken.domainId,
      version: taken.version,
      tools: taken.tools.map((tool) => toolView(tool, names.get(tool.id) ?? tool.id, policies)),
      workers: now.workers.map((worker) => workerView(worker, now)),
      policies: {
        global: policies.global,
        defaultTimeoutSec: policies.defaultTimeoutSec,
        maxWaiting: policies.maxWaiting,
        maxWaitSec: policies.maxWaitSec,
        egress: policies.egress ?? [],
        logLevel: policies.logLevel,
      },
      change: lastChange === null ? null : changeView(lastChange),
    },
  };
}

const toolView = (tool: PackagedTool, name: string, policies: PackagePolicies): DomainToolView => ({
  id: tool.id,
  name,
  asks: tool.requiresApproval,
  risk: tool.risk,
  securityLevel: tool.securityLevel,
  timeoutSec: resolveTimeoutSec(tool, policies),
  places: resolveConcurrency(tool.id, policies),
  worker: tool.worker?.name ?? null,
  address: tool.baseUrl,
  egress: resolveEgress(tool, policies),
});

function workerView(worker: WorkerState, now: Generation): DomainWorkerView {
  const secrets = new Set(
    now.package.tools.filter(({ id }) => worker.toolIds.includes(id)).flatMap((tool) => tool.secrets),
  );
  const { kind, toolIds, running, healthy, restarts, problem, isolation, log } = worker;
  return {
    name: worker.worker,
    kind,
    tools: toolIds,
    running,
    healthy,
    restarts,
    problem,
    isolation: isolation === null ? 'not known yet' : HELD_BY[isolation.by],
    lacking: isolation?.lacking ?? [],
    secrets: [...secrets].map((name) => ({ name, given: now.secretOf(name) !== null })),
    log,
  };
}

const HELD_BY: Readonly<Record<WorkerIsolation['by'], string>> = {
  podman: 'container (Podman)',
  docker: 'container (Docker)',
  gvisor: 'container (gVisor)',
  bubblewrap: 'sandbox (bubblewrap)',
  none: 'nothing: it isn’t started',
};

function changeView({ from, added, changed, gone }: PackageChange): DomainChangeView | null {
  return from === null || added.length + changed.length + gone.length === 0
    ? null
    : { from: `${from.domainId} ${from.version}`, added, changed, gone };
}
