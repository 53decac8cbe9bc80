import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CallDetail, type CallSummary, NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { CODE_MEANINGS, type Failure } from '#contract/vocabulary/outcomes.js';
import type {
  AdvertisedTool,
  Batch,
  BatchCall,
  BatchRequest,
  CallOutput,
  CallProgress,
  Gate,
  SettledCall,
} from '../domain/ports/gate/gate.js';
import type { JournalReader } from '../domain/ports/journal.js';
import type { ToolDeclaration } from '../domain/tool/tool.js';

const declare = (name: string, more: Partial<ToolDeclaration<'reads'>> = {}): ToolDeclaration<'reads'> => ({
  id: `builtin.${name}`,
  version: '1.0.0',
  name,
  title: name.replaceAll('_', ' '),
  description: `For tests: ${name}.`,
  nature: 'reads',
  takesBack: 'whole',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] },
  requiredCapabilities: ['filesystem.read'],
  resourceLimits: { maxExecutionTimeMs: 1000, maxOutputBytes: 100_000 },
  deterministic: true,
  idempotent: true,
  sideEffecting: false,
  requiresApproval: false,
  risk: 'low',
  openWorld: false,
  destructive: false,
  ...more,
});

const advertise = (declaration: ToolDeclaration): AdvertisedTool => ({
  id: declaration.id,
  version: declaration.version,
  name: declaration.name,
  title: declaration.title,
  description: declaration.description,
  inputSchema: declaration.inputSchema,
  outputSchema: declaration.outputSchema,
  declaration,
});

const DECLARATIONS = [
  declare('ask_first', { sideEffecting: true, destructive: true, idempotent: false, requiresApproval: true }),
  declare('read_file'),
  declare('stream'),
];

interface WaitingCall {
  readonly summary: CallSummary;
  readonly abandoned: boolean;
  progress(progress: CallProgress): void;
  says(text: string): void;
  readonly isHeard: boolean;
  settle(content: string, failure?: Failure): void;
}

/** The gate's promises, kept by as little as tests of doors need: real reads, calls that wait, calls that stream. */
export interface DoorsGate extends Gate {
  readonly requests: readonly BatchRequest[];
  readonly waiting: ReadonlyMap<string, WaitingCall>;
  readonly settledCalls: readonly SettledCall[];
  setTools(declarations: readonly ToolDeclaration[]): void;
  /** Resolves once something about a call changed and `until` holds. */
  when(until: () => boolean): Promise<void>;
}

