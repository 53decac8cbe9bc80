import type { Clock } from '../../../domain/ports/clock.js';
import type { ReadLog, ReadRecord } from '../../../domain/ports/workspace/read-log.js';

/** How many conversations are remembered; the one that was quiet longest is forgotten first. */
const SESSIONS_KEPT = 500;

/** The logs of what was read: one a conversation, MCP session or Compose session (FR-TOOL-PATCH-02c). */
export class ReadLogs {
  readonly #logs = new Map<string, ReadLog>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(sessionId: string): ReadLog {
    const log = this.#logs.get(sessionId) ?? memoryLog(this.#clock);
    // Put again at the end: a map keeps the order of insertion, so the first key is the one unused longest.
    this.#logs.delete(sessionId);
    this.#logs.set(sessionId, log);
    const oldest = this.#logs.keys().next();
    if (this.#logs.size > SESSIONS_KEPT && oldest.done !== true) this.#logs.delete(oldest.value);
    return log;
  }
}

function memoryLog(clock: Clock): ReadLog {
  const records = new Map<string, ReadRecord>();
  return {
    record: (path, sha256) => records.set(path, { path, sha256, readAt: clock.now() }),
    lookup: (path) => records.get(path) ?? null,
  };
}
