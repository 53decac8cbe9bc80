import type { ApprovalRequest } from '#contract/window/approvals.js';
import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import { DOOR_WORDS } from '#contract/vocabulary/call-labels.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';

const MAX_TEXT = 300;
const MAX_NAME = 100;
/** So many sheets are remembered to have been told of. */
const REMEMBERED = 1000;

export interface Notification {
  readonly title: string;
  readonly text: string;
}

/** Picks the notifications for a person who looks elsewhere: one for each sheet, and none of paused agents. */
export class NotificationPicker {
  readonly #told = new Set<string>();
  readonly #titleOf: (conversation: string) => string | null;

  constructor(titleOf: (conversation: string) => string | null) {
    this.#titleOf = titleOf;
  }

  of(approval: ApprovalRequest, paused: readonly string[]): Notification | null {
    const sheet = `${approval.batchId} ${approval.drawing}`;
    if (this.#told.has(sheet) || paused.includes(buildPauseKey(approval) ?? '')) return null;
    this.#told.add(sheet);
    const [oldest] = this.#told;
    if (this.#told.size > REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
    const who = toVisibleLine(this.#whoAsks(approval), MAX_NAME);
    const text = approval.calls.map(({ summary }) => toVisibleLine(summary)).join('\n');
    return { title: `${who} requests approval`, text: text.slice(0, MAX_TEXT) };
  }

  #whoAsks({ door, session, agent, client }: ApprovalRequest): string {
    if (door !== 'conversation') return agent ?? client ?? DOOR_WORDS[door];
    const title = this.#titleOf(session) ?? '';
    return title === '' ? DOOR_WORDS.conversation : `${DOOR_WORDS.conversation}: ${title}`;
  }
}
