import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitHistory, isFitted } from '../../conversation/capacity/capacity.js';
import type { HistoryParts } from '../../conversation/history/history.js';
import { readHistoryParts } from '../../conversation/history/history-parts.js';
import { makeAsker } from '../../domain/call/asker.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { AnswerEnd, PersonPart, StoredBlock } from '../../domain/conversation/message.js';
import type { AnswerInProgress } from '../../domain/ports/conversation/conversation-record.js';
import { endBrokenAnswers } from '../../gate/recovery/end-broken-answers.js';
import { openTestConversations } from '../../journal/conversations/conversations.test-support.js';
import { testFolder } from '../../journal/writing/journal.test-support.js';
import { settled, started } from '../../journal/writing/journal-samples.test-support.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { sampledTimes } from '../sampled.test-support.js';
import { refusedAsSent, refusedBy } from './wire-rules.test-support.js';

/** How many sequences are tried. */
const RUNS = sampledTimes(600, 40);
const FOLDER = '/home/someone/project';
/** What is left free beside the history: for the answer, and for safety. */
const SPARE = 1_124;

const fitIn = (kept: HistoryParts, contextTokens: number) =>
  fitHistory(
    kept,
    { system: '', tools: [] },
    { contextTokens, reserveTokens: 100, maxOutputTokens: 100 },
    { alternating: true },
  );

type Came = 'done' | 'failed' | 'denied' | 'interrupted' | 'silent' | 'never';
type Said =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string; readonly signed: boolean }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly came: Came };
type Step =
  | { readonly do: 'say' | 'edit'; readonly parts: readonly PersonPart[]; readonly pick: number }
  | {
      readonly do: 'answer' | 'retry';
      readonly said: readonly Said[];
      readonly state: AnswerEnd['state'];
      readonly pick: number;
    }
  | { readonly do: 'crash'; readonly said: readonly Said[]; readonly choice: 'resume' | 'discard' }
  | { readonly do: 'branch' | 'fold' | 'unfold' | 'discard' | 'restart'; readonly pick: number };

const anyText = fc.constantFrom('', ' ', '\n', 'words', 'a line\nanother', '[end abcdefgh]', '\u0000', '💡');
const part = fc.oneof(
  anyText.map((words): PersonPart => ({ kind: 'text', text: words })),
  anyText.map((words): PersonPart => ({ kind: 'file', path: 'src/a.ts', text: words })),
  fc.constant<PersonPart>({ kind: 'picture', mediaType: 'image/png', base64: 'iVBORw0KGgo=' }),
);
const block = fc.oneof(
  anyText.map((words): Said => ({ kind: 'text', text: words })),
  fc.record({ kind: fc.constant('reasoning' as const), text: anyText, signed: fc.boolean() }),
  fc.record({
    kind: fc.constant('call' as const),
    id: fc.constantFrom('call_1', 'call_1', 'call_1', 'toolu_01A', '', 'with space', 'é', 'x'.repeat(64)),
    name: fc.constantFrom('read_file', 'run_command', '', 'mcp.server/tool', 'ä', 'n'.repeat(80)),
    came: fc.constantFrom<Came>('done', 'failed', 'denied', 'interrupted', 'silent', 'never'),
  }),
);
const anyParts = fc.array(part, { maxLength: 3 });
const anySaid = fc.array(block, { maxLength: 5 });
const anyPick = fc.nat(1000);
const anyState = fc.constantFrom<AnswerEnd['state']>(
  'whole',
  'whole',
  'whole',
  'stopped',
  'broke-off',
  'length',
  'refused',
  'empty',
  'failed',
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('say' as const, 'edit' as const), parts: anyParts, pick: anyPick }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('answer' as const, 'retry' as const),
      said: anySaid,
      state: anyState,
      pick: anyPick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      said: anySaid,
      choice: fc.constantFrom('resume' as const, 'discard' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'branch' as const,
        'fold' as const,
        'unfold' as const,
        'discard' as const,
        'restart' as const,
      ),
      pick: anyPick,
    }),
  },
);

/** A conversation that all kinds of things happen to, on a real journal. */
class Happening {
  readonly #folder = testFolder();
  readonly #redactor = openTestRedactor();
  #open = openTestConversations(this.#folder);
  readonly #id = this.#open.record.begin(FOLDER, false).id;
  readonly #batches: string[] = [];
  readonly #calls: string[] = [];
  #persons: string[] = [];
  #answers: string[] = [];

