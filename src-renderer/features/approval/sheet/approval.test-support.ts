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
  undo: 'Can be undone',
  confinement: null,
  runnerChange: null,
  confinementWithNetwork: null,
  timeoutMs: 1000,
  ...more,
});

export const approvalRequest = (digest: string, calls: readonly ApprovalCall[], batchId = 'b'): ApprovalRequest => ({
  batchId,
  door: 'compose',
  client: null,
  agent: null,
  roots: [],
  since: 0,
  callerGone: false,
  over: false,
  calls,
  digest,
});
