import type { CallDetail, CallFilter, CallPage } from '#contract/vocabulary/calls.js';
import type { OutputMatches, OutputWindow, RequestOf } from '#contract/window/channels.js';
import type { AuditVerdict, TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import type { Handlers } from './border.js';
import { done, refuse } from './answers.js';

type Stream = 'stdout' | 'stderr';

export interface RecordServices {
  /** Null for a cursor that is none of ours. */
  readonly page: (query: {
    readonly limit: number;
    readonly before: string | null;
    readonly filter: CallFilter;
  }) => Promise<CallPage | null>;
  readonly detail: (callId: string) => Promise<CallDetail | null>;
  readonly outputWindow: (
    callId: string,
    stream: Stream,
    fromLine: number,
    lines: number,
  ) => Promise<OutputWindow | null>;
  readonly searchOutput: (
    callId: string,
    stream: Stream,
    query: string,
    fromLine: number,
  ) => Promise<OutputMatches | null>;
  readonly verify: () => Promise<AuditVerdict>;
  /** The person takes the history for the one to go on with. In plain words where that can't be. */
  readonly accept: () => Promise<{ readonly problem: string } | { readonly verdict: AuditVerdict }>;
  readonly telemetry: (hours: number) => Promise<TelemetrySnapshot>;
  /** Asks the person where to; null when they think better of it. */
  readonly exportHistory: (
    format: 'markdown' | 'json' | 'jsonl' | 'cloudevents',
    filter: CallFilter,
  ) => Promise<string | null>;
}

type RecordChannels =
  | 'calls.list'
  | 'calls.get'
  | 'calls.output'
  | 'calls.searchOutput'
  | 'audit.verify'
  | 'audit.accept'
  | 'history.export'
  | 'telemetry.get';

const unknownCall = refuse('not-found', 'There is no such call. It may be older than what is kept.');
const noOutput = refuse('not-found', 'No output of this call is kept.');

export const recordHandlers = (record: RecordServices): Pick<Handlers, RecordChannels> => ({
  'calls.list': async (request) => {
    const page = await record.page({ limit: request.limit, before: request.before ?? null, filter: filterOf(request) });
    return page === null ? refuse('bad-request', 'This list has changed. Open it again.') : done(page);
  },
  'calls.get': async ({ callId }) => {
    const detail = await record.detail(callId);
    return detail === null ? unknownCall : done(detail);
  },
  'calls.output': async ({ callId, stream, fromLine, lines }) => {
    const output = await record.outputWindow(callId, stream, fromLine, lines);
    return output === null ? noOutput : done(output);
  },
  'calls.searchOutput': async ({ callId, stream, query, fromLine }) => {
    const matches = await record.searchOutput(callId, stream, query, fromLine);
    return matches === null ? noOutput : done(matches);
  },
  'audit.verify': async () => done(await record.verify()),
  'audit.accept': async () => {
    const accepted = await record.accept();
    return 'problem' in accepted ? refuse('unavailable', accepted.problem) : done(accepted.verdict);
  },
  'history.export': async (request) => done({ file: await record.exportHistory(request.format, filterOf(request)) }),
  'telemetry.get': async ({ hours }) => done(await record.telemetry(hours)),
});

function filterOf({
  query,
  tool,
  state,
  door,
  from,
  to,
}: RequestOf<'calls.list'> | RequestOf<'history.export'>): CallFilter {
  return {
    ...(query === undefined ? {} : { query }),
    ...(tool === undefined ? {} : { tool }),
    ...(state === undefined ? {} : { state }),
    ...(door === undefined ? {} : { door }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}
