import type { Config } from '#contract/vocabulary/config.js';
import type { PlaceWanted } from '../../domain/ports/gate/place-queue.js';

/** Why a call can't run beside those that run, in words for whoever waits; null where it can. */
export function whyNoPlace(
  { tool, agent, session, memoryBytes }: PlaceWanted,
  running: readonly PlaceWanted[],
  limits: Config['tools']['queue'],
  allMemory: number,
): string | null {
  if (session !== null && running.some((other) => other.session === session))
    return 'It waits for its turn: another call of its session runs.';
  if (running.length >= limits.places)
    return `It waits for a place: ${calls(running.length)} already, which is the limit (tools.queue.places).`;
  const ofTool = running.filter((other) => other.tool === tool).length;
  if (ofTool >= limits.per_tool)
    return `It waits for a place: ${calls(ofTool, ` of ${tool}`)} already, which is the limit (tools.queue.per_tool).`;
  const ofAgent = running.filter((other) => other.agent === agent).length;
  if (agent !== null && ofAgent >= limits.per_agent)
    return `It waits for a place: ${calls(ofAgent, ` of ${agent === '' ? 'agents without a name' : agent}`)} already, which is the limit (tools.queue.per_agent).`;
  const taken = running.reduce((sum, other) => sum + (other.memoryBytes ?? 0), 0);
  if (memoryBytes !== null && taken + memoryBytes > allMemory)
    return `It waits for memory: what runs may need ${taken} bytes, and ${tool} ${memoryBytes} more; this computer has ${allMemory}.`;
  return null;
}

const calls = (count: number, whose = ''): string =>
  count === 1 ? `1 call${whose} runs` : `${count} calls${whose} run`;
