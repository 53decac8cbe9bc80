import type { AppEventBody, AppStatus } from '#contract/window/app-events.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';

/** The content of the status bar; published when it changes. */
export class StatusLine {
  readonly #publish: (event: AppEventBody) => void;
  #status: AppStatus;

  constructor(initial: AppStatus, publish: (event: AppEventBody) => void) {
    this.#status = initial;
    this.#publish = publish;
  }

  update(change: Partial<AppStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#publish({ type: 'status', status: this.#status });
  }

  confinementAsked(mode: AppStatus['confinement']['mode']): void {
    this.update({ confinement: { ...this.#status.confinement, mode } });
  }

  confinementFound({ available, problem }: ConfinementState): void {
    this.update({ confinement: { ...this.#status.confinement, available, problem } });
  }
}
