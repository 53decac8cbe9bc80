import type { Checkpoint } from '#contract/vocabulary/calls.js';
import type { ServerContext } from '@modelcontextprotocol/server';
import { AWAITING_WORDS, QUEUED_WORDS, STATE_WORDS } from '#contract/vocabulary/call-labels.js';
import { stripDrawing } from '#contract/vocabulary/screen/text-style.js';
import type { BatchCall, CallProgress } from '../../domain/ports/gate/gate.js';
import type { ToolProgress } from '../../domain/tool/tool.js';

export interface ProgressPace {
  /** How often a waiting call says that it still waits. Clients give up after as little as a minute of silence. */
  readonly heartbeatMs: number;
  /** Output is told at most this often. */
  readonly outputMs: number;
}

export const PROGRESS_PACE: ProgressPace = { heartbeatMs: 10_000, outputMs: 250 };

const WORDS: Readonly<Record<Exclude<CallProgress['type'], 'progress' | 'checkpoint'>, string>> = {
  'waiting-for-decision': AWAITING_WORDS.decision.asker,
  'waiting-for-result': AWAITING_WORDS.result.asker,
  'waiting-for-place': QUEUED_WORDS.asker,
  executing: STATE_WORDS.EXECUTING.stands,
};
const MAX_OUTPUT = 2000;
const MAX_TOKEN = 1000;

const progressWords = ({ percent, phase }: ToolProgress): string => {
  const far = percent === null ? '' : `${Math.round(percent)} %`;
  const doing = stripDrawing(phase ?? '').slice(0, MAX_OUTPUT);
  return [doing, far].filter((part) => part !== '').join(', ') || WORDS.executing;
};

/** Words for a checkpoint. Its label is as foreign as a phase's. */
const checkpointWords = ({ label }: Checkpoint): string =>
  label === null ? 'Passed a checkpoint' : `Passed “${stripDrawing(label)}”`;

/**
 * Tells the client what happens to its call, if it asked to be told. Gives back the way to stop. Without a token the
 * transport's own comments keep the connection alive.
 */
export function reportProgress(call: BatchCall, context: ServerContext, pace: ProgressPace): () => void {
  const { _meta: meta } = context.mcpReq;
  const given = meta?.progressToken;
  // The token goes out with every notification: a long one is left unanswered.
  const token = typeof given === 'string' && given.length > MAX_TOKEN ? undefined : given;
  const started = performance.now();
  let progress = 0;
  let words = STATE_WORDS.DECLARED.stands;
  let output = '';
  let outputTimer: NodeJS.Timeout | null = null;

  const tell = (message: string): void => {
    if (token === undefined) return;
    progress += 1;
    // Progress only informs: a client that can't be told loses nothing.
    context.mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } })
      .catch(() => undefined);
  };
  const tellOutput = (): void => {
    outputTimer = null;
    const text = output;
    output = '';
    if (text !== '') tell(text);
  };
  const heartbeat = setInterval(
    () => tell(`${words} (${Math.round((performance.now() - started) / 1000)} s)`),
    pace.heartbeatMs,
  );
  const stopListening = call.onProgress((event) => {
    if (event.type === 'checkpoint') return tell(checkpointWords(event));
    words = event.type === 'progress' ? progressWords(event) : WORDS[event.type];
    tell(words);
    if (event.type !== 'executing' && event.type !== 'progress')
      context.mcpReq.log('info', `${words} (call ${call.callId}).`, 'gatehouse').catch(() => undefined);
  });
  // Who asked to be told nothing is given nothing: then it does not count as read before the call ends.
  const stopHearing =
    token === undefined
      ? () => undefined
      : call.onOutput(({ text }) => {
          output = (output + stripDrawing(text)).slice(-MAX_OUTPUT);
          outputTimer ??= setTimeout(tellOutput, pace.outputMs);
        });
  return () => {
    stopListening();
    stopHearing();
    clearInterval(heartbeat);
    if (outputTimer !== null) clearTimeout(outputTimer);
    tellOutput();
  };
}
