import type {
  AssistantBlock,
  ModelFailure,
  ModelMessage,
  ModelRequest,
} from '../../domain/ports/conversation/model.js';
import { findCallSubject, formatSubject } from '../../domain/conversation/framing.js';
import { BYTES_PER_TOKEN } from '../../domain/text/cut-to-context.js';
import { estimateTokens } from '../../domain/text/token-estimate.js';
import { buildHistory, type HistoryParts } from '../history/history.js';
import { foldedLine } from '../history/given-result.js';

/** `[model]`, as it is in force for who answers. */
export interface ContextLimits {
  readonly contextTokens: number;
  readonly reserveTokens: number;
  readonly maxOutputTokens: number;
}

/** The parts of a request that go with it besides the history. */
export type Frame = Pick<ModelRequest, 'system' | 'tools'>;

export interface FittedHistory {
  readonly history: readonly ModelMessage[];
  /** Results that stand in one line from now on: to be recorded before it is sent. */
  readonly folded: readonly string[];
  readonly usedTokens: number;
  readonly room: RoomAfter;
}

/**
 * FR-REG-04b: what the results of an answer to this may take, all together, so that they can be sent with it; in bytes, four to
 * a token. Null where not even the least can be given: then none of its calls is to run.
 */
export type RoomAfter = (answer: readonly AssistantBlock[]) => number | null;

const SAFETY_TOKENS = 1024;
/** The cost of a picture at the size that providers scale it to; no protocol counts less. */
const PICTURE_TOKENS = 1600;
const MESSAGE_TOKENS = 8;
/** Around a result: its frame, and what we say of it. */
const FRAME_TOKENS = 48;
/** The cost of the line in place of a folded result, without its subject. */
const LINE_TOKENS = 16;
/** The minimum that is kept of a result, so that something of it can be read. */
const MIN_RESULT_TOKENS = 24;

/**
 * The history as it fits: where less than a quarter of the context is free, the oldest results become a line each, one after
 * another, until it is; not those that the person wants whole, nor those that the model has not been given yet. Only where all of
 * it would not fit otherwise these do, too, the longest first: what was run can be sent, whatever changed since. What does not fit then is a
 * failure: nothing of it is sent, and nothing is left out in silence.
 */
export function fitHistory(
  kept: HistoryParts,
  frame: Frame,
  limits: ContextLimits,
  how: { readonly alternating: boolean },
): FittedHistory | ModelFailure {
  const room = roomOf(limits);
  const most = Math.min(room, Math.floor((limits.contextTokens * 3) / 4));
  let history = buildHistory(kept, how);
  let usedTokens = tokensOf(history, frame);
  let folded: readonly string[] = [];
  const fold = (candidates: readonly Saving[], tokens: number): void => {
    const now = pickSavings(candidates, tokens);
    if (now.length === 0) return;
    folded = [...folded, ...now];
    history = buildHistory(withFolded(kept, folded), how);
    usedTokens = tokensOf(history, frame);
  };
  const all = savings(kept);
  if (usedTokens > most)
    fold(
      all.filter(({ isNew, isWanted }) => !isNew && !isWanted),
      usedTokens - most,
    );
  const others = all
    .filter(({ isNew, isWanted }) => isNew || isWanted)
    .toSorted((one, other) => other.tokens - one.tokens);
  for (const other of others) if (usedTokens > room) fold([other], 1);
  if (usedTokens > room) return tooLong(usedTokens, limits, room);
  const spare = sum(savings(withFolded(kept, folded)), ({ tokens }) => tokens);
  return { history, folded, usedTokens, room: (answer) => roomAfter(answer, { room, usedTokens, spare }) };
}

/** The room that a history has left beside the answer. Where that is little, older results make way when it is sent. */
function roomAfter(
  answer: readonly AssistantBlock[],
  { room, usedTokens, spare }: { readonly room: number; readonly usedTokens: number; readonly spare: number },
): number | null {
  const calls = answer.filter((block) => block.kind === 'call');
  const own = MESSAGE_TOKENS + tokensOfMessage({ role: 'assistant', blocks: answer });
  const subjects = sum(
    calls,
    (call) => MESSAGE_TOKENS + estimateTokens(formatSubject(call.name, findCallSubject(call.arguments))),
  );
  const free = room - usedTokens - own - MESSAGE_TOKENS;
  // Results that are too long to be sent become a line each.
  if (free + spare < subjects + calls.length * LINE_TOKENS) return null;
  const left = free - subjects - calls.length * FRAME_TOKENS;
  const enough = Math.floor(room / 4);
  const tokens = left < enough ? Math.min(enough, left + spare) : left;
  return Math.max(tokens, calls.length * MIN_RESULT_TOKENS) * BYTES_PER_TOKEN;
}

export const isFitted = (fitted: FittedHistory | ModelFailure): fitted is FittedHistory => 'history' in fitted;

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
      return sum(message.blocks, tokensOfBlock);
    case 'results':
      return sum(message.results, ({ content }) => estimateTokens(content) + MESSAGE_TOKENS);
  }
}

function tokensOfBlock(block: AssistantBlock): number {
  const own = block.kind === 'call' ? `${block.name} ${JSON.stringify(block.arguments)}` : block.text;
  const kept = block.kind === 'text' || block.kept === null ? '' : JSON.stringify(block.kept);
  return estimateTokens(own) + estimateTokens(kept) + MESSAGE_TOKENS;
}

/** A result that could stand in one line. */
interface Saving {
  readonly callId: string;
  readonly tokens: number;
  /** The model has not been given it yet. */
  readonly isNew: boolean;
  readonly isWanted: boolean;
}

/** The oldest first. */
function savings({ branch, results, given }: HistoryParts): readonly Saving[] {
  const answers = branch.flatMap(({ said }) =>
    said.by === 'assistant' && said.end.state === 'whole' ? [said.blocks] : [],
  );
  // Results of the last answer are new to the model, unless somebody spoke since.
  const newest = branch.at(-1)?.said.by === 'assistant' ? answers.length - 1 : answers.length;
  return answers.flatMap((blocks, at) =>
    blocks.flatMap((block): readonly Saving[] => {
      if (block.kind !== 'call' || block.callId === undefined) return [];
      const { callId } = block;
      const call = results.get(callId);
      const folding = given.get(callId)?.folding ?? 'none';
      if (call?.result?.isOutput !== true || call.discarded || folding === 'folded') return [];
      const tokens = estimateTokens(call.result.content) - estimateTokens(foldedLine(call));
      return tokens <= 0 ? [] : [{ callId, tokens, isNew: at === newest, isWanted: folding === 'wanted-whole' }];
    }),
  );
}

/** Picks candidates in their order until so many tokens are free. */
function pickSavings(candidates: readonly Saving[], tokens: number): readonly string[] {
  const chosen: string[] = [];
  let left = tokens;
  for (const { callId, tokens: saved } of candidates) {
    if (left <= 0) break;
    chosen.push(callId);
    left -= saved;
  }
  return chosen;
}

function withFolded(kept: HistoryParts, folded: readonly string[]): HistoryParts {
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