export function createDoorsGate(workspace: string): DoorsGate {
  let tools: readonly ToolDeclaration[] = DECLARATIONS;
  let counter = 0;
  const changeListeners = new Set<() => void>();
  const watchers = new Set<() => void>();
  const requests: BatchRequest[] = [];
  const waiting = new Map<string, WaitingCall & { abandoned: boolean }>();
  const settledCalls: SettledCall[] = [];
  const handles = new Map<string, BatchCall>();
  const stir = (): void => {
    for (const watcher of watchers) watcher();
  };

  const start = (request: BatchRequest, batchId: string, tool: string, given: Json): BatchCall => {
    counter += 1;
    const callId = `call-${counter}`;
    const startedAt = Date.now();
    const listeners = new Set<(progress: CallProgress) => void>();
    const hearers = new Set<(output: CallOutput) => void>();
    const { promise, resolve } = Promise.withResolvers<SettledCall>();
    const base = summaryOf(callId, batchId, tool, request, startedAt);
    const settle = (content: string, failure: Failure | null, structured: JsonObject | null): void => {
      if (settledCalls.some((each) => each.summary.callId === callId)) return;
      const settled = settledCall(base, content, failure, structured);
      settledCalls.push(settled);
      waiting.delete(callId);
      resolve(settled);
      stir();
    };
    const wait = (progress: CallProgress): void => {
      waiting.set(callId, {
        summary: base,
        abandoned: false,
        progress: (event) => listeners.forEach((listener) => listener(event)),
        says: (text) => hearers.forEach((hearer) => hearer({ stream: 'stdout', text })),
        get isHeard() {
          return hearers.size > 0;
        },
        settle: (content, failure) => settle(content, failure ?? null, failure ? null : { bytes: content.length }),
      });
      setImmediate(() => listeners.forEach((listener) => listener(progress)));
      stir();
    };
    const { path: asked } = (typeof given === 'object' && given !== null ? given : {}) as JsonObject;
    const path = typeof asked === 'string' ? asked : '';
    if (tool === 'read_file')
      readFile(join(workspace, path), 'utf8').then(
        (text) => settle(text, null, { bytes: Buffer.byteLength(text) }),
        () => settle('', { code: 'ExecutionFailed', message: `There is no file ${path}.` }, null),
      );
    else if (tool === 'ask_first') wait({ type: 'waiting-for-decision' });
    else if (tool === 'stream') wait({ type: 'executing' });
    else settle('', { code: 'UnknownTool', message: `There is no tool “${tool}”.` }, null);
    const handle: BatchCall = {
      callId,
      checkpoint: null,
      settled: promise,
      told: null,
      cancel: () => settle('', { code: 'Cancelled', message: 'Taken back.' }, null),
      expire: () => settle('', { code: 'Timeout', message: 'Too late.', elapsedMs: 0 }, null),
      onProgress(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onOutput(hearer) {
        hearers.add(hearer);
        return () => hearers.delete(hearer);
      },
    };
    handles.set(callId, handle);
    return handle;
  };

  return {
    requests,
    waiting,
    settledCalls,
    setTools(declarations) {
      tools = [...declarations];
      for (const listener of changeListeners) listener();
    },
    async when(until) {
      if (until()) return;
      const { promise, resolve } = Promise.withResolvers<null>();
      const watcher = (): void => {
        if (until()) resolve(null);
      };
      watchers.add(watcher);
      await promise;
      watchers.delete(watcher);
    },
    findActiveCall: (callId) => (waiting.has(callId) ? (handles.get(callId) ?? null) : null),
    giveResult: () => Promise.resolve(true),
    listAdvertised: () => tools.map(advertise),
    onAdvertisedChange(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
    submit(request): Batch {
      requests.push(request);
      const batchId = `batch-${request.asker.session}`;
      const calls = request.calls.map((each) => start(request, batchId, each.tool, each.arguments));
      return {
        batchId,
        calls,
        settled: Promise.all(calls.map((each) => each.settled)),
        cancel: () => calls.forEach((each) => each.cancel()),
        abandon() {
          for (const { callId } of calls) {
            const call = waiting.get(callId);
            if (call !== undefined) call.abandoned = true;
          }
          stir();
        },
        close: () => undefined,
      };
    },
  };
}

function summaryOf(
  callId: string,
  batchId: string,
  tool: string,
  request: BatchRequest,
  startedAt: number,
): CallSummary {
  return {
    callId,
    batchId,
    tool,
    toolId: `test.${tool}`,
    version: '1.0.0',
    nature: 'reads',
    summary: tool,
    workspace: request.folder,
    state: 'EXECUTING',
    display: 'executing',
    awaiting: null,
    outcome: null,
    code: null,
    reason: null,
    door: request.asker.door,
    client: request.asker.client,
    agent: request.asker.agent,
    tenant: request.asker.tenant,
    user: request.asker.user,
    session: request.asker.session,
    risk: 'low',
    startedAt,
    executingSince: startedAt,
    timeoutMs: 1000,
    durationMs: null,
    confinement: null,
    hasChanges: false,
    lines: null,
    exitCode: null,
    decidedBy: null,
    hasOutput: false,
  };
}

function settledCall(
  base: CallSummary,
  content: string,
  failure: Failure | null,
  structured: JsonObject | null,
): SettledCall {
  const meaning = failure === null ? null : CODE_MEANINGS[failure.code];
  return {
    summary: {
      ...base,
      state: meaning?.state ?? 'COMPLETED',
      display: meaning?.display ?? 'completed',
      outcome: meaning?.kind ?? 'success',
      code: failure?.code ?? null,
      durationMs: 1,
    },
    failure,
    edited: [],
    recorded: true,
    result: {
      content: failure === null ? content : failure.message,
      structured,
      outputBytes: content.length,
      outputBytesLeftOut: 0,
      storedOutputs: [],
      changedFiles: [],
      aftermath: NO_AFTERMATH,
      confinement: null,
      redactions: 0,
      cpuMs: null,
      peakMemoryBytes: null,
      undoes: [],
    },
  };
}

/** The calls of a test gate as the journal's reader would give them. */
export function readerOf(gate: DoorsGate): JournalReader {
  const detail = ({ summary, result }: SettledCall): CallDetail => ({
    ...summary,
    tenant: null,
    user: null,
    credential: null,
    providerCallId: null,
    arguments: {},
    originalArguments: null,
    capabilities: [],
    result: result.content,
    structured: result.structured,
    outputBytes: result.outputBytes,
    redactions: 0,
    repeats: 0,
    outputBytesLeftOut: 0,
    changedFiles: [],
    ...NO_AFTERMATH,
    warnings: [],
    eCode: null,
    events: [{ seq: 1, state: 'DECLARED', at: summary.startedAt, hash: '00', note: null }],
    undoneBy: null,
    undoes: [],
  });
  const unused = (): Promise<never> => Promise.reject(new Error('Not of the doors.'));
  return {
    page: ({ limit, before, filter }) => {
      const rows = gate.settledCalls
        .map((each) => each.summary)
        .toReversed()
        .filter((each) => filter.tool === undefined || each.tool === filter.tool)
        .filter((each) => filter.agent === undefined || each.agent === filter.agent);
      const from = before === null ? 0 : Number(before);
      const calls = rows.slice(from, from + limit);
      return Promise.resolve({ calls, next: from + limit < rows.length ? String(from + limit) : null });
    },
    detail: (callId) => {
      const call = gate.settledCalls.find((each) => each.summary.callId === callId);
      return Promise.resolve(call === undefined ? null : detail(call));
    },
    verify: () => Promise.resolve({ ok: true, events: gate.settledCalls.length, head: '00'.repeat(32) }),
    telemetry: unused,
    export: unused,
  };
}
