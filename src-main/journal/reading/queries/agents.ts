import type { Database } from 'better-sqlite3';
import type { SeenAgent } from '#contract/window/agents.js';

/** Clients without an agent's name are looked for among so many batches: nothing else bounds how many there were. */
const LATEST_BATCHES = 5000;

/**
 * Lists who asked for calls and for which one last, the newest first: each agent by its name, however long ago, and of
 * the last batches each client by its own name.
 */
export function readSeenAgents(db: Database): readonly SeenAgent[] {
  return db
    .prepare<[number], SeenAgent>(
      `WITH RECURSIVE
         names (agent) AS (
           SELECT min(agent) FROM batches WHERE agent IS NOT NULL
           UNION ALL SELECT (SELECT min(b.agent) FROM batches b WHERE b.agent > names.agent) FROM names WHERE agent IS NOT NULL
         ),
         latest AS (SELECT id, agent, client FROM batches WHERE door IN ('mcp', 'gateway') ORDER BY id DESC LIMIT ?),
         newest (id) AS (
           SELECT (SELECT max(b.id) FROM batches b WHERE b.agent = names.agent) FROM names WHERE agent IS NOT NULL
           UNION SELECT max(id) FROM latest GROUP BY agent, client
         )
       SELECT b.agent, b.client, b.workspace AS folder, b.receivedAt AS at, c.callId, c.tool, c.summary
       FROM newest n JOIN batches b ON b.id = n.id JOIN calls c ON c.batch = b.id AND c.position = 0
       ORDER BY b.id DESC`,
    )
    .all(LATEST_BATCHES);
}
