import type { ApprovalRequest } from '#contract/window/approvals.js';
import { pausedAs } from '#contract/vocabulary/activity/pausable.js';
import { visibleLine } from '#contract/vocabulary/text/visible-text.js';

const LONGEST = 300;
/** So many sheets are remembered to have been told of. */
const REMEMBERED = 1000;

export interface Told {
  readonly title: string;
  readonly text: string;
}

/** What a person who looks elsewhere is told: of each sheet once, and of none of who is paused. */
export class WhatToTell {
  readonly #told = new Set<string>();

  of(approval: ApprovalRequest, paused: readonly string[]): Told | null {
    const sheet = `${approval.batchId} ${approval.drawing}`;
    if (this.#told.has(sheet) || paused.includes(pausedAs(approval) ?? '')) return null;
    this.#told.add(sheet);
    const [oldest] = this.#told;
    if (this.#told.size > REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
    const who = visibleLine(approval.agent ?? approval.client ?? 'Compose');
    const text = approval.calls.map(({ summary }) => visibleLine(summary)).join('\n');
    return { title: `${who} requests approval`, text: text.slice(0, LONGEST) };
  }
}
