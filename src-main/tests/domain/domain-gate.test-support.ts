import type { lookup } from 'node:dns';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { composeDoors } from '../../app/doors/doors.js';
import type { WorkerRunner } from '../../domain/ports/sources/worker.js';
import { oneFolder, snapshotForTests } from '../../doors/doors.test-support.js';
import { createOutside } from '../../outside/outside-client.js';
import { writeLoadedPackage, readLoadedPackage } from '../../platform/packages/loaded-package.js';
import type { Tool } from '../../domain/tool/tool.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { resolveConcurrency } from '../../tools/packages/domain-package.js';
import type { PackageChange } from '../../tools/packages/package-acceptance.js';
import {
  type ChangedTool,
  PackageHost,
  type AdvanceApproval,
  type WaitingPackage,
} from '../../tools/packages/package-host.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from '../gate/default-config.test-support.js';
import { openTestGate, testFolder, type TestGate } from '../gate/gate.test-support.js';
import type { ServiceTimes } from '../../tools/packages/workers/service-worker.js';

export type PackageText = Readonly<Record<string, string>>;
type PackageBytes = Readonly<Record<string, string | Uint8Array>>;

export function writePackage(folder: string, files: PackageBytes): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A manifest of remote tools, as YAML (of which JSON is a part). */
export const manifestText = (tools: readonly object[], more: object = {}): string =>
  JSON.stringify({ domain_id: 'example', version: '0.1', tools, ...more }, null, 1);

export const remoteTool = (url: string, more: object = {}): object => ({
  tool_id: 'example.echo',
  kind: 'service_worker',
  transport: { type: 'http', base_url: url, endpoint: '/run' },
  timeout_sec: 20,
  requires_approval: false,
  ...more,
});

const FOLLOWED: AdvanceApproval = { digest: null, follow: true };

interface Options {
  readonly files: PackageBytes;
  /** Of a gate before it, to be started again with; else new ones. */
  readonly again?: Pick<DomainGate, 'folder' | 'dataDir'>;
  readonly runner?: WorkerRunner;
  readonly sources?: readonly string[];
  readonly times?: ServiceTimes;
  readonly config?: Parameters<typeof defaultConfig>[0];
  readonly noFolder?: boolean;
  /** Besides those of the domain. */
  readonly tools?: readonly Tool<unknown>[];
  readonly secretOf?: (name: string, isFirst: boolean) => string | null;
  /** Left out: whatever comes is taken. */
  readonly standing?: () => AdvanceApproval;
  readonly endRules?: (changed: readonly ChangedTool[]) => Promise<readonly string[]>;
  /** Instead of the system’s name servers. */
  readonly resolveName?: typeof lookup;
  /** Of every agent; the person's own token is bounded by nothing. */
  readonly recordedTooMuch?: { readonly why: string; readonly retrySeconds: number };
}

export interface RunAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly ok: boolean;
    readonly meta: { readonly trace_id: string; readonly tool_run_id: string | null; readonly duration_ms: number };
    readonly output?: unknown;
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
      readonly details: Record<string, unknown>;
    };
  };
}

export interface DomainGate {
  readonly gate: TestGate;
  readonly host: PackageHost;
  readonly folder: string;
  readonly dataDir: string;
  readonly url: string;
  readonly token: string;
  readonly refused: string[][];
  readonly changes: PackageChange[];
  readonly waits: WaitingPackage[];
  readonly logged: { readonly level: string; readonly what: string; readonly facts: object }[];
  readonly get: (path: string) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** Nobody is served any more. */
  readonly stopServing: () => Promise<void>;
  readonly run: (toolId: string, body?: unknown, headers?: Record<string, string>) => Promise<RunAnswer>;
}

const noRunner: WorkerRunner = {
  imageId: async () => null,
  isolationOf: async () => ({ by: 'none', lacking: [] }),
  start: () => Promise.reject(new Error('No test asked for a runner.')),
  close: async () => undefined,
};

/** Of “an-agent”. */
export const AGENT_TOKEN = 'the-token-of-an-agent';

