import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';

export const approvalCall = (callId: string, more: Partial<ApprovalCall> = {}): ApprovalCall => ({
  callId,
  tool: 'write_file',
  summary: `Write ${callId}`,
  risk: 'medium',
  why: 'writes ask in this workspace',
  arguments: {},
  originalArguments: null,
  inputSchema: {},
  effect: { kind: 'arguments' },
  terms: [{ about: 'undo', words: 'Can be undone', detail: null, warns: false }],
  runnerChange: null,
  network: null,
  timeoutMs: 1000,
  rule: { impossible: null, command: null, prefix: null, runs: null, readable: [], afterText: null },
  ...more,
});

export const approvalRequest = (digest: string, calls: readonly ApprovalCall[], batchId = 'b'): ApprovalRequest => ({
  batchId,
  door: 'compose',
  session: 's',
  client: null,
  agent: null,
  tenant: null,
  user: null,
  hasToken: false,
  workspace: '/w',
  roots: [],
  since: 0,
  callerGone: false,
  drawing: 1,
  behind: [],
  calls,
  digest,
});
