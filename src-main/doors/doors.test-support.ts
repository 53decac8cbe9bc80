import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AppSnapshot, ToolsMode } from '../../src-preload/contract/app-events.js';
import type { CallDetail, CallSummary } from '../../src-preload/contract/calls.js';
import type { Json, JsonObject } from '../../src-preload/contract/json.js';
import { CODE_MEANINGS, type Failure } from '../../src-preload/contract/outcomes.js';
import type {
  AdvertisedTool,
  Batch,
  BatchCall,
  BatchRequest,
  CallProgress,
  Gate,
  SettledCall,
} from '../domain/gate.js';
import type { JournalReader } from '../domain/journal.js';
import type { ToolDeclaration } from '../domain/tool.js';
import { createGateway, type Gateway, GATEWAY_LIMITS, type GatewayLimits } from './gateway/gateway.js';
import { createMcpDoor, type McpDoor, type McpDoorOptions } from './mcp/mcp-door.js';

const declare = (name: string, more: Partial<ToolDeclaration> = {}): ToolDeclaration => ({
  id: `builtin.${name}`,
  version: '1.0.0',
  name,
  title: name.replaceAll('_', ' '),
  description: `For tests: ${name}.`,
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
  settle(content: string, failure?: Failure): void;
}

/** The gate's promises, kept by as little as tests of doors need: real reads, calls that wait, calls that stream. */
export interface DoorsGate extends Gate {
  readonly requests: readonly BatchRequest[];
  readonly waiting: ReadonlyMap<string, WaitingCall>;
  readonly settledCalls: readonly SettledCall[];
  readonly closedBatches: ReadonlySet<string>;
  setTools(declarations: readonly ToolDeclaration[]): void;
  /** Resolves once something about a call changed and `until` holds. */
  when(until: () => boolean): Promise<void>;
}

export function createDoorsGate(workspace: string): DoorsGate {
  let tools = DECLARATIONS;
  let counter = 0;
  const changeListeners = new Set<() => void>();
  const watchers = new Set<() => void>();
  const requests: BatchRequest[] = [];
  const waiting = new Map<string, WaitingCall & { abandoned: boolean }>();
  const settledCalls: SettledCall[] = [];
  const closedBatches = new Set<string>();
  const stir = (): void => {
    for (const watcher of watchers) watcher();
  };

  const start = (request: BatchRequest, batchId: string, tool: string, given: Json): BatchCall => {
    counter += 1;
    const callId = `call-${counter}`;
    const startedAt = Date.now();
    const listeners = new Set<(progress: CallProgress) => void>();
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
    return {
      callId,
      settled: promise,
      cancel: (reason) => settle('', { code: 'Cancelled', message: reason }, null),
      onProgress(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  };

  return {
    requests,
    waiting,
    settledCalls,
    closedBatches,
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
    advertised: () => tools.map(advertise),
    onAdvertisedChange(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
    submit(request): Batch {
      requests.push(request);
      const batchId = `batch-${request.sessionId}`;
      const calls = request.calls.map((each) => start(request, batchId, each.tool, each.arguments));
      return {
        batchId,
        calls,
        settled: Promise.all(calls.map((each) => each.settled)),
        cancel: (reason) => calls.forEach((each) => each.cancel(reason)),
        abandon() {
          for (const { callId } of calls) {
            const call = waiting.get(callId);
            if (call !== undefined) call.abandoned = true;
          }
          stir();
        },
        close() {
          closedBatches.add(batchId);
          stir();
        },
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
    summary: tool,
    state: 'EXECUTING',
    display: 'executing',
    awaiting: null,
    outcome: null,
    code: null,
    reason: null,
    door: request.door,
    client: request.client,
    risk: 'low',
    startedAt,
    executingSince: startedAt,
    timeoutMs: 1000,
    durationMs: null,
    confinement: null,
    hasChanges: false,
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
    recorded: true,
    result: {
      content: failure === null ? content : failure.message,
      structured,
      outputBytes: content.length,
      outputBytesLeftOut: 0,
      storedOutputs: [],
      changedFiles: [],
      confinement: null,
      cpuMs: null,
      peakMemoryBytes: null,
      undoes: null,
    },
  };
}

/** The calls of a test gate as the journal's reader would give them. */
function readerOf(gate: DoorsGate): JournalReader {
  const detail = ({ summary, result }: SettledCall): CallDetail => ({
    ...summary,
    toolVersion: '1.0.0',
    arguments: {},
    originalArguments: null,
    capabilities: [],
    result: result.content,
    structured: result.structured,
    outputBytes: result.outputBytes,
    outputBytesLeftOut: 0,
    changedFiles: [],
    events: [{ seq: 1, state: 'DECLARED', at: summary.startedAt, hash: '00', note: null }],
    undoneBy: null,
    undoes: null,
  });
  const unused = (): Promise<never> => Promise.reject(new Error('Not of the doors.'));
  return {
    page: ({ limit, before, filter }) => {
      const rows = gate.settledCalls
        .map((each) => each.summary)
        .toReversed()
        .filter((each) => filter.tool === undefined || each.tool === filter.tool);
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
    stateCounts: unused,
  };
}

export interface Doors extends AsyncDisposable {
  readonly dataDir: string;
  readonly workspace: string;
  readonly gate: DoorsGate;
  readonly mcp: McpDoor;
  readonly gateway: Gateway;
  readonly url: string;
  readonly reported: string[];
  setMode(mode: ToolsMode): void;
  setWhenClientLeaves(what: 'cancel' | 'keep'): void;
  /** Fetches a path with the token, unless told otherwise. */
  get(path: string, init?: RequestInit): Promise<Response>;
  connect(name?: string): Promise<Client>;
}

export interface DoorsOptions {
  readonly limits?: Partial<GatewayLimits>;
  readonly mcp?: Partial<McpDoorOptions>;
  readonly dataDir?: string;
  readonly port?: number;
}

export async function openDoors(options: DoorsOptions = {}): Promise<Doors> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-doors-'));
  const dataDir = options.dataDir ?? scratch;
  const workspace = scratch;
  writeFileSync(join(workspace, 'hello.txt'), 'hello\n');
  let mode: ToolsMode = 'enabled';
  let whenClientLeaves: 'cancel' | 'keep' = 'cancel';
  const gate = createDoorsGate(workspace);
  const reported: string[] = [];
  const mcp = createMcpDoor({
    gate,
    version: '9.9.9',
    mode: () => mode,
    whenClientLeaves: () => whenClientLeaves,
    ...options.mcp,
  });
  const gateway = createGateway({
    version: '9.9.9',
    dataDir,
    mcp,
    snapshot: () => snapshotOf(gate, mode, workspace),
    reader: () => readerOf(gate),
    report: (message, error) => reported.push(`${message} ${String(error)}`),
    limits: { ...GATEWAY_LIMITS, ...options.limits },
  });
  await gateway.start(options.port ?? 0);
  const url = gateway.url ?? '';
  const clients: Client[] = [];
  return {
    dataDir,
    workspace,
    gate,
    mcp,
    gateway,
    url,
    reported,
    setMode(next) {
      mode = next;
    },
    setWhenClientLeaves(what) {
      whenClientLeaves = what;
    },
    get: (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${gateway.token}`);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    async connect(name = 'tester') {
      const client = new Client({ name, version: '1.2.3' });
      const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${gateway.token}` } },
      });
      await client.connect(transport);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
      await mcp.close();
      await gateway.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

function snapshotOf(gate: DoorsGate, mode: ToolsMode, workspace: string): AppSnapshot {
  return snapshotForTests({ mode, workspace, calls: [...gate.waiting.values()].map((each) => each.summary) });
}

export function snapshotForTests(of: {
  readonly workspace: string;
  readonly mode?: ToolsMode;
  readonly calls?: readonly CallSummary[];
}): AppSnapshot {
  const { workspace, mode = 'enabled', calls = [] } = of;
  return {
    seq: 1,
    status: {
      version: '9.9.9',
      platform: process.platform,
      chromiumSandboxOff: false,
      confinement: { mode: 'preferred', available: true, problem: null },
      mode,
      journal: { state: 'ok', problem: null },
      gateway: { enabled: true, url: null, problem: null, clients: [] },
      theme: 'system',
    },
    workspace: { path: workspace, name: 'workspace' },
    recentWorkspaces: [],
    notices: [],
    approvals: [],
    calls,
    recovery: null,
    question: null,
  };
}