/** The real gate, a real package on disk, the real gateway; workers as a test wants them. */
export async function openDomainGate(options: Options): Promise<DomainGate> {
  const folder = writePackage(options.again?.folder ?? testFolder('package'), options.files);
  const dataDir = options.again?.dataDir ?? testFolder('domain-data');
  const registry = new ToolRegistry();
  for (const tool of options.tools ?? []) registry.register(tool);
  const outside = createOutside(
    { secret: () => null, variable: () => null },
    undefined,
    'one-a-request',
    options.resolveName,
  );
  onTestFinished(() => outside.close());
  const redactor = openTestRedactor();
  const refused: string[][] = [];
  const changes: PackageChange[] = [];
  const waits: WaitingPackage[] = [];
  const logged: DomainGate['logged'] = [];
  const runner = options.runner ?? noRunner;
  const host = new PackageHost({
    folder,
    copies: join(dataDir, 'copies'),
    sources: () => options.sources ?? [],
    taken: {
      find: () => readLoadedPackage(join(dataDir, 'taken.json')),
      keep: (taken) => writeLoadedPackage(join(dataDir, 'taken.json'), taken),
    },
    registry,
    runner,
    outside,
    withoutSecrets: async (value) => redactor.json(value).value,
    now: () => Date.now(),
    secretOf: options.secretOf ?? (() => null),
    logLine: (level, what, facts) => logged.push({ level, what, facts }),
    onChange: () => undefined,
    refused: (problems) => refused.push([...problems]),
    standing: options.standing ?? (() => FOLLOWED),
    waits: (waiting) => waits.push(waiting),
    endRules: options.endRules ?? (async () => []),
    took: (change) => changes.push(change),
    policiesChanged: () => gate.queueChanged(),
    ...(options.times === undefined ? {} : { times: options.times }),
  });
  const gate = await openTestGate({
    tools: [],
    config: defaultConfig(options.config ?? {}),
    parts: {
      registry,
      domainQueue: (toolId) => {
        const policies = host.now?.policies;
        if (policies === undefined) return null;
        return {
          places: policies.global,
          per_tool: toolId === undefined ? policies.global : resolveConcurrency(toolId, policies),
          per_agent: Number.MAX_SAFE_INTEGER,
          max_waiting: policies.maxWaiting,
          max_wait_seconds: policies.maxWaitSec,
        };
      },
    },
  });
  await host.look();
  host.begin();
  const doors = composeDoors({
    testTools: null,
    gate: gate.gate,
    sources: () => [],
    programs: null,
    domain: { served: () => host.now?.served ?? null },
    reader: () => {
      throw new Error('These tests read no history.');
    },
    folders: {
      ...oneFolder(gate.workspace),
      ...(options.noFolder === true ? { resolveSessionFolder: async () => '' } : {}),
    },
    snapshot: () => snapshotForTests({ workspace: gate.workspace }),
    config: () => gate.config,
    forced: true,
    agents: {
      findByToken: (given) => (given === AGENT_TOKEN ? 'an-agent' : null),
      getStatus: () => 'unknown',
      getHolder: (id) => ({ id, since: 0 }),
    },
    agentLimits: { sessions: () => 64, recordedTooMuch: () => options.recordedTooMuch ?? null },
    version: '9.9.9',
    dataDir: gate.dataDir,
    launcher: () => ({ command: 'gatehouse', args: [], url: null, token: null }),
    keepEnabled: () => Promise.resolve(null),
    publish: () => undefined,
    report: () => undefined,
  });
  await doors.start();
  onTestFinished(async () => {
    await doors.close();
    await gate.close();
    await host.close();
    await runner.close();
  });
  const { url, token } = doors.connectInfo();
  const authorization = `Bearer ${token}`;
  return {
    gate,
    host,
    folder,
    dataDir,
    url: url ?? '',
    token: token ?? '',
    refused,
    changes,
    waits,
    logged,
    get: async (path) => {
      const response = await fetch(`${url}${path}`, { headers: { authorization } });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    stopServing: () => doors.close(),
    run: async (toolId, body = {}, headers = {}) => {
      const response = await fetch(`${url}/v1/tools/${toolId}:run`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body:
          typeof body === 'string' || body instanceof Uint8Array
            ? (body as string | Uint8Array<ArrayBuffer>)
            : JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as RunAnswer['body'],
      };
    },
  };
}
