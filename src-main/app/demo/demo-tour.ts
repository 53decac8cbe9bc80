import type { AppEvent } from '#contract/window/app-events.js';
import type { BridgeResult } from '#contract/window/result.js';
import type { CallDetail, CallSummary } from '#contract/vocabulary/calls.js';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import { DEMO_OPENING, DEMO_UNDONE } from '../../conversation/demo/demo-script.js';
import { callLine, messageLines } from './transcript.js';

export interface TourParts {
  readonly say: (conversation: string, text: string) => void;
  /** The messages of the shown branch, oldest first. */
  readonly messages: (conversation: string) => readonly ConversationMessage[];
  readonly detail: (callId: string) => Promise<CallDetail | null>;
  /** The person’s own act. */
  readonly undo: (callId: string) => Promise<BridgeResult<{ readonly callId: string }>>;
  readonly onEvent: (listener: (event: AppEvent) => void) => () => void;
  /** A line of the transcript. */
  readonly print: (line: string) => void;
}

/** The script in the person’s place: it opens, undoes what was patched, and asks for one more look. */
export class DemoTour {
  readonly #parts: TourParts;
  readonly #printed = new Set<string>();
  readonly #callLines: string[] = [];
  #isWhole = false;

  constructor(parts: TourParts) {
    this.#parts = parts;
  }

  /** A line for each call as it ended, in the order of the transcript. */
  get calls(): readonly string[] {
    return this.#callLines;
  }

  /** Whether it came to its end: nobody stopped it, and nothing broke off. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  async play(conversation: string): Promise<void> {
    const patched = await this.#turn(conversation, DEMO_OPENING);
    if (patched === null) return;
    const undone = await this.#parts.undo(patched);
    if (!undone.ok) return this.#parts.print(`Not undone: ${undone.error.message}`);
    await this.#printCall(undone.value.callId);
    await this.#turn(conversation, DEMO_UNDONE);
    this.#isWhole = this.#endedWell(conversation);
  }

  /** Gives the call that patched, where all of the turn was said and the patch stands. */
  async #turn(conversation: string, text: string): Promise<string | null> {
    const { say, onEvent } = this.#parts;
    const patches: string[] = [];
    const over = Promise.withResolvers<void>();
    // The conversation works from then on, so that its next rest is the end of this turn.
    say(conversation, text);
    const stop = onEvent((event) => {
      if (event.type === 'call' && isPatchIn(event.call, conversation)) patches.push(event.call.callId);
      if (event.type === 'working' && event.working.id === conversation && event.working.doing.kind === 'idle')
        over.resolve();
    });
    await over.promise;
    stop();
    await this.#print(conversation);
    return this.#endedWell(conversation) ? (patches.at(-1) ?? null) : null;
  }

  async #print(conversation: string): Promise<void> {
    for (const message of this.#parts.messages(conversation)) {
      if (this.#printed.has(message.id)) continue;
      this.#printed.add(message.id);
      for (const line of messageLines(message)) this.#parts.print(line);
      for (const block of message.blocks)
        if (block.kind === 'call' && block.callId !== null) await this.#printCall(block.callId);
    }
  }

  async #printCall(callId: string): Promise<void> {
    const detail = await this.#parts.detail(callId);
    if (detail === null) return;
    const line = callLine(detail);
    this.#callLines.push(line);
    this.#parts.print(line);
  }

  #endedWell(conversation: string): boolean {
    const last = this.#parts.messages(conversation).at(-1);
    return last?.role === 'assistant' && last.state === 'whole' && last.blocks.every(({ kind }) => kind !== 'call');
  }
}

const isPatchIn = ({ session, tool, outcome }: CallSummary, conversation: string): boolean =>
  session === conversation && tool === 'apply_patch' && outcome === 'success';
