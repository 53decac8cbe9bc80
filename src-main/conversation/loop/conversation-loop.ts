import { setTimeout as delay } from 'node:timers/promises';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { UnsentMessage, WorkingConversation } from '#contract/window/conversation/conversation.js';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import { makeAsker } from '../../domain/call/asker.js';
import { parsePartialArguments } from '../../domain/call/cut-arguments.js';
import type { PersonPart } from '../../domain/conversation/message.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import type { CalledBlock, EndedAnswer } from './answer-parts.js';
import { AnswerUnderWay } from './answer-under-way.js';
import type { LivePiece } from './live-pieces.js';
import { NO_ROOM, REFUSALS } from './refusals.js';
import type { PreparedRequest, Speaker } from './speaker.js';
import { type LoopAction, IDLE_STATE, type LoopEvent, type CallsRefusal, type LoopState, step } from './loop-state.js';

/** A message on its way: as it goes on record, and as it was written. */
export interface Outgoing {
  readonly parts: readonly PersonPart[];
  /** The answer beside which this one becomes a branch. */
  readonly insteadOf: string | null;
  readonly unsent: UnsentMessage;
}

export interface LoopParts {
  readonly record: Pick<ConversationRecord, 'addPersonMessage' | 'beginAnswer' | 'get' | 'keepDraft' | 'message'>;
  readonly gate: Pick<Gate, 'submit'>;
  readonly clock: Clock;
  /** Builds the speaker from the settings in force now. */
  readonly speaker: (conversation: ConversationSummary) => Speaker;
  /** Whether the model is to have results now: its folder is open, and tools are not off. */
  readonly goesOn: (conversation: ConversationSummary) => boolean;
  readonly stopBatch: (batchId: string) => void;
  /** Forgets what the person denied in the conversation before, so that it is asked about again. */
  readonly personSpoke: (conversationId: string) => void;
  readonly publish: (event: AppEventBody) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Calls whose results are waited for. */
export interface CallsUnderWay {
  readonly messageId: string;
  readonly stop: () => void;
  /** Whether the model is to have them now. */
  readonly settled: Promise<boolean>;
}

/**
 * Drives one conversation (FR-RES-01, FR-RES-02): asks the model, gives its calls to the gate, and goes on with their
 * results. The next step is decided in `step`; here it is carried out.
 */
export class ConversationLoop {
  readonly id: string;
  readonly #parts: LoopParts;
  #state: LoopState<Outgoing> = IDLE_STATE;
  #speaker: Speaker | null = null;
  #answer: AnswerUnderWay | null = null;
  #ended: { readonly answer: AnswerUnderWay; readonly as: EndedAnswer } | null = null;
  #calls: CallsUnderWay | null = null;
  #doing: WorkingConversation['doing'] = IDLE;
  #prepared: PreparedRequest | null = null;
  #givenBack: UnsentMessage | null = null;
  #isStopping = false;
  #isClosing = false;
  /** The write that failed for the answer before, to be tried again. */
  #owed: (() => void) | null = null;
  /** Resolves when the last that was recorded by itself is. */
  #work: Promise<void> = Promise.resolve();

  constructor(id: string, parts: LoopParts) {
    this.id = id;
    this.#parts = parts;
  }

