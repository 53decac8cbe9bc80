import type { Failure } from '#contract/vocabulary/outcomes.js';
import { cutEnd } from '../../domain/text/cut-to-context.js';
import type { BatchRun } from './batch/batch-run.js';
import type { CallRun } from './batch/call-run.js';
import { failureResult, successResult } from './ending.js';
import { executing, type Recorder } from './recorder.js';
import type { GateFacts } from './settle.js';

/** Parse-only mode: what settles a call with the person's own result, in place of what a tool would have given. */
export function buildPersonsResult(
  batch: BatchRun,
  run: CallRun,
  { content: whole, isError }: { readonly content: string; readonly isError: boolean },
  { withoutSecrets }: Pick<Recorder, 'withoutSecrets'>,
): GateFacts {
  const limit = batch.outputLimit;
  const content = cutEnd(whole, batch.capacityShare).text;
  const failure: Failure | null = isError
    ? withoutSecrets.failure({ code: 'ExecutionFailed', message: content })
    : null;
  const given = {
    content,
    structured: {},
    allowTruncation: true,
    outputBytes: Buffer.byteLength(content),
    outputBytesLeftOut: 0,
    storedOutputs: [],
    changedFiles: [],
    confinement: null,
    resources: null,
  };
  const result = withoutSecrets.resultNow({
    ...(failure === null
      ? successResult(given, [], limit)
      : failureResult(failure, run.declared.toolName, null, limit)),
    structured: null,
  });
  batch.gives(result.content);
  return [
    {
      type: 'call-authorized',
      callId: run.callId,
      grant: {
        by: 'result-submission',
        rule: 'You gave the result.',
        from: { layer: 'person', id: 'person.result' },
        capabilities: [],
        judgement: null,
      },
    },
    executing(run.callId, 1),
    { ends: run, failure, result, durationMs: null, ran: null, said: null },
  ];
}
