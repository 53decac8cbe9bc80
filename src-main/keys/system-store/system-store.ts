import type { SystemStore } from '../../domain/ports/system-store.js';
import { AskedThread } from '../../platform/asked/asked-thread.js';
import { startProcess } from '../../platform/asked/start-process.js';
import type { StoreService } from './protocol.js';

/** Long enough for a person to unlock it, where the system asks for that. */
const ANSWER_LIMIT_MS = 60_000;
/** A process for rare work that has none gives its memory back. */
const IDLE_MS = 20_000;

export interface SystemStoreOptions {
  /** The built process, out/main/system-store.js. */
  readonly entry: string;
  /** Not before: a start has better to do. */
  readonly after: Promise<void>;
  /** Logs messages that are more than a person needs. */
  readonly log: (message: string, details: string) => void;
}

/**
 * Secret Service, Keychain, Credential Manager, asked by a process of its own: what hangs there hangs for itself, and is
 * ended when its time is over.
 */
export function createSystemStore({ entry, after, log }: SystemStoreOptions): SystemStore {
  const store = new AskedThread<StoreService>({
    start: () => startProcess(entry, 'Gatehouse key store'),
    patienceMs: () => ANSWER_LIMIT_MS,
    idleMs: IDLE_MS,
    // The process may be connected to a store that is gone.
    endsOnRefusal: true,
    explain: (trouble) => {
      if (trouble.is === 'late') return new Error('The system’s key store does not answer.');
      if (trouble.is !== 'refused') return new Error('What asks the system’s key store ended.');
      log('The system’s key store refused', trouble.details);
      return new Error('The system’s key store can’t be used: it is not there, it is locked, or it fails.');
    },
  });
  return {
    get: (name) => after.then(() => store.ask('get', name)),
    set: (name, value) => after.then(() => store.ask('set', name, value)),
  };
}