  get working(): WorkingConversation {
    const { next, canContinue } = this.#state;
    const context = this.#prepared?.context ?? null;
    return { id: this.id, doing: this.#doing, next: next?.unsent ?? null, canContinue, context };
  }

  get isIdle(): boolean {
    return this.#state.doing === 'idle';
  }

  get hasNext(): boolean {
    return this.#state.next !== null;
  }

  say(message: Outgoing): void {
    this.#handle({ type: 'said', message });
  }

  /** Goes on from where the branch ends, or asks for that answer once more. */
  goOn(insteadOf: string | null): void {
    if (this.isIdle) this.#speaker = null;
    this.#handle({ type: 'continued', insteadOf });
  }

  takeBack(): UnsentMessage | null {
    const unsent = this.#state.next?.unsent ?? null;
    this.#handle({ type: 'taken-back' });
    return unsent;
  }

  /** Gives back what waited to be sent. */
  stop(): UnsentMessage | null {
    this.#givenBack = null;
    this.#isStopping = true;
    try {
      this.#handle({ type: 'stopped', hasCalls: this.#answer?.hasCalls ?? false });
    } finally {
      this.#isStopping = false;
    }
    return this.#givenBack;
  }

  /** How it stands after a start, or on another branch. */
  standsAt(canContinue: boolean): void {
    if (!this.isIdle) return;
    this.#state = { ...IDLE_STATE, canContinue };
    this.#tell();
  }

  /** Calls of before this start: once they are settled it goes on by itself. */
  takeUp(calls: CallsUnderWay, rounds: number): void {
    this.#state = { ...IDLE_STATE, doing: 'calls', rounds };
    this.#waitFor(calls);
    this.#tell();
  }

  /** The app ends: nothing more is asked of the model. What waits for the person stays, and is asked again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#answer === null) return;
    this.stop();
    // The answer records which of its calls did not run, unless something holds the gate.
    await Promise.race([this.#work, delay(CLOSING_MS, undefined, { ref: false })]);
  }

  #handle(event: LoopEvent<Outgoing>): void {
    const mostRounds = this.#speaker?.mostRounds ?? 0;
    const { state, actions } = step(this.#state, event, mostRounds);
    this.#state = state;
    if (state.doing === 'idle') this.#doing = IDLE;
    for (const action of actions) this.#do(action);
    this.#tell();
  }

  #do(action: LoopAction<Outgoing>): void {
    switch (action.do) {
      case 'ask':
        return void this.#ask(action);
      case 'run':
        return this.#run(action.refused);
      case 'end-answer':
        return this.#endAnswer();
      case 'end-calls':
        return this.#calls?.stop();
      case 'give-back':
        return this.#giveBack(action.message);
    }
  }

  // ---------------------------------------------------------------- the answer

  async #ask({ message, mayCall, insteadOf }: Extract<LoopAction<Outgoing>, { do: 'ask' }>): Promise<void> {
    const { record, clock } = this.#parts;
    let isAdded = message === null;
    this.#doing = { kind: 'asking' };
    const answer = new AnswerUnderWay(clock.monotonic());
    this.#answer = answer;
    try {
      this.#payOwed();
      if (message !== null) this.#speaker = null;
      const speaker = (this.#speaker ??= this.#parts.speaker(this.#summary()));
      if (message !== null) {
        this.#parts.personSpoke(this.id);
        await record.addPersonMessage(this.id, message.parts, message.insteadOf ?? undefined);
        isAdded = true;
        if (answer.isOver) return;
      }
      answer.begins(record.beginAnswer(this.id, speaker.name, insteadOf ?? undefined), speaker.name);
      const prepared = await speaker.prepare(mayCall);
      if (answer.isOver) return;
      if ('fault' in prepared) return this.#end(answer, { end: { state: 'failed', failure: prepared }, blocks: [] });
      this.#prepared = prepared;
      this.#tell();
      const ended = await answer.read(speaker.model.answer(prepared.request, answer.signal), {
        onWaiting: ({ seconds, why }) => this.#does({ kind: 'waiting', seconds, why }),
        onFirst: () => this.#does({ kind: 'streaming', messageId: answer.messageId ?? '' }),
        show: (pieces) => this.#show(answer, pieces),
      });
      await answer.prepare(ended);
      if (!answer.isOver) this.#end(answer, ended);
    } catch (error) {
      this.#broke(answer, error, isAdded ? null : message);
    }
  }

  #end(answer: AnswerUnderWay, as: EndedAnswer): void {
    const hasCalls = as.blocks.some(({ kind }) => kind === 'call');
    const { state } = as.end;
    if (hasCalls) this.#ended = { answer, as };
    else this.#endOwed(answer, as);
    answer.over();
    this.#answer = null;
    this.#handle({
      type: 'answered',
      hasCalls,
      whole: state === 'whole',
      failed: state === 'failed' || state === 'broke-off',
    });
  }

  #endAnswer(): void {
    const answer = this.#answer;
    this.#answer = null;
    if (answer === null) return;
    const as = answer.stop();
    if (answer.hasCalls) this.#ended = { answer, as };
    else this.#trying(() => this.#endOwed(answer, as));
  }

  /**
   * Gives up an answer that could not be recorded: nothing of it is run, and the message that was to be sent is given
   * back.
   */
  #broke(answer: AnswerUnderWay, error: unknown, message: Outgoing | null): void {
    this.#parts.onTrouble(error);
    if (message !== null) this.#giveBack(message);
    if (answer.isOver) return;
    answer.stop();
    this.#answer = null;
    this.#handle({ type: 'answered', hasCalls: false, whole: false, failed: true });
  }

  // ---------------------------------------------------------------- its calls

