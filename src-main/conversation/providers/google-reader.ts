import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelEvent, ModelUsage } from '../../domain/ports/conversation/model.js';
import {
  type AnswerReader,
  BrokenAnswer,
  type ClosingWhy,
  listIn,
  numberIn,
  objectIn,
  saidIn,
  textIn,
} from './answer-reader.js';

const WHY: Readonly<Record<string, ClosingWhy>> = {
  STOP: 'done',
  MAX_TOKENS: 'length',
  SAFETY: 'filtered',
  RECITATION: 'filtered',
  BLOCKLIST: 'filtered',
  PROHIBITED_CONTENT: 'filtered',
  SPII: 'filtered',
  LANGUAGE: 'filtered',
};

/** Gemini's `streamGenerateContent`. A call comes whole, in one part; it counts with the message's end, as everywhere. */
export class GoogleReader implements AnswerReader {
  #why: ClosingWhy | null = null;
  #blocks = 0;
  #speaking: { readonly type: 'text' | 'reasoning'; readonly block: number; signature: string } | null = null;
  #usage: ModelUsage | null = null;

  get closed(): ClosingWhy | null {
    return this.#why;
  }

  get usage(): ModelUsage | null {
    return this.#usage;
  }

  read(event: JsonObject, name: string): readonly ModelEvent[] {
    if (name === 'error' || event['error'] !== undefined)
      throw new BrokenAnswer(`its server said “${saidIn(event['error']) || 'error'}”.`);
    const counted = objectIn(event['usageMetadata']);
    const [inputTokens, said] = [numberIn(counted['promptTokenCount']), numberIn(counted['candidatesTokenCount'])];
    const outputTokens = said === null ? null : said + (numberIn(counted['thoughtsTokenCount']) ?? 0);
    if (inputTokens !== null || outputTokens !== null) this.#usage = { inputTokens, outputTokens, cost: null };
    if (textIn(objectIn(event['promptFeedback'])['blockReason']) !== '') this.#why = 'filtered';
    const [first] = listIn(event['candidates']);
    if (first === undefined) return [];
    const candidate = objectIn(first);
    const parts = listIn(objectIn(candidate['content'])['parts']);
    const finish = textIn(candidate['finishReason']);
    if (this.#why !== null) {
      if (parts.every((part) => textIn(objectIn(part)['text']) === '' && objectIn(part)['functionCall'] === undefined))
        return [];
      throw new BrokenAnswer('it went on after its end.');
    }
    const events = parts.flatMap((part) => this.#part(objectIn(part)));
    return finish === '' ? events : [...events, ...this.#finish(finish)];
  }

  #part(part: JsonObject): readonly ModelEvent[] {
    const signature = textIn(part['thoughtSignature']);
    if (part['functionCall'] !== undefined) {
      const called = objectIn(part['functionCall']);
      const before = this.#endSpeaking();
      const block = this.#blocks++;
      const kept = signature === '' ? null : { provider: 'google', thoughtSignature: signature };
      return [
        ...before,
        { type: 'call-began', block, id: textIn(called['id']), name: textIn(called['name']) },
        { type: 'call-arguments', block, text: JSON.stringify(called['args'] ?? {}) },
        { type: 'block-ended', block, kept },
      ];
    }
    const text = textIn(part['text']);
    if (text === '' && (signature === '' || this.#speaking === null)) return [];
    const type = part['thought'] === true ? 'reasoning' : 'text';
    const before = text === '' || this.#speaking?.type === type ? [] : this.#endSpeaking();
    this.#speaking ??= { type, block: this.#blocks++, signature: '' };
    if (signature !== '') this.#speaking.signature = signature;
    return text === '' ? before : [...before, { type, block: this.#speaking.block, text }];
  }

  #endSpeaking(): readonly ModelEvent[] {
    if (this.#speaking === null) return [];
    const { block, signature } = this.#speaking;
    this.#speaking = null;
    const kept = signature === '' ? null : { provider: 'google', thoughtSignature: signature };
    return [{ type: 'block-ended', block, kept }];
  }

  #finish(finish: string): readonly ModelEvent[] {
    const why = WHY[finish];
    if (why === undefined) throw new BrokenAnswer(`it ended as “${finish.slice(0, 60)}”.`);
    this.#why = why;
    return this.#endSpeaking();
  }
}
