import { vi } from 'vitest';
import type { AppEventBody } from '#contract/window/app-events.js';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { PersonPart, StoredMessage } from '../../domain/conversation/message.js';
import type { ConversationEvent } from '../../domain/conversation/conversation-events.js';
import type { BatchRequest, SettledCall } from '../../domain/ports/gate/gate.js';
import type { ModelEvent, ModelFailure, ModelRequest } from '../../domain/ports/conversation/model.js';
import { ConversationLoop, type LoopParts } from './conversation-loop.js';
import type { PreparedRequest } from './speaker.js';

const SUMMARY: ConversationSummary = {
  id: 'c',
  workspace: '/w',
  title: 'T',
  summary: '',
  startedAt: 0,
  changedAt: 0,
  model: null,
  asking: null,
  demo: false,
  draft: '',
};

/** A conversation’s messages in memory: one branch, and what is written of an answer only when its events are appended. */
class MessagesInMemory {
  readonly messages: StoredMessage[] = [];
  summary: ConversationSummary | null = SUMMARY;
  draft = '';
  /** When what an answer ends with was looked through. */
  lookedThrough: Promise<void> = Promise.resolve();
  readonly noted: { readonly id: string; readonly name: string }[] = [];
  /** Why nothing can be recorded now. */
  problem: Error | null = null;

  get = (): ConversationSummary | null => this.summary;
  branch = (): readonly StoredMessage[] => this.messages;
  message = (id: string): StoredMessage | null => this.messages.find((each) => each.id === id) ?? null;
  keepDraft = async (_id: string, text: string): Promise<void> => void (this.draft = text);

  addPersonMessage = async (_id: string, parts: readonly PersonPart[]): Promise<StoredMessage> =>
    this.#add({ by: 'person', parts });

  beginAnswer = (_id: string, _model: string, insteadOf?: string) => {
    if (insteadOf !== undefined) this.messages.splice(this.messages.findIndex(({ id }) => id === insteadOf));
    const { id } = this.#add({ by: 'assistant', blocks: [], end: { state: 'streaming', failure: null }, foot: null });
    const ended: ReturnType<LoopParts['record']['beginAnswer']>['ended'] = (blocks, end, foot) => [
      { type: 'answer-ended', conversationId: 'c', messageId: id, blocks, end, foot },
    ];
    return {
      messageId: id,
      text: () => undefined,
      callBegan: (_block: number, callId: string, name: string) => void this.noted.push({ id: callId, name }),
      callArguments: () => undefined,
      prepare: () => this.lookedThrough,
      ended,
      end: (...how: Parameters<typeof ended>) => this.append(ended(...how)),
    };
  };

  append(events: readonly ConversationEvent[]): void {
    if (this.problem !== null) throw this.problem;
    for (const event of events) {
      if (event.type !== 'answer-ended') continue;
      const at = this.messages.findIndex(({ id }) => id === event.messageId);
      const { blocks, end, foot } = event;
      const message = this.messages[at];
      if (message !== undefined) this.messages[at] = { ...message, said: { by: 'assistant', blocks, end, foot } };
    }
  }

  #add(said: StoredMessage['said']): StoredMessage {
    if (this.problem !== null) throw this.problem;
    const message = { id: `m${this.messages.length}`, conversationId: 'c', parent: null, at: 0, said };
    this.messages.push(message);
    return message;
  }
}

/** An answer that a test plays. */
export interface Played {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** `silence`: it is over without a word. */
  says(...events: readonly (ModelEvent | 'silence')[]): Promise<void>;
}

