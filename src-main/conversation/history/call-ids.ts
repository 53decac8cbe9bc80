import type { StoredBlock } from '../../domain/conversation/message.js';

/** The form of an id that every protocol takes. */
const SOUND = /^[A-Za-z0-9_-]{1,40}$/u;
const LONGEST_NAME = 64;

/** The ids of calls in one history: the model's own, but for those that are empty, came before, or are refused somewhere. */
export class CallIds {
  readonly #used = new Set<string>();

  next({ id, callId }: Extract<StoredBlock, { readonly kind: 'call' }>): string {
    const own = SOUND.test(id) && !this.#used.has(id) ? id : this.#ours(callId);
    this.#used.add(own);
    return own;
  }

  /** The same for the same call each time a history is made. */
  #ours(callId: string | undefined): string {
    const stem = `call_${(callId ?? 'none').replaceAll(/[^A-Za-z0-9]/gu, '').slice(0, 32)}`;
    for (let n = 1; ; n += 1) {
      const id = n === 1 ? stem : `${stem.slice(0, 32)}_${n}`;
      if (!this.#used.has(id)) return id;
    }
  }
}

export const nameInHistory = (name: string): string =>
  name === '' ? '_' : name.slice(0, LONGEST_NAME).replaceAll(/[^A-Za-z0-9_-]/gu, '_');
