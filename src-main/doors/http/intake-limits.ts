import type { ServerResponse } from 'node:http';

/** The limits of one token at the gateway, so that nobody who has another is kept waiting for it. */
export interface IntakeLimits {
  /** Requests that are under way at once; streams count. */
  readonly atOnce: number;
  /** Reads of the record that are under way at once: one thread answers all of them, and the window. */
  readonly readsAtOnce: number;
  /** Bytes of bodies: each is looked at and parsed where the window is drawn. */
  readonly bytes: { readonly burst: number; readonly perSecond: number };
}

export const INTAKE_LIMITS: IntakeLimits = {
  atOnce: 320,
  readsAtOnce: 8,
  bytes: { burst: 64 * 1024 * 1024, perSecond: 16 * 1024 * 1024 },
};

interface IntakeMeter {
  /** Null: it may come in, and counts until it is answered. Otherwise why not, in words. */
  take(agent: string | null, isRead: boolean, response: ServerResponse): string | null;
  /** So much of a body was read. */
  took(agent: string | null, bytes: number): void;
}

interface AgentUsage {
  atOnce: number;
  reads: number;
  bytes: number;
  at: number;
}

/**
 * Creates the limits, measured for each agent by itself. The person's own token has none: whoever has it may do what
 * the person may.
 */
export function createIntakeLimits(
  limits: IntakeLimits = INTAKE_LIMITS,
  now: () => number = () => performance.now(),
): IntakeMeter {
  const uses = new Map<string, AgentUsage>();
  const useOf = (agent: string): AgentUsage => {
    const use = uses.get(agent) ?? { atOnce: 0, reads: 0, bytes: 0, at: now() };
    uses.set(agent, use);
    const at = now();
    use.bytes = Math.max(0, use.bytes - ((at - use.at) / 1000) * limits.bytes.perSecond);
    use.at = at;
    return use;
  };
  return {
    take(agent, isRead, response) {
      if (agent === null) return null;
      const use = useOf(agent);
      if (use.atOnce >= limits.atOnce) return `This agent has ${limits.atOnce} requests under way, which is the limit.`;
      if (isRead && use.reads >= limits.readsAtOnce)
        return `This agent has ${limits.readsAtOnce} reads under way, which is the limit.`;
      if (use.bytes >= limits.bytes.burst) return 'This agent sends more than Gatehouse takes of one agent.';
      use.atOnce += 1;
      if (isRead) use.reads += 1;
      response.once('close', () => {
        use.atOnce -= 1;
        if (isRead) use.reads -= 1;
      });
      return null;
    },
    took(agent, bytes) {
      if (agent !== null) useOf(agent).bytes += bytes;
    },
  };
}
