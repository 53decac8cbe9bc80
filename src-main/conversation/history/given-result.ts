import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { frameResult, formatSubject } from '../../domain/conversation/framing.js';
import type { RecordedCallResult, ResultPresentation } from '../../domain/ports/conversation/conversation-record.js';
import type { ModelResult } from '../../domain/ports/conversation/model.js';

export const INTERRUPTED = "Interrupted: Gatehouse stopped before this call's result was saved";
/** Ours, and so outside the frame: without it the result would pass for one of what was asked. */
const EDITED = 'The user edited this call before it ran. This is what came of the edited call.';
const FORGOTTEN = 'The result of this call is not kept any more.';

/** How long a frame is, about: with the tool and the path. */
const KB = 1024;

export function buildGivenResult(
  callId: string | undefined,
  {
    results,
    given,
  }: {
    readonly results: ReadonlyMap<string, RecordedCallResult>;
    readonly given: ReadonlyMap<string, ResultPresentation>;
  },
): Pick<ModelResult, 'content' | 'isError'> {
  if (callId === undefined) return { content: INTERRUPTED, isError: true };
  const call = results.get(callId);
  if (call === undefined) return { content: FORGOTTEN, isError: true };
  const { result, discarded } = call;
  if (result === null || discarded || result.failure?.code === 'Interrupted')
    return { content: INTERRUPTED, isError: true };
  const isError = result.failure !== null;
  const how = given.get(callId);
  if (how?.folding === 'folded') return { content: foldedLine(call), isError };
  if (!result.isOutput) return { content: result.content.trim() === '' ? FORGOTTEN : result.content, isError };
  const letters = how?.letters ?? null;
  if (letters === null) throw new Error(`The result of call ${callId} was never framed.`);
  const { tool, about } = call;
  const framed = frameResult({ letters, tool, about, text: result.content });
  return { content: call.edited ? `${EDITED}\n${framed}` : framed, isError };
}

/** The line in place of a result that was folded. */
export function foldedLine({ tool, about, result }: RecordedCallResult): string {
  const bytes = Buffer.byteLength(result?.content ?? '');
  const what = toVisibleLine(formatSubject(tool, about));
  return `[result of ${what} left out, ${bytes < KB ? `${bytes} bytes` : `${Math.round(bytes / KB)} KB`}]`;
}

/** The calls whose results need frame letters before a history is made of them. */
export const findUnframed = (
  callIds: readonly string[],
  {
    results,
    given,
  }: {
    readonly results: ReadonlyMap<string, RecordedCallResult>;
    readonly given: ReadonlyMap<string, ResultPresentation>;
  },
): readonly string[] =>
  callIds.filter(
    (callId) => results.get(callId)?.result?.isOutput === true && (given.get(callId)?.letters ?? null) === null,
  );
