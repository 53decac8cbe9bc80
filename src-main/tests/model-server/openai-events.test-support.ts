import {
  argumentsText,
  event,
  piecesOf,
  runsOf,
  type ScriptedBlock,
  type ScriptedTurn,
  takingTurns,
} from './turns.test-support.js';

const FINISH = { done: 'stop', length: 'length', refused: 'stop', filtered: 'content_filter' } as const;
type Numbered = readonly [number, ScriptedBlock];

/** A turn as OpenAI chat completions stream it; calls are numbered by themselves, as there. */
export function openAiEvents(turn: ScriptedTurn, number: number, model: string): readonly string[] {
  const envelope = { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    event({ ...envelope, choices: [{ index: 0, delta, finish_reason }] });
  const { input, output } = turn.usage ?? { input: 10, output: 5 };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const callsBefore = (index: number) => (turn.blocks ?? []).slice(0, index).filter((block) => 'call' in block).length;
  const blockEvents = ([index, block]: Numbered): readonly string[] => {
    const piece = turn.piece ?? 16;
    if ('text' in block) return piecesOf(block.text, piece).map((content) => chunk({ content }));
    if ('redacted' in block) return [];
    if ('reasoning' in block)
      return piecesOf(block.reasoning, piece).map((reasoning_content) => chunk({ reasoning_content }));
    const at = callsBefore(index);
    const id = block.id ?? `call_${number}_${at}`;
    const began = { index: at, id, type: 'function', function: { name: block.call, arguments: '' } };
    const pieces = piecesOf(argumentsText(block), piece);
    return [
      chunk({ tool_calls: [began] }),
      ...pieces.map((part) => chunk({ tool_calls: [{ index: at, function: { arguments: part } }] })),
    ];
  };
  const calls = callsBefore(turn.blocks?.length ?? 0) > 0;
  const finish = turn.ends === undefined && calls ? 'tool_calls' : FINISH[turn.ends ?? 'done'];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...runsOf(turn).flatMap((run) => takingTurns(run.map(blockEvents))),
    ...(turn.ends === 'refused' ? [chunk({ refusal: 'I can’t help with that.' })] : []),
    ...(turn.ends === null ? [] : [chunk({}, finish), event({ ...envelope, choices: [], usage }), event('[DONE]')]),
  ];
}
