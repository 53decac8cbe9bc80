import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { CallDetail, CallSummary } from '#contract/vocabulary/calls.js';

/** Calls, sheets and details as main would send them, for what is shown by a scripted main. */
export const sampleCall = (callId: string, more: Partial<CallSummary> = {}): CallSummary => ({
  callId,
  batchId: 'batch-1',
  tool: 'read_file',
  toolId: 'gatehouse.read_file',
  version: '1.0.0',
  summary: `Read ${callId}.txt`,
  state: 'COMPLETED',
  display: 'completed',
  awaiting: null,
  outcome: 'success',
  code: null,
  reason: null,
  door: 'compose',
  client: null,
  agent: null,
  risk: 'low',
  startedAt: Date.now() - 4000,
  executingSince: Date.now() - 3000,
  timeoutMs: 30_000,
  durationMs: 12,
  confinement: null,
  hasChanges: false,
  hasOutput: false,
  ...more,
});

export const runningCall = (callId: string, more: Partial<CallSummary> = {}): CallSummary =>
  sampleCall(callId, {
    tool: 'run_command',
    summary: 'Run npm test',
    state: 'EXECUTING',
    display: 'executing',
    outcome: null,
    durationMs: null,
    risk: 'medium',
    confinement: 'confined',
    ...more,
  });

export const sampleDetail = (call: CallSummary, more: Partial<CallDetail> = {}): CallDetail => ({
  ...call,
  tenant: null,
  user: null,
  credential: null,
  arguments: { path: 'notes/todo.txt', limit: 200 },
  originalArguments: null,
  capabilities: ['filesystem.read'],
  result: 'one\ntwo\n',
  structured: null,
  outputBytes: 8,
  redactions: 0,
  outputBytesLeftOut: 0,
  changedFiles: [],
  putAside: [],
  events: (['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'COMPLETED'] as const).map((state, index) => ({
    seq: index + 1,
    state,
    at: call.startedAt + index * 37,
    hash: `${index}f3a9c1d2e4b5`.repeat(5),
    note: null,
  })),
  undoneBy: null,
  undoes: null,
  ...more,
});

export const sampleAsk = (callId: string, more: Partial<ApprovalCall> = {}): ApprovalCall => ({
  callId,
  tool: 'write_file',
  summary: `Write ${callId}.txt`,
  risk: 'medium',
  why: 'Writes ask in this workspace.',
  arguments: { path: `${callId}.txt`, content: 'hello\n' },
  originalArguments: null,
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Path below the workspace' },
      content: { type: 'string', description: 'The whole content' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  effect: {
    kind: 'files',
    files: [{ path: `${callId}.txt`, change: 'created', before: null, after: 'hello\nworld\n', note: null }],
  },
  undo: 'Can be undone',
  confinement: null,
  runnerChange: null,
  confinementWithNetwork: null,
  timeoutMs: 30_000,
  ...more,
});

export const sampleSheet = (calls: readonly ApprovalCall[], more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  batchId: 'batch-1',
  door: 'mcp',
  client: 'Claude Code 2.1',
  agent: null,
  roots: [],
  since: Date.now(),
  callerGone: false,
  over: false,
  calls,
  digest: 'digest-1',
  ...more,
});
