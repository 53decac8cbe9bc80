import type { Agents } from '../domain/ports/agents.js';
import { onTestFinished } from 'vitest';
import { NO_DOMAIN } from './no-domain.test-support.js';
import { composeDoors } from '../app/doors/doors.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { ToolDeclaration, ToolOutput, ToolContext, Tool } from '../domain/tool/tool.js';
import { defaultConfig } from '../tests/gate/default-config.test-support.js';
import { any } from '../tests/gate/gate-tools.test-support.js';
import { openTestGate, type TestGate } from '../tests/gate/gate.test-support.js';
import { noteTool } from '../tools/builtin/tools.test-support.js';
import { readFileTool } from '../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../tools/builtin/write-file/handler.js';
import { RegistryCatalog } from '../tools/registry/tool-catalog.js';
import type { DoorFolders } from '../domain/ports/door-folders.js';
import { ToolRegistry } from '../tools/registry/registry.js';
import { ToolSearch } from '../tools/registry/search/tool-search.js';
import { openServiceReader } from '../journal/writing/journal.test-support.js';
import { oneFolder, snapshotForTests } from './doors.test-support.js';

export interface Programs {
  readonly gate: TestGate;
  readonly registry: ToolRegistry;
  readonly url: string;
  /** The token of an agent, by name: `token-of-<name>`; without a name the person's own. */
  readonly token: (agent?: string) => string;
  readonly reported: string[];
  post(
    path: string,
    body: unknown,
    agent?: string,
    signal?: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  get(path: string, agent?: string): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly status?: string;
    readonly invocation_id?: string;
    readonly error?: { readonly code: string; readonly details: Readonly<Record<string, unknown>> } | null;
  };
}

export interface ProgramsOptions {
  readonly tools?: readonly Tool<unknown>[];
  readonly config?: Config;
  readonly dataDir?: string;
  readonly workspace?: string;
  /** The folders that are open in addition, and the one of all that is shown; left out, the one alone. */
  /** Left out: tokens that name theirs. */
  readonly agents?: Agents;
  readonly folders?: (gate: TestGate) => Promise<DoorFolders>;
}

const AGENT_TOKEN = 'token-of-';

/** The real gate, with its journal and file tools, behind the real doors, for programs that ask over HTTP. */
export async function openPrograms(options: ProgramsOptions = {}): Promise<Programs> {
  const registry = new ToolRegistry();
  const { tools = [], config = defaultConfig(), folders, ...place } = options;
  for (const tool of [readFileTool, writeFileTool, ...tools]) registry.register(tool);
  const gate = await openTestGate({ ...place, tools: [], config, parts: { registry } });
  const reported: string[] = [];
  const doors = composeDoors({
    testTools: null,
    gate: gate.gate,
    sources: () => [],
    domain: NO_DOMAIN,
    programs: {
      invocations: gate.journal.invocations,
      catalog: new RegistryCatalog(registry, () => gate.config),
      finder: new ToolSearch({
        tools: registry,
        embedder: () => null,
        kept: { read: async () => null, write: async () => undefined },
        withoutSecrets: (text) => text,
      }),
    },
    reader: () => ({
      page: (query) => withReader(gate, (service) => service.page(query)),
      detail: (callId) => withReader(gate, (service) => service.detail(callId)),
      verify: () => Promise.resolve({ ok: true, events: 0, head: '00' } as never),
    }),
    folders: (await folders?.(gate)) ?? oneFolder(gate.workspace),
    snapshot: () => snapshotForTests({ workspace: gate.workspace }),
    config: () => gate.config,
    forced: true,
    agents: options.agents ?? {
      findByToken: (token) => (token.startsWith(AGENT_TOKEN) ? token.slice(AGENT_TOKEN.length) : null),
      getStatus: () => 'known',
      getHolder: (id) => ({ id, since: 0 }),
    },
    agentLimits: { sessions: () => 64, recordedTooMuch: () => null },
    version: '9.9.9',
    dataDir: gate.dataDir,
    launcher: () => ({ command: 'gatehouse', args: [], url: null, token: null }),
    keepEnabled: () => Promise.resolve(null),
    publish: () => undefined,
    report: (message, error) =>
      reported.push(`${message} ${error instanceof Error ? (error.stack ?? '') : String(error)}`),
  });
  await doors.start();
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await doors.close();
    await gate.close();
  };
  onTestFinished(close);
  const { url, token: own } = doors.connectInfo();
  const token = (agent?: string): string => (agent === undefined ? (own ?? '') : `${AGENT_TOKEN}${agent}`);
  const asked = async (
    path: string,
    {
      headers: more = {},
      ...init
    }: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> },
    agent?: string,
  ): Promise<Answer> => {
    const headers = { ...more, authorization: `Bearer ${token(agent)}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  return {
    gate,
    registry,
    url: url ?? '',
    token,
    reported,
    post: (path, body, agent, signal, headers = {}) =>
      asked(
        path,
        { method: 'POST', body: JSON.stringify(body), headers, ...(signal === undefined ? {} : { signal }) },
        agent,
      ),
    get: (path, agent) => asked(path, {}, agent),
    close,
  };
}

async function withReader<T>(
  gate: TestGate,
  read: (service: ReturnType<typeof openServiceReader>['service']) => Promise<T> | T,
): Promise<T> {
  const { service } = openServiceReader(gate.dataDir);
  try {
    return await read(service);
  } finally {
    service.close();
  }
}

/** A tool that only reads, so that nobody is asked, and does what a test says. */
export const asTold = (
  name: string,
  execute: (args: { readonly text: string }, context: ToolContext) => Promise<ToolOutput>,
  more: Partial<ToolDeclaration> = {},
): Tool<unknown> => any(noteTool({ name, sideEffecting: false, ...more }, { execute }));