  #run(refused: CallsRefusal | null): void {
    const ended = this.#ended;
    this.#ended = null;
    if (ended === null) return;
    const { answer, as } = ended;
    const { gate, clock, stopBatch } = this.#parts;
    const room = this.#prepared?.room(as.blocks) ?? null;
    // What could not be sent is not run.
    const refusal = refused === null ? (room === null ? NO_ROOM : null) : REFUSALS[refused];
    const batch = gate.submit({
      asker: makeAsker('conversation', this.id),
      folder: this.#summary().workspace,
      calls: as.blocks.filter(isCall).map(({ id, name, arguments: args, soFar }) => ({
        requestId: id === '' ? null : id,
        tool: name,
        arguments: soFar === null ? args : parsePartialArguments(soFar),
      })),
      capacityBytes: room,
      joinable: false,
      ...(refusal === null ? {} : { refuseAll: refusal }),
      with: (callIds) => answer.endedAs(as, callIds, clock.monotonic()),
    });
    this.#waitFor({
      messageId: answer.messageId ?? '',
      stop: () => stopBatch(batch.batchId),
      settled: batch.settled.then((calls) => {
        batch.close();
        const isRecorded = calls.every(({ recorded }) => recorded);
        if (!isRecorded) this.#endUnrecorded(answer, as);
        return isRecorded;
      }),
    });
  }

  /** Where neither its end nor its calls are on record, it is ended as one that broke off, now or before the next is asked for. */
  #endUnrecorded(answer: AnswerUnderWay, { blocks }: EndedAnswer): void {
    const kept = this.#parts.record.message(answer.messageId ?? '');
    if (kept?.said.by !== 'assistant' || kept.said.end.state !== 'streaming') return;
    const end = { state: 'broke-off', failure: NOT_RECORDED } as const;
    this.#owed = () => answer.endAs({ end, blocks }, this.#parts.clock.monotonic());
    this.#trying(() => this.#payOwed());
  }

  /** Where it can't be recorded now, it is once that can be. */
  #endOwed(answer: AnswerUnderWay, as: EndedAnswer): void {
    const now = this.#parts.clock.monotonic();
    this.#owed = () => answer.endAs(as, now);
    this.#payOwed();
  }

  #payOwed(): void {
    this.#owed?.();
    this.#owed = null;
  }

  #waitFor(calls: CallsUnderWay): void {
    this.#calls = calls;
    this.#doing = { kind: 'calls', messageId: calls.messageId };
    this.#work = this.#results(calls);
  }

  async #results(calls: CallsUnderWay): Promise<void> {
    let given = false;
    try {
      given = await calls.settled;
    } catch (error) {
      this.#parts.onTrouble(error);
    }
    this.#calls = null;
    if (this.#isClosing) return;
    const conversation = this.#parts.record.get(this.id);
    this.#handle({ type: 'results', goesOn: given && conversation !== null && this.#parts.goesOn(conversation) });
  }

  // ---------------------------------------------------------------- told

  #giveBack({ unsent }: Outgoing): void {
    this.#givenBack = unsent;
    // Stop gives it to who pressed it.
    if (!this.#isStopping) this.#parts.publish({ type: 'given-back', conversationId: this.id, unsent });
    const { record, onTrouble } = this.#parts;
    record.keepDraft(this.id, unsent.text).catch(onTrouble);
  }

  #show({ messageId }: AnswerUnderWay, pieces: readonly LivePiece[]): void {
    if (messageId === null) return;
    for (const piece of pieces)
      this.#parts.publish({ type: 'message-piece', piece: { conversationId: this.id, messageId, ...piece } });
  }

  #does(doing: WorkingConversation['doing']): void {
    this.#doing = doing;
    this.#tell();
  }

  #tell(): void {
    this.#parts.publish({ type: 'working', working: this.working });
  }

  #trying(record: () => void): void {
    try {
      record();
    } catch (error) {
      this.#parts.onTrouble(error);
    }
  }

  #summary(): ConversationSummary {
    const found = this.#parts.record.get(this.id);
    if (found === null) throw new Error('This conversation was deleted.');
    return found;
  }
}

/** So long the app’s end waits for it. */
const CLOSING_MS = 1000;

const NOT_RECORDED = {
  fault: 'broke-off',
  message: 'It could not be recorded what this asked for, so nothing of it counts. Ask again.',
} as const;

const IDLE = { kind: 'idle' } as const;

const isCall = (block: EndedAnswer['blocks'][number]): block is CalledBlock => block.kind === 'call';
