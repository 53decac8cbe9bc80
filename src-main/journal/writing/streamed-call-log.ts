import type { Database } from 'better-sqlite3';
import type { StreamedCall, StreamedCalls } from '../../domain/ports/journal.js';
import type { Clock } from '../../domain/ports/clock.js';

/** Pieces of arguments come many times a second; the disk is asked at most this often. */
const COALESCE_MS = 250;

type Durably = <T>(write: () => T) => T;

/** What a model is writing, on the disk a quarter of a second later. */
export class StreamedCallLog implements StreamedCalls {
  readonly #pending = new Map<string, StreamedCall>();
  readonly #durably: Durably;
  readonly #save: (calls: readonly StreamedCall[]) => void;
  readonly #remove;
  readonly #all;
  #timer: NodeJS.Timeout | null = null;

  constructor(db: Database, clock: Clock, durably: Durably) {
    this.#durably = durably;
    const upsert = db.prepare<[StreamedCall & { readonly notedAt: number }]>(
      `INSERT INTO streamed (messageId, requestId, sessionId, tool, text, notedAt)
       VALUES (@messageId, @requestId, @sessionId, @tool, @text, @notedAt)
       ON CONFLICT (messageId, requestId) DO UPDATE SET tool = excluded.tool, text = excluded.text, notedAt = excluded.notedAt`,
    );
    const save = db.transaction((calls: readonly StreamedCall[]) => {
      for (const call of calls) upsert.run({ ...call, notedAt: clock.now() });
    });
    this.#save = (calls) => save.immediate(calls);
    this.#remove = db.prepare<[string]>('DELETE FROM streamed WHERE messageId = ?');
    this.#all = db.prepare<[], StreamedCall>(
      'SELECT messageId, requestId, sessionId, tool, text FROM streamed ORDER BY id',
    );
  }

  note(call: StreamedCall): void {
    const { messageId, requestId, sessionId, tool, text } = call;
    this.#pending.set(JSON.stringify([messageId, requestId]), { messageId, requestId, sessionId, tool, text });
    this.#timer ??= setTimeout(() => {
      try {
        this.flush();
      } catch {
        // The journal's health says so; the next append is refused, and nothing runs.
      }
    }, COALESCE_MS).unref();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending.size === 0) return;
    this.#durably(() => this.#save([...this.#pending.values()]));
    this.#pending.clear();
  }

  forget(messageId: string): void {
    for (const [key, call] of this.#pending) if (call.messageId === messageId) this.#pending.delete(key);
    this.#durably(() => this.#remove.run(messageId));
  }

  left(): readonly StreamedCall[] {
    return this.#all.all();
  }
}
