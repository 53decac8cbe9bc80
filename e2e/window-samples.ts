import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { ConversationMessage, ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import { type CallDetail, type CallSummary, NO_AFTERMATH } from '#contract/vocabulary/calls.js';

/** Calls, sheets and details as main would send them, for what is shown by a scripted main. */
export const sampleCall = (callId: string, more: Partial<CallSummary> = {}): CallSummary => ({
  callId,
  batchId: 'batch-1',
  tool: 'read_file',
  toolId: 'gatehouse.read_file',
  version: '1.0.0',
  nature: 'reads',
  summary: `Read ${callId}.txt`,
  workspace: '/w',
  state: 'COMPLETED',
  display: 'completed',
  awaiting: null,
  outcome: 'success',
  code: null,
  reason: null,
  door: 'compose',
  client: null,
  agent: null,
  tenant: null,
  user: null,
  session: 'session-1',
  risk: 'low',
  startedAt: Date.now() - 4000,
  executingSince: Date.now() - 3000,
  timeoutMs: 30_000,
  durationMs: 12,
  confinement: null,
  hasChanges: false,
  lines: null,
  exitCode: null,
  decidedBy: 'settings',
  hasOutput: false,
  ...more,
});

export const runningCall = (callId: string, more: Partial<CallSummary> = {}): CallSummary =>
  sampleCall(callId, {
    tool: 'run_command',
    nature: 'command',
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
  credential: null,
  providerCallId: null,
  arguments: { path: 'notes/todo.txt', limit: 200 },
  originalArguments: null,
  capabilities: ['filesystem.read'],
  result: 'one\ntwo\n',
  structured: null,
  outputBytes: 8,
  redactions: 0,
  repeats: 0,
  outputBytesLeftOut: 0,
  changedFiles: [],
  ...NO_AFTERMATH,
  warnings: [],
  eCode: null,
  events: (['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'COMPLETED'] as const).map((state, index) => ({
    seq: index + 1,
    state,
    at: call.startedAt + index * 37,
    hash: `${index}f3a9c1d2e4b5`.repeat(5),
    note: null,
  })),
  undoneBy: null,
  undoes: [],
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
  terms: [{ about: 'undo', words: 'Can be undone', detail: null, warns: false }],
  runnerChange: null,
  network: null,
  timeoutMs: 30_000,
  rule: { impossible: null, command: null, prefix: null, runs: null, readable: [], afterText: null },
  ...more,
});

export const sampleSheet = (calls: readonly ApprovalCall[], more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  batchId: 'batch-1',
  door: 'mcp',
  session: 'session-1',
  client: 'Claude Code 2.1',
  agent: null,
  tenant: null,
  user: null,
  hasToken: false,
  workspace: '/w',
  roots: [],
  since: Date.now(),
  callerGone: false,
  drawing: 1,
  behind: [],
  calls,
  digest: 'digest-1',
  ...more,
});

export const sampleConversation = (id: string, more: Partial<ConversationSummary> = {}): ConversationSummary => ({
  id,
  workspace: '/w',
  title: 'Fix the build',
  summary: 'The build is green again.',
  startedAt: Date.now() - 60_000,
  changedAt: Date.now() - 1000,
  model: null,
  asking: null,
  demo: false,
  draft: '',
  ...more,
});

export const sampleMessage = (
  id: string,
  text: string,
  more: Partial<ConversationMessage> = {},
): ConversationMessage => ({
  id,
  conversationId: 'conversation-1',
  role: 'assistant',
  at: Date.now() - 30_000,
  blocks: text === '' ? [] : [{ kind: 'text', text }],
  state: 'whole',
  failure: null,
  foot:
    more.role === 'person'
      ? null
      : { model: 'claude-opus', inputTokens: 12_345, outputTokens: 678, durationMs: 3400, cost: 0.0123 },
  branch: { at: 1, of: 1, previous: null, next: null },
  ...more,
});
