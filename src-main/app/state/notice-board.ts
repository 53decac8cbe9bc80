import type { AppEventBody } from '#contract/window/app-events.js';
import type { Notice } from '#contract/window/notices.js';

/** The notices that the window shows. A dismissed notice stays away until its text changes. */
export class NoticeBoard {
  readonly #publish: (event: AppEventBody) => void;
  readonly #shown = new Map<string, Notice>();
  readonly #dismissed = new Map<string, string>();
  readonly #acts = new Map<string, () => void>();

  constructor(publish: (event: AppEventBody) => void) {
    this.#publish = publish;
  }

  /** `act`: what its button does. It is over with that. */
  show(notice: Notice, act?: () => void): void {
    if (this.#dismissed.get(notice.id) === notice.text) return;
    this.#dismissed.delete(notice.id);
    this.#shown.set(notice.id, notice);
    if (act !== undefined) this.#acts.set(notice.id, act);
    this.#publish({ type: 'notice', notice });
  }

  /** False where it has no button of its own, or is over. */
  act(id: string): boolean {
    const act = this.#acts.get(id);
    if (act === undefined) return false;
    this.take(id);
    act();
    return true;
  }

  take(id: string): void {
    this.#acts.delete(id);
    if (this.#shown.delete(id)) this.#publish({ type: 'notice-gone', id });
  }

  dismiss(id: string): void {
    const notice = this.#shown.get(id);
    if (notice?.dismissible !== true) return;
    this.#dismissed.set(id, notice.text);
    this.take(id);
  }

  /** Exactly these of that kind: new ones come, those that are over go. */
  showOnly(prefix: string, notices: readonly Notice[]): void {
    for (const id of this.#shown.keys())
      if (id.startsWith(prefix) && !notices.some((notice) => notice.id === id)) this.take(id);
    for (const notice of notices) this.show(notice);
  }
}
