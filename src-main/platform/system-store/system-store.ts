import { utilityProcess, type UtilityProcess } from 'electron';
import type { SystemStore } from '../../domain/ports/system-store.js';
import type { StoreAnswer, StoreRequest } from './protocol.js';

/** Long enough for a person to unlock it, where the system asks for that. */
const ANSWER_LIMIT_MS = 60_000;
/** A process for rare work that has none gives its memory back. */
const IDLE_MS = 20_000;

interface PendingQuestion {
  readonly resolve: (value: string | null) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

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
export function createSystemStore(options: SystemStoreOptions): SystemStore {
  const asker = new StoreClient(options);
  return {
    get: (name) => options.after.then(() => asker.ask({ op: 'get', name })),
    set: async (name, value) => {
      await options.after;
      await asker.ask({ op: 'set', name, value });
    },
  };
}

type StoreQuestion =
  { readonly op: 'get'; readonly name: string } | { readonly op: 'set'; readonly name: string; readonly value: string };

class StoreClient {
  readonly #options: SystemStoreOptions;
  readonly #waiting = new Map<number, PendingQuestion>();
  #process: UtilityProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  #next = 1;

  constructor(options: SystemStoreOptions) {
    this.#options = options;
  }

  ask(asked: StoreQuestion): Promise<string | null> {
    const request: StoreRequest = { id: this.#next, ...asked };
    this.#next += 1;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => this.#end('The system’s key store does not answer.'), ANSWER_LIMIT_MS).unref();
    this.#waiting.set(request.id, { resolve, reject, timer });
    this.#process ??= this.#start();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A process, not a window.
    this.#process.postMessage(request);
    return promise;
  }

  #start(): UtilityProcess {
    const started = utilityProcess.fork(this.#options.entry, [], { serviceName: 'Gatehouse key store' });
    started.on('message', (answer: StoreAnswer) => this.#settle(answer));
    started.on('exit', () => {
      if (this.#process === started) this.#end('What asks the system’s key store ended.');
    });
    return started;
  }

  #settle(answer: StoreAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (answer.ok) {
      waiting.resolve(answer.value);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#end(''), IDLE_MS).unref();
      return;
    }
    this.#options.log('The system’s key store refused', answer.reason);
    waiting.reject(new Error('The system’s key store can’t be used: it is not there, it is locked, or it fails.'));
    // The process may be connected to a store that is gone.
    this.#end('The system’s key store can’t be used.');
  }

  /** Ends the process and rejects its open questions. The next question starts another. */
  #end(reason: string): void {
    const ended = this.#process;
    this.#process = null;
    ended?.kill();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
  }
}
