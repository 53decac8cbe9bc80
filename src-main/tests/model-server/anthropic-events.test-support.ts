import {
  argumentsText,
  event,
  piecesOf,
  runsOf,
  type ScriptedBlock,
  type ScriptedTurn,
  takingTurns,
} from './turns.test-support.js';

const STOP_REASONS = { done: 'end_turn', length: 'max_tokens', refused: 'refusal', filtered: 'refusal' } as const;
const named = (type: string, data: object = {}): string => event({ type, ...data }, type);

/** A turn as Anthropic Messages stream it. */
export function anthropicEvents(turn: ScriptedTurn, number: number, model: string): readonly string[] {
  const { input, output } = turn.usage ?? { input: 10, output: 5 };
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model, content: [] };
  const start = {
    ...message,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: 1 },
  };
  return [
    named('message_start', { message: start }),
    named('ping'),
    ...runsOf(turn).flatMap((run) => {
      const parts = run.map(([index, block]) => blockEvents(index, block, number, turn.piece ?? 16));
      return takingTurns(parts);
    }),
    ...ending(turn, output),
  ];
}

function ending(turn: ScriptedTurn, output: number): readonly string[] {
  if (turn.ends === null) return [];
  const calls = turn.blocks?.some((block) => 'call' in block) === true;
  const stop_reason = turn.ends === undefined && calls ? 'tool_use' : STOP_REASONS[turn.ends ?? 'done'];
  const delta = { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } };
  return [named('message_delta', delta), named('message_stop')];
}

function blockEvents(index: number, block: ScriptedBlock, number: number, piece: number): readonly string[] {
  const began = (content_block: object) => named('content_block_start', { index, content_block });
  const piecesAs = (text: string, delta: (part: string) => object) =>
    piecesOf(text, piece).map((part) => named('content_block_delta', { index, delta: delta(part) }));
  const ended = named('content_block_stop', { index });
  if ('text' in block) {
    const parts = piecesAs(block.text, (text) => ({ type: 'text_delta', text }));
    return [began({ type: 'text', text: '' }), ...parts, ended];
  }
  if ('redacted' in block) return [began({ type: 'redacted_thinking', data: block.redacted }), ended];
  if ('reasoning' in block) {
    const signed = named('content_block_delta', {
      index,
      delta: { type: 'signature_delta', signature: block.signature ?? 'signed' },
    });
    const parts = piecesAs(block.reasoning, (thinking) => ({ type: 'thinking_delta', thinking }));
    return [began({ type: 'thinking', thinking: '', signature: '' }), ...parts, signed, ended];
  }
  const id = block.id ?? `toolu_${number}_${index}`;
  const parts = piecesAs(argumentsText(block), (partial_json) => ({ type: 'input_json_delta', partial_json }));
  return [began({ type: 'tool_use', id, name: block.call, input: {} }), ...parts, ended];
}
