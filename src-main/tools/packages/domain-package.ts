import type { RiskLevel } from '#contract/vocabulary/calls.js';
import { parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import type { ImageIds } from '../../domain/ports/sources/worker.js';
import type { ServedTool } from '../../domain/ports/sources/domain.js';
import type { LOG_LEVELS } from './manifest-shape.js';

/** A package of tools as it was read: what is wrong in it was refused before. */
export interface DomainPackage {
  readonly domainId: string;
  readonly version: string;
  /** Sorted by id. */
  readonly tools: readonly PackagedTool[];
  readonly policies: PackagePolicies;
  /** The digest of every file. */
  readonly digest: string;
  /** The digest of every file but `policies.yaml`: a version is bound to it. */
  readonly versionDigest: string;
}

export interface PackagedTool extends Pick<
  ServedTool,
  'id' | 'displayName' | 'description' | 'capabilities' | 'egress' | 'inputSchema' | 'outputSchema' | 'idempotent'
> {
  readonly version: string;
  readonly kind: 'service_worker' | 'job_worker';
  readonly timeoutSec: number | null;
  readonly sideEffecting: boolean;
  readonly requiresApproval: boolean;
  readonly risk: RiskLevel;
  readonly securityLevel: string | null;
  /** Names of variables. */
  readonly secrets: readonly string[];
  readonly endpoint: string;
  /** Null: it runs elsewhere. */
  readonly worker: PackagedWorker | null;
  /** Null where the gateway runs it. */
  readonly baseUrl: string | null;
  /** The digest of the whole tool: its entry, its schemas, and what its worker is made of. */
  readonly digest: string;
}

/** How the gateway runs a worker. Tools of the same worker share it. */
export interface PackagedWorker {
  /** The name of the worker: the folder that it is made of, or the tool’s own id. */
  readonly name: string;
  /** Equal for tools that share it. */
  readonly key: string;
  readonly runs:
    | { readonly kind: 'command'; readonly command: readonly string[]; readonly portEnv: string }
    /** `bases`: the images that it is built on. */
    | { readonly kind: 'build'; readonly folder: string; readonly bases: ImageIds; readonly port: number }
    | { readonly kind: 'image'; readonly image: string; readonly id: string | null; readonly port: number };
  readonly gvisor: boolean;
}

export type PackageLogLevel = (typeof LOG_LEVELS)[number];

export interface PackagePolicies {
  readonly global: number;
  readonly perTool: Readonly<Record<string, number>>;
  readonly perToolDefault: number;
  readonly defaultTimeoutSec: number;
  /** Null: nothing is narrowed. */
  readonly egress: readonly string[] | null;
  readonly logLevel: PackageLogLevel;
  readonly maxWaiting: number;
  readonly maxWaitSec: number;
}

export const resolveTimeoutSec = (tool: PackagedTool, policies: PackagePolicies): number =>
  tool.timeoutSec ?? policies.defaultTimeoutSec;

export const resolveConcurrency = (toolId: string, { perTool, perToolDefault }: PackagePolicies): number =>
  (Object.hasOwn(perTool, toolId) ? perTool[toolId] : undefined) ?? perToolDefault;

/** The hosts that a tool's worker may reach: its own list, within the policies’ where that is not empty. */
export function resolveEgress(
  tool: Pick<PackagedTool, 'egress'>,
  policies: Pick<PackagePolicies, 'egress'>,
): readonly string[] {
  return intersectHosts(tool.egress, policies.egress);
}

/** The intersection of two lists of hosts. */
function intersectHosts(list: readonly string[], within: readonly string[] | null): readonly string[] {
  if (within === null) return list;
  const both = list.flatMap((own) =>
    within.some((most) => coversHost(most, own)) ? [own] : within.filter((most) => coversHost(own, most)),
  );
  return [...new Set(both)];
}

/** Policies as they count before anybody said yes to them: what they loosen waits, whatever else they say holds. */
export const tightenPolicies = (offered: PackagePolicies, inForce: PackagePolicies['egress']): PackagePolicies => ({
  ...offered,
  egress:
    offered.egress === null || inForce === null ? (offered.egress ?? inForce) : intersectHosts(offered.egress, inForce),
});

/** The hosts that the offered policies let be reached beyond those in force. */
export function findLoosenedHosts(
  offered: PackagePolicies['egress'],
  inForce: PackagePolicies['egress'],
): readonly string[] {
  if (inForce === null) return [];
  if (offered === null) return ['whatever the tools list'];
  return offered.filter((entry) => !inForce.some((most) => coversHost(most, entry)));
}

/** Whether all that one entry names, the other names too. */
function coversHost(wide: string, narrow: string): boolean {
  const [by, of] = [parseAllowedHost(wide), parseAllowedHost(narrow)];
  if (!by.ok || !of.ok || by.allowed.port !== of.allowed.port) return false;
  const { host, below } = by.allowed;
  if (!below) return !of.allowed.below && of.allowed.host === host;
  return of.allowed.host.endsWith(`.${host}`) || (of.allowed.below && of.allowed.host === host);
}