  async step(step: Step): Promise<void> {
    const { record, journal } = this.#open;
    switch (step.do) {
      case 'say':
      case 'edit': {
        const old = step.do === 'edit' ? at(this.#persons, step.pick) : undefined;
        this.#persons.push((await record.addPersonMessage(this.#id, step.parts, old)).id);
        return;
      }
      case 'answer':
      case 'retry': {
        if (record.branch(this.#id).length === 0) return;
        const answer = record.beginAnswer(
          this.#id,
          'm',
          step.do === 'retry' ? at(this.#answers, step.pick) : undefined,
        );
        this.#answers.push(answer.messageId);
        this.#endWith(answer, step.said, step.state);
        return;
      }
      case 'crash': {
        if (record.branch(this.#id).length === 0) return;
        const answer = record.beginAnswer(this.#id, 'm');
        this.#answers.push(answer.messageId);
        step.said.forEach((each, index) => {
          if (each.kind !== 'call') return answer.text(index, each.kind, each.text);
          answer.callBegan(index, each.id, each.name);
          answer.callArguments(index, '{"path":"a');
        });
        return this.#restart(step.choice);
      }
      case 'branch': {
        const message = at([...this.#persons, ...this.#answers], step.pick);
        if (message !== undefined) record.showBranch(this.#id, message);
        return;
      }
      case 'fold':
      case 'unfold': {
        const call = at(this.#calls, step.pick);
        if (call === undefined) return;
        if (step.do === 'fold') record.fold(this.#id, [call]);
        else record.unfold(this.#id, call);
        return;
      }
      case 'discard': {
        const batchId = at(this.#batches, step.pick);
        if (batchId !== undefined) journal.append([{ type: 'batch-discarded', batchId }]);
        return;
      }
      case 'restart':
        return this.#restart('resume');
    }
  }

  #endWith(answer: AnswerInProgress, said: readonly Said[], state: AnswerEnd['state']): void {
    const batchId = randomUUID();
    const events: JournalEvent[] = [];
    const blocks = said.map((each): StoredBlock => {
      if (each.kind === 'text') return each;
      if (each.kind === 'reasoning')
        return { ...each, kept: each.signed ? { provider: 'anthropic', signature: 's' } : null };
      const callId = randomUUID();
      this.#calls.push(callId);
      events.push(...callOf({ callId, batchId, index: events.length }, each.came));
      return { kind: 'call', id: each.id, name: each.name, arguments: {}, kept: null, callId };
    });
    if (events.length > 0) this.#batches.push(batchId);
    this.#open.journal.append([
      ...answer.ended(blocks, { state, failure: null }, null),
      ...(events.length === 0 ? [] : [received(batchId, this.#id), ...events]),
    ]);
  }

  /** As a crash: what streamed was written, and nothing was ended. */
  async #restart(choice: 'resume' | 'discard'): Promise<void> {
    this.#open.close();
    this.#open = openTestConversations(this.#folder);
    const { record, journal } = this.#open;
    endBrokenAnswers(record.leftByCrash(), { journal, redactor: this.#redactor }, () => undefined);
    for (const { batchId, calls } of journal.openBatches()) {
      const failure = { code: 'Interrupted', message: 'Gatehouse stopped.' } as const;
      const ends = calls.flatMap((call) => (call.settled ? [] : [settled(call.call.summary.callId, {}, failure)]));
      journal.append([
        ...ends,
        ...(choice === 'discard' ? [{ type: 'batch-discarded', batchId } as const] : []),
        { type: 'batch-closed', batchId },
      ]);
    }
  }

  async refused(): Promise<readonly string[]> {
    const kept = readHistoryParts(this.#open.record, this.#id, () => randomBytes(1)[0] ?? 0);
    if (kept.branch.length === 0) return [];
    return [...(await refusedBy(kept)), ...(await this.#refusedOfWhatFits(kept))];
  }

  /** In contexts in which it fits, only once results are folded, or not at all. */
  async #refusedOfWhatFits(kept: HistoryParts): Promise<readonly string[]> {
    const whole = fitIn(kept, 10_000_000);
    if (!isFitted(whole)) return ['a context of ten million tokens is too small'];
    const wrong: string[] = [];
    for (const share of [0.6, 1, 1.3, 1.4]) {
      const context = Math.round(whole.usedTokens * share) + SPARE;
      const fitted = fitIn(kept, context);
      if (!isFitted(fitted)) continue;
      if (fitted.usedTokens > whole.usedTokens) wrong.push('folding made it longer');
      if (fitted.usedTokens > context - SPARE) wrong.push('more was sent than fits');
      wrong.push(...(await refusedAsSent('anthropic', fitted.history)));
    }
    return wrong;
  }

  async verify() {
    const verdict = await this.#open.verify();
    this.#open.close();
    return verdict;
  }
}

function callOf(
  call: { readonly callId: string; readonly batchId: string; readonly index: number },
  came: Came,
): readonly JournalEvent[] {
  const [receivedCall, ...others] = started(call);
  if (receivedCall === undefined) throw new Error('A call is received first.');
  switch (came) {
    case 'done':
      return [
        receivedCall,
        ...others,
        settled(call.callId, { content: '[end aaaaaaaa] file text '.repeat(40), outputBytes: 1000 }),
      ];
    case 'silent':
      return [receivedCall, ...others, settled(call.callId, { content: '' })];
    case 'failed':
      return [
        receivedCall,
        ...others,
        settled(call.callId, { content: 'no' }, { code: 'ExecutionFailed', message: 'no' }),
      ];
    case 'denied':
      return [
        receivedCall,
        settled(
          call.callId,
          { content: 'The user denied this call.' },
          { code: 'DeniedByPerson', message: 'The user denied this call.', reason: null },
          'DENIED',
        ),
      ];
    case 'interrupted':
      return [receivedCall, settled(call.callId, {}, { code: 'Interrupted', message: 'It stopped.' })];
    case 'never':
      return [receivedCall];
  }
}

const received = (batchId: string, conversation: string): JournalEvent => ({
  type: 'batch-received',
  batchId,
  asker: makeAsker('conversation', conversation),
  workspace: FOLDER,
  mode: 'enabled',
});

const at = <T>(all: readonly T[], pick: number): T | undefined => all[pick % Math.max(1, all.length)];

it('a history is valid for each protocol, whatever happened to the conversation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 14 }), async (steps) => {
      const happening = new Happening();
      for (const each of steps) {
        await happening.step(each);
        expect(await happening.refused()).toEqual([]);
      }
      expect(await happening.verify()).toMatchObject({ ok: true });
    }),
    { numRuns: RUNS },
  );
});
