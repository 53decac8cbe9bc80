import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AppSnapshot, ToolsMode } from '#contract/window/app-events.js';
import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { DoorFolders } from '../domain/ports/door-folders.js';
import type { FolderAdmission } from '../domain/ports/gate/gate.js';
import type { IntakeLimits } from './http/intake-limits.js';
import { createGateway, type Gateway, GATEWAY_LIMITS, type GatewayLimits } from './http/gateway.js';
import { clearDeadSocket, listenForPipes, type PipeListener } from './stdio/pipe-listener.js';
import { createMcpDoor, type McpDoor, type McpDoorOptions } from './mcp/mcp-door.js';
import { readRoutes } from './http/read-routes.js';
import type { Route } from './http/route.js';
import { createDoorsGate, type DoorsGate, readerOf } from './doors-gate.test-support.js';

export interface Doors extends AsyncDisposable {
  readonly dataDir: string;
  readonly workspace: string;
  readonly gate: DoorsGate;
  readonly mcp: McpDoor;
  readonly gateway: Gateway;
  readonly url: string;
  readonly reported: string[];
  /** Tokens of agents, by name; more may be added. */
  readonly tokens: Map<string, string>;
  /** Stops gateway and socket, as when the app ends; `startServing` starts them again. */
  stopServing(): Promise<void>;
  startServing(): Promise<void>;
  setMode(mode: ToolsMode): void;
  setWhenClientLeaves(what: 'cancel' | 'keep'): void;
  /** Fetches a path with the token, unless told otherwise. */
  get(path: string, init?: RequestInit, agent?: string): Promise<Response>;
  connect(name?: string, agent?: string): Promise<Client>;
}

export interface DoorsOptions {
  readonly limits?: Partial<GatewayLimits>;
  readonly mcp?: Partial<McpDoorOptions>;
  readonly intake?: IntakeLimits;
  readonly dataDir?: string;
  readonly port?: number;
  readonly folders?: DoorFolders;
  /** The admission that calls of pipes wait for. */
  readonly admission?: FolderAdmission;
  /** Routes in addition to those that read. */
  readonly routes?: readonly Route[];
}

/** A source that is told of with its file. */
export const WRONG_SOURCE = {
  name: 'docs',
  kind: 'program',
  state: 'refused',
  tools: 0,
  problem: 'The file /home/me/programs/docs.json can’t be read.',
  refused: [{ what: 'docs', file: '/home/me/programs/docs.json', line: 3, e_code: 'E3008', reason: 'It is no JSON.' }],
};

export async function openDoors(options: DoorsOptions = {}): Promise<Doors> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-doors-'));
  const dataDir = options.dataDir ?? scratch;
  const workspace = scratch;
  writeFileSync(join(workspace, 'hello.txt'), 'hello\n');
  let mode: ToolsMode = 'enabled';
  let whenClientLeaves: 'cancel' | 'keep' = 'cancel';
  const gate = createDoorsGate(workspace);
  const reported: string[] = [];
  const tokens = new Map<string, string>();
  const folders = options.folders ?? oneFolder(workspace);
  let pipes: PipeListener | null = null;
  const listen = async (): Promise<void> => {
    await clearDeadSocket(dataDir);
    pipes = await listenForPipes(dataDir, async (stream, { agent, workspace: named, knocks }) => {
      const folder = (await folders.resolveSessionFolder(named, agent)) ?? '';
      const place = { folder, admission: options.admission ?? null, isTest: false };
      const problem = knocks ? mcp.pipeRefused(agent) : mcp.connectPipe(stream, agent, place);
      return problem === null ? { ok: true, workspace: folder } : { ok: false, problem };
    });
  };
  const tokenOf = (agent: string | undefined): string =>
    agent === undefined ? gateway.token : (tokens.get(agent) ?? 'of-nobody');
  const mcp = createMcpDoor({
    gate,
    folders,
    version: '9.9.9',
    mode: () => mode,
    whenClientLeaves: () => whenClientLeaves,
    agentLimits: { sessions: () => 64, recordedTooMuch: () => null },
    ...options.mcp,
  });
  const gateway = createGateway({
    version: '9.9.9',
    dataDir,
    mcp,
    agents: {
      findByToken: (token) => [...tokens].find(([, of]) => of === token)?.[0] ?? null,
      getHolder: (id) => ({ id, since: 0 }),
    },
    routes: [
      ...readRoutes({
        snapshot: () => snapshotOf(gate, mode, workspace),
        mayUse: (agent, folder) => folders.mayUse(agent, folder),
        give: () => Promise.resolve(true),
        reader: () => readerOf(gate),
        sources: () => [WRONG_SOURCE],
      }),
      ...(options.routes ?? []),
    ],
    recordedTooMuch: (agent) => (agent === 'greedy' ? { why: 'Too much was recorded.', retrySeconds: 7 } : null),
    report: (message, error) => reported.push(`${message} ${String(error)}`),
    limits: { ...GATEWAY_LIMITS, ...options.limits },
    ...(options.intake === undefined ? {} : { intake: options.intake }),
  });
  await gateway.start(options.port ?? 0);
  await listen();
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
    tokens,
    async stopServing() {
      await pipes?.close();
      await gateway.stop();
    },
    async startServing() {
      await gateway.start(0);
      await listen();
    },
    setMode(next) {
      mode = next;
    },
    setWhenClientLeaves(what) {
      whenClientLeaves = what;
    },
    get: (path, init = {}, agent) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${tokenOf(agent)}`);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    async connect(name = 'tester', agent) {
      const client = new Client({ name, version: '1.2.3' });
      const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${tokenOf(agent)}` } },
      });
      await client.connect(transport);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
      await mcp.close();
      await pipes?.close();
      await gateway.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** A single folder that anybody may use. */
export const oneFolder = (workspace: string): DoorFolders => ({
  mayUse: () => true,
  resolveSessionFolder: async (named) => (named === null || named === workspace ? workspace : null),
  openBeside: async () => null,
});

function snapshotOf(gate: DoorsGate, mode: ToolsMode, workspace: string): AppSnapshot {
  return snapshotForTests({ mode, workspace, calls: [...gate.waiting.values()].map((each) => each.summary) });
}

/** The minimum of a sheet that the read side looks at. */
const sheetOf = (call: CallSummary): ApprovalRequest => ({
  batchId: call.batchId,
  door: call.door,
  session: call.session,
  client: call.client,
  agent: call.agent,
  tenant: call.tenant,
  user: call.user,
  hasToken: call.agent !== null,
  since: call.startedAt,
  callerGone: false,
  drawing: 1,
  behind: [],
  workspace: '/w',
  roots: [],
  calls: [{ callId: call.callId, tool: call.tool, summary: call.summary, risk: 'medium' } as ApprovalCall],
  digest: '',
});

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
      hasSettings: true,
      paused: [],
      given: [],
      trustedFolders: [],
      roots: {},
      journal: { state: 'ok', problem: null },
      gateway: { enabled: true, url: null, problem: null, clients: [] },
      theme: 'system',
    },
    workspace: { path: workspace, name: 'workspace' },
    workspaces: [{ path: workspace, name: 'workspace' }],
    recentWorkspaces: [],
    notices: [],
    approvals: calls.filter(({ tool }) => tool === 'ask_first').map(sheetOf),
    calls,
    recovery: null,
    working: [],
    question: null,
    folderQuestions: [],
  };
}
