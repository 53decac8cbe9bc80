import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { RequestedLimits } from '../call/call-options.js';
import { getTimeLimitMs } from './declared-limits.js';
import type { ProcessBounds, ResourceLimits, Tool } from './tool.js';

const MIB = 2 ** 20;

/** The bounds that a call of a tool could be held to, by its settings and its declaration. */
function resolveBounds({ declaration, bounds }: BoundedTool, config: Config): ProcessBounds | null {
  const { max_memory_bytes: mostMemory } = config.tools.run_command;
  if (bounds !== undefined)
    return bounds.memoryBytes === undefined
      ? bounds
      : { ...bounds, memoryBytes: Math.min(bounds.memoryBytes ?? mostMemory, mostMemory) };
  if (declaration.nature !== 'command') return null;
  return { memoryBytes: Math.min(mostMemory, declaration.resourceLimits.maxMemory ?? Infinity) };
}

type BoundedTool = Pick<Tool<never>, 'declaration' | 'timeoutMs' | 'startMs' | 'bounds'>;

/** The failure of a call that asks for more than it may have; null where it asks for no more. */
export function findExceededLimit(tool: BoundedTool, config: Config, wanted: RequestedLimits): Failure | null {
  const time = getTimeLimitMs(tool, config) - (tool.startMs ?? 0);
  const bounds = resolveBounds(tool, config);
  if (wanted.timeoutMs !== undefined && wanted.timeoutMs > time)
    return limitsExceededFailure('timeout_seconds', wanted.timeoutMs / 1000, time / 1000);
  const { memoryBytes: memory = null, cpuMillicores: cpu = null } = bounds ?? {};
  if (wanted.memoryBytes !== undefined && memory !== null && wanted.memoryBytes > memory)
    return limitsExceededFailure('memory_mb_limit', wanted.memoryBytes / MIB, Math.floor(memory / MIB));
  if (wanted.cpuMillicores !== undefined && cpu !== null && wanted.cpuMillicores > cpu)
    return limitsExceededFailure('cpu_millicore_limit', wanted.cpuMillicores, cpu);
  return null;
}

const limitsExceededFailure = (what: string, wanted: number, most: number): Failure => ({
  code: 'LimitsExceeded',
  message: `${what} is ${wanted}, and this tool may have ${most} at most. Ask for no more than that, or leave it out.`,
  eCode: 'E3102',
});

/** Lists the requested limits that nothing here holds this tool to, in words for its caller. */
export function listUnenforcedLimits(tool: BoundedTool, config: Config, wanted: RequestedLimits): readonly string[] {
  const bounds = resolveBounds(tool, config);
  const held = (what: 'memoryBytes' | 'cpuMillicores'): boolean => bounds?.[what] !== undefined;
  const loose = [
    ...(wanted.memoryBytes !== undefined && !held('memoryBytes') ? ['memory_mb_limit'] : []),
    ...(wanted.cpuMillicores !== undefined && !held('cpuMillicores') ? ['cpu_millicore_limit'] : []),
    ...(wanted.bandwidthMbps === undefined ? [] : ['network_bandwidth_mbps']),
  ];
  return loose.map((what) => `${what} could not be enforced for ${tool.declaration.name}.`);
}

/**
 * Tightens declared limits to the requested memory. Only a command's processes are held to memory by this (ADR 0020).
 */
export const tightenToRequested = (limits: ResourceLimits, { memoryBytes }: RequestedLimits): ResourceLimits =>
  memoryBytes === undefined ? limits : { ...limits, maxMemory: Math.min(memoryBytes, limits.maxMemory ?? Infinity) };
