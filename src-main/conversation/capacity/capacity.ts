import type { ModelFailure, ModelMessage, ModelRequest } from '../../domain/ports/conversation/model.js';
import { historyOf, type Kept } from '../history/history.js';
import { lineFor } from '../history/result-given.js';
import { estimateTokens } from './token-estimate.js';

/** `[model]`, as it is in force for who answers. */
export interface ContextLimits {
  readonly contextTokens: number;
  readonly reserveTokens: number;
  readonly maxOutputTokens: number;
}

/** What goes with each request besides the history. */
export type Frame = Pick<ModelRequest, 'system' | 'tools'>;

export interface Fitted {
  readonly history: readonly ModelMessage[];
  /** Results that stand in one line from now on: to be recorded before it is sent. */
  readonly folded: readonly string[];
  readonly usedTokens: number;
  /** FR-REG-04b: what the results of the answer may take, all together. */
  readonly capacityBytes: number;
}

const SAFETY_TOKENS = 1024;
const BYTES_A_TOKEN = 4;
/** What no protocol says less of: a picture at the size that providers cut it to. */
const PICTURE_TOKENS = 1600;
const MESSAGE_TOKENS = 8;

/**
 * The history as it fits: where less than a quarter of the context is free, the oldest results become a line each, one after
 * another, until it is; not those that the person wants whole, nor those that the model has not been given yet. What does
 * not fit then is a failure: nothing of it is sent, and nothing is left out in silence.
 */
export function fit(
  kept: Kept,
  frame: Frame,
  limits: ContextLimits,
  how: { readonly alternating: boolean },
): Fitted | ModelFailure {
  const room = roomOf(limits);
  const most = Math.min(room, Math.floor((limits.contextTokens * 3) / 4));
  const before = historyOf(kept, how);
  const used = tokensOf(before, frame);
  const folded = used > most ? toFold(kept, used - most) : [];
  const history = folded.length === 0 ? before : historyOf(withFolded(kept, folded), how);
  const usedTokens = folded.length === 0 ? used : tokensOf(history, frame);
  if (usedTokens > room) return tooLong(usedTokens, limits, room);
  return { history, folded, usedTokens, capacityBytes: (room - usedTokens) * BYTES_A_TOKEN };
}

export const isFitted = (fitted: Fitted | ModelFailure): fitted is Fitted => 'history' in fitted;

const roomOf = ({ contextTokens, reserveTokens, maxOutputTokens }: ContextLimits): number =>
  Math.max(0, contextTokens - Math.max(reserveTokens, maxOutputTokens) - SAFETY_TOKENS);

export function tokensOf(history: readonly ModelMessage[], { system, tools }: Frame): number {
  const around = estimateTokens(system) + estimateTokens(JSON.stringify(tools)) + tools.length * MESSAGE_TOKENS;
  return history.reduce((sum, message) => sum + MESSAGE_TOKENS + tokensOfMessage(message), around);
}

function tokensOfMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return sum(message.parts, (part) => (part.kind === 'picture' ? PICTURE_TOKENS : estimateTokens(part.text)));
    case 'assistant':
      return sum(message.blocks, (block) => {
        const own = block.kind === 'call' ? `${block.name} ${JSON.stringify(block.arguments)}` : block.text;
        const kept = block.kind === 'text' || block.kept === null ? '' : JSON.stringify(block.kept);
        return estimateTokens(own) + estimateTokens(kept) + MESSAGE_TOKENS;
      });
    case 'results':
      return sum(message.results, ({ content }) => estimateTokens(content) + MESSAGE_TOKENS);
  }
}

/** The oldest first, until so many tokens are free. */
function toFold({ branch, results, given }: Kept, tokens: number): readonly string[] {
  const answers = branch.flatMap(({ said }) =>
    said.by === 'assistant' && said.end.state === 'whole' ? [said.blocks] : [],
  );
  const last = branch.at(-1)?.said;
  // Those of the last answer are new to the model, unless somebody spoke since.
  const older = last?.by === 'assistant' ? answers.slice(0, -1) : answers;
  const folded: string[] = [];
  let left = tokens;
  for (const block of older.flat()) {
    if (left <= 0) break;
    if (block.kind !== 'call' || block.callId === undefined) continue;
    const call = results.get(block.callId);
    if (call?.result?.isOutput !== true || call.discarded || (given.get(block.callId)?.folding ?? 'none') !== 'none')
      continue;
    const saved = estimateTokens(call.result.content) - estimateTokens(lineFor(call));
    if (saved <= 0) continue;
    folded.push(block.callId);
    left -= saved;
  }
  return folded;
}

function withFolded(kept: Kept, folded: readonly string[]): Kept {
  const given = new Map(kept.given);
  for (const callId of folded) given.set(callId, { letters: given.get(callId)?.letters ?? null, folding: 'folded' });
  return { ...kept, given };
}

const tooLong = (used: number, { contextTokens }: ContextLimits, room: number): ModelFailure => ({
  fault: 'too-long',
  message:
    `The context is too long: this conversation takes about ${thousands(used)} tokens, and ${thousands(room)} of the ` +
    `model’s ${thousands(contextTokens)} can be used. Nothing was sent. Start a new conversation, edit an earlier message, or ` +
    'choose a model with a larger context.',
});

const thousands = (tokens: number): string => tokens.toLocaleString('en');

const sum = <T>(all: readonly T[], of: (each: T) => number): number => all.reduce((total, each) => total + of(each), 0);
