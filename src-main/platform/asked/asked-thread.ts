import type { AskedAnswer, AskedQuestion, Functions } from './protocol.js';

/** A thread or a process, as it is asked. */
export interface AskedPeer {
  readonly post: (question: AskedQuestion) => void;
  readonly onAnswer: (listener: (answer: AskedAnswer) => void) => void;
  readonly onEnd: (listener: (details: string) => void) => void;
  /** Whether the app waits for it. */
  readonly hold: (busy: boolean) => void;
  readonly end: () => Promise<void>;
}

/** Why a question has no answer. */
export interface AskedTrouble {
  readonly is: 'ended' | 'late' | 'closed' | 'refused';
  readonly details: string;
  /** The name of the error that a refusal is of. */
  readonly kind?: string;
}

export interface AskedOptions<Service extends Functions<Service>> {
  readonly start: () => AskedPeer;
  /** The trouble in the words of who asks. It is called once for all questions that end with the same. */
  readonly explain: (trouble: AskedTrouble) => Error;
  /** How long an answer may take. None: as long as it likes. */
  readonly patienceMs?: (name: keyof Service) => number;
  /** The time without a question after which it is ended, and its memory given back. None: never. */
  readonly idleMs?: number;
  /** Whether one that refuses is ended, and all that it was asked with it. */
  readonly endsOnRefusal?: boolean;
  /** Told to each that is started, before anything is asked of it. */
  readonly begin?: (peer: Pick<AskedThread<Service>, 'tell'>) => void;
}

interface PendingQuestion {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

const CLOSED: AskedTrouble = { is: 'closed', details: 'It is closed.' };
const LATE: AskedTrouble = { is: 'late', details: 'It did not answer in time.' };
/** The number of what is told and not asked. */
const TOLD = 0;

/**
 * A thread or a process of ours that is asked, and answers. It starts with the first question, and anew with the next
 * one after it ended, failed or took too long, which fails what was asked of it.
 */
export class AskedThread<Service extends Functions<Service>> {
  readonly #options: AskedOptions<Service>;
  readonly #waiting = new Map<number, PendingQuestion>();
  #peer: AskedPeer | null = null;
  #idle: NodeJS.Timeout | undefined;
  #last = TOLD;
  #closed = false;

  constructor(options: AskedOptions<Service>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#peer !== null;
  }

  ask<Name extends keyof Service & string>(
    name: Name,
    ...args: Parameters<Service[Name]>
  ): Promise<Awaited<ReturnType<Service[Name]>>> {
    const { explain, patienceMs } = this.#options;
    if (this.#closed) return Promise.reject(explain(CLOSED));
    clearTimeout(this.#idle);
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      const peer = (this.#peer ??= this.#start());
      // Throws where it can't be sent; then nothing waits.
      peer.post({ id, name, args });
      const timer = patienceMs === undefined ? undefined : setTimeout(() => this.#fail(peer, LATE), patienceMs(name));
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, timer });
      peer.hold(true);
    });
  }

  /** Tells it something, where it runs. */
  tell<Name extends keyof Service & string>(name: Name, ...args: Parameters<Service[Name]>): void {
    this.#peer?.post({ id: TOLD, name, args });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end(() => this.#options.explain(CLOSED));
  }

  #start(): AskedPeer {
    const peer = this.#options.start();
    this.#peer = peer;
    peer.onAnswer((answer) => {
      if (this.#peer === peer) this.#settle(peer, answer);
    });
    peer.onEnd((details) => this.#fail(peer, { is: 'ended', details }));
    this.#options.begin?.(this);
    return peer;
  }

  #settle(peer: AskedPeer, answer: AskedAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    const { explain, endsOnRefusal, idleMs } = this.#options;
    const refused = answer.ok ? null : ({ is: 'refused', details: answer.message, kind: answer.kind } as const);
    if (refused !== null && endsOnRefusal === true) return this.#fail(peer, refused);
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (this.#waiting.size === 0) {
      peer.hold(false);
      if (idleMs !== undefined) this.#idle = setTimeout(() => void this.#end(), idleMs).unref();
    }
    if (answer.ok) waiting.resolve(answer.value);
    else if (refused !== null) waiting.reject(explain(refused));
  }

  #fail(peer: AskedPeer, trouble: AskedTrouble): void {
    if (this.#peer === peer) void this.#end(() => this.#options.explain(trouble));
  }

  /** Ends it, and fails what was asked of it. */
  async #end(explain?: () => Error): Promise<void> {
    const ended = this.#peer;
    this.#peer = null;
    clearTimeout(this.#idle);
    const error = explain?.();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      if (error !== undefined) reject(error);
    }
    await ended?.end();
  }
}
