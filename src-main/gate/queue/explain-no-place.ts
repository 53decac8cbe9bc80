import type { Config } from '#contract/vocabulary/config.js';
import type { PlaceRequest } from '../../domain/ports/gate/place-queue.js';
import type { RunningCounts } from './running-counts.js';

/** Why a call can't run beside those that run, in words for whoever waits; null where it can. */
export function explainNoPlace(
  { tool, agent, session, memoryBytes }: PlaceRequest,
  running: RunningCounts,
  limits: Config['tools']['queue'],
  allMemory: number,
): string | null {
  if (session !== null && running.ofSession(session) > 0) return 'Waiting: another call of this session is running';
  if (running.calls >= limits.places) return `Waiting: ${calls(running.calls)}`;
  const ofTool = running.ofTool(tool);
  if (ofTool >= limits.per_tool) return `Waiting: ${calls(ofTool, ` of ${tool}`)}`;
  const ofAgent = running.ofAgent(agent);
  if (agent !== null && ofAgent >= limits.per_agent)
    return `Waiting: ${calls(ofAgent, ` of ${agent === '' ? 'agents without a name' : agent}`)}`;
  const taken = running.memoryBytes;
  if (memoryBytes !== null && taken + memoryBytes > allMemory)
    return `Waiting for memory: running calls may need ${inMib(taken)}, and ${tool} needs ${inMib(memoryBytes)} more; this computer has ${inMib(allMemory)}`;
  return null;
}

const calls = (count: number, whose = ''): string =>
  count === 1 ? `1 call${whose} is running` : `${count} calls${whose} are running`;
const inMib = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;
