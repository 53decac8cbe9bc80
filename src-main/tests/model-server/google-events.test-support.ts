import type { JsonObject } from '#contract/vocabulary/json.js';
import { argumentsText, event, piecesOf, type ScriptedBlock, type ScriptedTurn } from './turns.test-support.js';

const FINISH = { done: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY', filtered: 'SAFETY' } as const;

/** A turn as Gemini streams it: a call is one part, whole. */
export function googleEvents(turn: ScriptedTurn, number: number, model: string): readonly string[] {
  const { input, output } = turn.usage ?? { input: 10, output: 5 };
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
  const chunk = (parts: readonly object[], finishReason?: string): string =>
    event({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
      ...(finishReason === undefined ? {} : { usageMetadata }),
      modelVersion: model,
      responseId: `response_${number}`,
    });
  const piece = turn.piece ?? 16;
  const events = (turn.blocks ?? []).flatMap((block: ScriptedBlock) => {
    if ('text' in block) return piecesOf(block.text, piece).map((text) => chunk([{ text }]));
    if ('redacted' in block) return [];
    if ('reasoning' in block) return piecesOf(block.reasoning, piece).map((text) => chunk([{ text, thought: true }]));
    const args = JSON.parse(argumentsText(block) || '{}') as JsonObject;
    return [chunk([{ functionCall: { name: block.call, args, ...(block.id !== undefined && { id: block.id }) } }])];
  });
  return turn.ends === null ? events : [...events, chunk([{ text: '' }], FINISH[turn.ends ?? 'done'])];
}
