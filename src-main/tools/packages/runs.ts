import type { Json } from '#contract/vocabulary/json.js';
import type { Domain, RunSaid, RunWishes } from '../../domain/ports/sources/domain.js';

interface Run {
  readonly wishes: RunWishes;
  said: RunSaid | null;
}

/** What is known of calls that were asked for as runs, for as long as who asked waits. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #withoutSecrets: (value: Json) => Promise<Json>;

  constructor(withoutSecrets: (value: Json) => Promise<Json>) {
    this.#withoutSecrets = withoutSecrets;
  }

  readonly door: Domain['runs'] = {
    begin: (callId, wishes) => void this.#runs.set(callId, { wishes, said: null }),
    said: (callId) => this.#runs.get(callId)?.said ?? null,
    end: (callId) => void this.#runs.delete(callId),
  };

  /** Null for a call that came by another door. */
  wishesOf(callId: string): RunWishes | null {
    return this.#runs.get(callId)?.wishes ?? null;
  }

  async note(callId: string, said: RunSaid): Promise<void> {
    const run = this.#runs.get(callId);
    if (run === undefined) return;
    run.said =
      said.kind === 'output'
        ? { ...said, output: await this.#withoutSecrets(said.output) }
        : { ...said, ...((await this.#withoutSecrets({ message: said.message, details: said.details })) as object) };
  }
}
