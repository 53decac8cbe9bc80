/** Waits in a workspace for its turn. */
interface WaitingCommand {
  readonly alone: boolean;
  readonly begin: () => void;
}

interface CommandQueue {
  /** How many are at work, and whether it is one that must be alone. */
  running: number;
  alone: boolean;
  readonly waiting: WaitingCommand[];
}

/**
 * Decides which commands may be at work in a workspace at once. A change that the person let one leave by name
 * (`.envrc`) can't be told from what another wrote there meanwhile: so that command runs alone. In the order in which
 * they came, so that none waits for ever.
 */
export class CommandTurns {
  readonly #places = new Map<string, CommandQueue>();

  /** Rejects with the signal's reason where that comes before its turn. */
  async runInTurn<T>(root: string, alone: boolean, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const place = this.#places.get(root) ?? { running: 0, alone: false, waiting: [] };
    this.#places.set(root, place);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: WaitingCommand = { alone, begin: resolve };
    place.waiting.push(waiting);
    const giveUp = (): void => {
      const at = place.waiting.indexOf(waiting);
      // The turn of the command may have come in the same moment.
      if (at === -1) return;
      place.waiting.splice(at, 1);
      this.#next(root, place);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#next(root, place);
    await promise.finally(() => signal.removeEventListener('abort', giveUp));
    try {
      return await work();
    } finally {
      place.running -= 1;
      this.#next(root, place);
    }
  }

  #next(root: string, place: CommandQueue): void {
    for (let [first] = place.waiting; first !== undefined; [first] = place.waiting) {
      if (place.running > 0 && (place.alone || first.alone)) return;
      place.waiting.shift();
      place.running += 1;
      place.alone = first.alone;
      first.begin();
    }
    if (place.running === 0) this.#places.delete(root);
  }
}
