import type { CallDetail, CallFilter, CallPage } from '#contract/vocabulary/calls.js';
import type { OutputMatches, OutputWindow } from '#contract/window/channels.js';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import type { PageQuery } from './queries/page.js';
import type { ChainCheck } from './queries/verify.js';

export type ExportFormat = 'markdown' | 'json' | 'jsonl' | 'cloudevents';

export interface OutputPlace {
  readonly callId: string;
  readonly stream: 'stdout' | 'stderr';
}

/** Everything the reading thread can be asked. */
export interface ReaderRequests {
  page(query: PageQuery): CallPage;
  detail(callId: string): CallDetail | null;
  checkChain(places: readonly number[]): ChainCheck;
  telemetry(hours: number, now: number): TelemetrySnapshot;
  stateCounts(): Readonly<Partial<Record<LifecycleState, number>>>;
  checkIntegrity(): string | null;
  export(format: ExportFormat, filter: CallFilter, file: string): null;
  outputWindow(place: OutputPlace, fromLine: number, lines: number): OutputWindow | null;
  searchOutput(place: OutputPlace, query: string, fromLine: number): OutputMatches | null;
  pruneOutputs(quotaBytes: number, olderThan: number): number;
}
export type RequestName = keyof ReaderRequests;

export interface ReaderStart {
  readonly dataDir: string;
}

export interface RequestMessage {
  readonly id: number;
  readonly name: RequestName;
  readonly args: readonly unknown[];
}

export type AnswerMessage =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly name: string; readonly message: string };