export function openLoop(
  more: { readonly prepare?: () => Promise<PreparedRequest | ModelFailure>; readonly rounds?: number } = {},
) {
  const record = new MessagesInMemory();
  const published: AppEventBody[] = [];
  const troubles: unknown[] = [];
  const answers: Played[] = [];
  const batches: {
    readonly request: BatchRequest;
    readonly settle: (...recorded: readonly boolean[]) => Promise<void>;
  }[] = [];
  const state = { goesOn: true, closed: 0, spoke: 0, stopped: [] as string[], speakers: 0 };
  const parts: LoopParts = {
    record,
    gate: {
      submit: (request) => {
        const settled = Promise.withResolvers<readonly SettledCall[]>();
        const number = batches.length;
        const facts = request.with?.(request.calls.map((_, index) => `g${number}-${index}`)) ?? [];
        // Where it can’t be recorded, the gate says so of each call.
        if (record.problem === null) record.append(facts);
        const settle = async (...recorded: readonly boolean[]): Promise<void> => {
          settled.resolve(request.calls.map((_, index) => ({ recorded: recorded[index] ?? true }) as SettledCall));
          await turns();
        };
        batches.push({ request, settle });
        return {
          batchId: `b${number}`,
          calls: [],
          settled: settled.promise,
          cancel: () => undefined,
          abandon: () => undefined,
          close: () => (state.closed += 1),
        };
      },
    },
    clock: { now: () => 0, monotonic: () => 0 },
    speaker: () => {
      state.speakers += 1;
      return {
        name: 'scripted',
        mostRounds: more.rounds ?? 4,
        prepare: more.prepare ?? (async (mayCall) => preparedFor(mayCall)),
        model: { answer: (request, signal) => played(answers, request, signal) },
      };
    },
    goesOn: () => state.goesOn,
    stopBatch: (batchId) => state.stopped.push(batchId),
    personSpoke: () => (state.spoke += 1),
    publish: (event) => published.push(event),
    onTrouble: (error) => troubles.push(error),
  };
  const loop = new ConversationLoop('c', parts);
  const say = (text: string, insteadOf: string | null = null): Promise<void> => {
    loop.say({ parts: [{ kind: 'text', text }], insteadOf, unsent: { text, files: [], pictures: [] } });
    return turns();
  };
  /** The answer that is waited for now. */
  const answer = (): Played => answers.at(-1) ?? expectOne();
  const said = () =>
    record.messages.map(({ said: each }) =>
      each.by === 'person'
        ? each.parts.map((part) => (part.kind === 'text' ? part.text : part.kind)).join()
        : each.end.state,
    );
  return { loop, record, published, troubles, answers, batches, state, say, answer, said };
}

function expectOne(): never {
  throw new Error('nobody asked the model');
}

export const preparedFor = (mayCall: boolean): PreparedRequest => ({
  request: {
    system: '',
    history: [],
    tools: [],
    toolChoice: mayCall ? 'auto' : 'none',
    maxOutputTokens: 1,
    temperature: null,
  },
  context: { usedTokens: 1, ofTokens: 2 },
  room: () => 100,
});

async function* played(answers: Played[], request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  let waiting = Promise.withResolvers<void>();
  const queue: (ModelEvent | 'silence')[] = [];
  answers.push({
    request,
    signal,
    says: async (...events) => {
      queue.push(...events);
      waiting.resolve();
      await turns();
    },
  });
  for (;;) {
    const event = queue.shift();
    if (event === undefined) {
      await waiting.promise;
      waiting = Promise.withResolvers();
      continue;
    }
    if (event === 'silence') return;
    yield event;
    if (event.type === 'ended' || event.type === 'failed') return;
  }
}

/** Resolves once everything that follows by itself has happened. */
export const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1)
    await new Promise((resolve) => (vi.isFakeTimers() ? queueMicrotask(() => resolve(null)) : setImmediate(resolve)));
};

export const DONE: ModelEvent = { type: 'ended', why: 'done' };
export const text = (said: string): ModelEvent => ({ type: 'text', block: 0, text: said });
export const call = (block: number, id = `c${block}`, name = 'read_file', args = '{}'): readonly ModelEvent[] => [
  { type: 'call-began', block, id, name },
  { type: 'call-arguments', block, text: args },
  { type: 'block-ended', block, kept: null },
];
export const BROKE: ModelEvent = { type: 'failed', failure: { fault: 'broke-off', message: 'It broke off.' } };
export const doing = ({ loop }: ReturnType<typeof openLoop>) => loop.working.doing.kind;
