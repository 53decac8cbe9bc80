import { createHmac } from 'node:crypto';
import { makeAsker } from '../../domain/call/asker.js';
import { NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { JournalEvent, SettledResult } from '../../domain/call/journal-events.js';
import { settledEvent } from '../../domain/call/settled-event.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { HeadSigner } from '../audit/head-signing.js';

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export const testSigner: HeadSigner = {
  available: true,
  sign: (bytes) => createHmac('sha256', 'a key for tests').update(bytes).digest(),
  verify: (bytes, signature) =>
    createHmac('sha256', 'a key for tests').update(bytes).digest().equals(Buffer.from(signature)),
};

export const NO_RESULT: SettledResult = {
  content: '',
  structured: null,
  outputBytes: 0,
  outputBytesLeftOut: 0,
  storedOutputs: [],
  changedFiles: [],
  aftermath: NO_AFTERMATH,
  confinement: null,
  redactions: 0,
  cpuMs: null,
  peakMemoryBytes: null,
  undoes: [],
};

export function batchReceived(batchId: string): JournalEvent {
  return {
    type: 'batch-received',
    batchId,
    asker: makeAsker('mcp', 's1', { client: 'tester 1.0' }),
    workspace: '/home/someone/project',
    mode: 'enabled',
  };
}

export interface TestCall {
  readonly callId: string;
  readonly batchId: string;
  readonly tool?: string;
  readonly nature?: Nature | null;
  readonly index?: number;
  readonly arguments?: JsonObject;
  readonly summary?: string;
  readonly sideEffecting?: boolean;
}

export function callReceived(call: TestCall): JournalEvent {
  return {
    type: 'call-received',
    callId: call.callId,
    batchId: call.batchId,
    index: call.index ?? 0,
    requestId: null,
    tool: call.tool ?? 'read_file',
    toolId: `gatehouse.${call.tool ?? 'read_file'}`,
    toolVersion: '1.0.0',
    nature: call.nature ?? 'reads',
    sideEffecting: call.sideEffecting ?? false,
    arguments: call.arguments ?? { path: 'src/index.ts' },
  };
}

/** The events that a call that may run at once appends first. */
export function started(call: TestCall): readonly JournalEvent[] {
  const { callId } = call;
  return [
    callReceived(call),
    {
      type: 'call-validated',
      callId,
      summary: call.summary ?? 'Read src/index.ts',
      risk: 'low',
      timeoutMs: 30_000,
    },
    {
      type: 'call-authorized',
      callId,
      grant: {
        by: 'policy',
        rule: 'Reading is allowed.',
        from: { layer: 'settings', id: 'settings.reads' },
        capabilities: ['filesystem.read'],
        judgement: null,
      },
    },
    { type: 'call-executing', callId, attempt: 1 },
  ];
}

export function settled(
  callId: string,
  result: Partial<SettledResult> = {},
  failure: Failure | null = null,
  state: Extract<JournalEvent, { type: 'call-settled' }>['state'] = failure === null ? 'COMPLETED' : 'ABORTED',
): JournalEvent {
  return settledEvent({ callId, state, failure, result: { ...NO_RESULT, ...result }, durationMs: 12 });
}
