import { type Journal, JournalUnavailableError } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';

/** The real journal, with a disk that refuses the appends that hold such an event. */
export function refusing(which: { type: JournalEvent['type'] | null }): (journal: SqliteJournal) => Journal {
  return (journal) =>
    new Proxy<Journal>(journal, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value;
        return (events: readonly JournalEvent[]) => {
          if (events.some(({ type }) => type === which.type)) throw new JournalUnavailableError('The disk is full.');
          return target.append(events);
        };
      },
    });
}
