import type { AppSnapshot, GatewayStatus } from '#contract/window/app-events.js';
import type { ConnectInfo, GatewayTest } from '#contract/window/agents.js';
import type { OutputWindow } from '#contract/window/channels.js';
import { askerFor } from '../../doors/claims.js';
import { ProgramFolders } from '../../doors/program-folders.js';
import { httpStatus } from '../../outside/http-status.js';
import { createGateway } from '../../doors/http/gateway.js';
import { type ReadRoutesDeps, readRoutes } from '../../doors/http/read-routes.js';
import type { Route } from '../../doors/http/route.js';
import { executeRoute } from '../../doors/envelope/execute-route.js';
import type { InvokeDeps } from '../../doors/invoke/invoke-deps.js';
import { toolRoutes } from '../../doors/invoke/tool-routes.js';
import { createMcpDoor, type McpDoorOptions } from '../../doors/mcp/mcp-door.js';
import type { PipePlace } from '../../doors/mcp/pipe.js';
import type { McpExtension } from '../../doors/mcp/mcp-server.js';
import type { OutputSource, OutputStream } from '../../doors/mcp/serve-outputs.js';
import type { SourceKind } from '#contract/vocabulary/tools/sources.js';
import type { Duplex } from 'node:stream';
import { domainRoutes } from '../../doors/domain/domain-routes.js';
import type { Domain } from '../../domain/ports/sources/domain.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { DoorFolders } from '../../domain/ports/door-folders.js';
import type { Gate } from '../../domain/ports/gate/gate.js';

export interface DoorsParts {
  readonly gate: Gate;
  readonly reader: ReadRoutesDeps['reader'];
  readonly sources: ReadRoutesDeps['sources'];
  readonly domain: Domain;
  /** The additional parts for programs that ask over HTTP; null where they only read. */
  readonly programs: ProgramParts | null;
  readonly snapshot: () => AppSnapshot;
  readonly folders: DoorFolders;
  /** The configuration in force for all who come in, or in one folder. */
  readonly config: (folder?: string) => Config;
  readonly agents: Agents;
  readonly agentLimits: McpDoorOptions['agentLimits'];
  /** `--gateway`: serves whatever the configuration says, until the person switches it off. */
  readonly forced: boolean;
  readonly version: string;
  readonly dataDir: string;
  /** How an agent starts `--mcp-stdio` on the folder that is open now. */
  readonly launcher: () => ConnectInfo;
  /** Keeps `[gateway] enabled` in the person's file. Null when done, or why not. */
  readonly keepEnabled: (enabled: boolean) => Promise<string | null>;
  readonly publish: (status: GatewayStatus) => void;
  readonly report: (message: string, error: unknown) => void;
  /** Lines of what a call put out, safe to show. */
  readonly outputWindow?: (
    place: { readonly callId: string; readonly stream: OutputStream },
    fromLine: number,
    lines: number,
  ) => Promise<OutputWindow | null>;
  /** The module with the tools of the conformance suite, which is in no package. Null where nobody asked for it. */
  readonly testTools: URL | null;
}

/** The parts of the door for programs that come from other wings. */
export type ProgramParts = Pick<InvokeDeps, 'invocations' | 'catalog' | 'finder'>;

/** The doors for other programs, joined. */
export interface ComposedDoors {
  /** Serves if the configuration or the flag says so. */
  readonly start: () => Promise<void>;
  readonly setEnabled: (enabled: boolean) => Promise<string | null>;
  readonly configChanged: () => Promise<void>;
  readonly rotateToken: () => void;
  readonly disconnect: (sessionId: string) => boolean;
  readonly disconnectAgent: (agent: string) => void;
  /** A client at the other end of a pipe. Why it is not taken, in words; null when it is. */
  readonly connectPipe: (stream: Duplex, agent: string | null, place: PipePlace) => Promise<string | null>;
  /** Why no other pipe of this agent's is taken now; null where one is. */
  readonly pipeRefused: (agent: string | null) => Promise<string | null>;
  readonly connectInfo: () => ConnectInfo;
  readonly test: () => Promise<GatewayTest>;
  readonly close: () => Promise<void>;
}

/** The delay before connections are published: they change with every call, and the window need not know each time. */
const PUBLISH_AFTER_MS = 100;

export function composeDoors(parts: DoorsParts): ComposedDoors {
  let forced = parts.forced;
  let extension: McpExtension | null = null;
  let problem: string | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | null = null;
  let last = Promise.resolve();

  const mcp = createMcpDoor({
    gate: parts.gate,
    version: parts.version,
    folders: parts.folders,
    mode: (folder) => parts.config(folder).tools.mode,
    whenClientLeaves: () => parts.config().gateway.when_client_leaves,
    agentLimits: parts.agentLimits,
    ...(parts.outputWindow === undefined ? {} : { outputs: outputsFrom(parts.outputWindow) }),
    extension: () => extension,
  });
  const gateway = createGateway({
    version: parts.version,
    dataDir: parts.dataDir,
    mcp,
    agents: parts.agents,
    recordedTooMuch: parts.agentLimits.recordedTooMuch,
    routes: routesOf(parts),
    report: parts.report,
  });

  const wanted = (): boolean => !closed && (forced || parts.config().gateway.enabled);
  const publish = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!closed) parts.publish({ enabled: wanted(), url: gateway.url, problem, clients: mcp.clients() });
  };
  const publishSoon = (): void => {
    timer ??= setTimeout(publish, PUBLISH_AFTER_MS);
  };
  mcp.onClientsChange(publishSoon);

  /** Applies one change at a time: a switch that is flipped twice ends as it was flipped last. */
  const adjust = (): Promise<void> => {
    last = last.then(async () => {
      problem = null;
      const { port } = parts.config().gateway;
      const servedPort = gateway.url === null ? null : Number(new URL(gateway.url).port);
      const moved = port !== 0 && servedPort !== null && servedPort !== port;
      try {
        if (!wanted() || moved) await gateway.stop();
        if (wanted()) await gateway.start(port);
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        parts.report('The gateway can not serve.', error);
      }
      publish();
    });
    return last;
  };

  const withTestTools = async (): Promise<void> => {
    if (parts.testTools === null || extension !== null) return;
    const { conformanceExtension } = (await import(parts.testTools.href)) as {
      readonly conformanceExtension: () => McpExtension;
    };
    extension = conformanceExtension();
  };

  return {
    async start() {
      await withTestTools();
      await adjust();
    },
    async connectPipe(stream, agent, place) {
      await withTestTools();
      return mcp.connectPipe(stream, agent, place);
    },
    pipeRefused: async (agent) => mcp.pipeRefused(agent),
    disconnectAgent: (agent) => mcp.disconnectAgent(agent),
    async setEnabled(enabled) {
      const refused = await parts.keepEnabled(enabled);
      if (refused !== null) return refused;
      if (!enabled) forced = false;
      await adjust();
      return problem;
    },
    configChanged: adjust,
    rotateToken() {
      gateway.rotateToken();
      publish();
    },
    disconnect: (sessionId) => mcp.disconnect(sessionId),
    connectInfo: () => ({
      ...parts.launcher(),
      url: gateway.url,
      token: gateway.url === null ? null : gateway.token,
    }),
    test: () => askStatus(gateway.url, gateway.token),
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await last;
      await mcp.close();
      await gateway.stop();
    },
  };
}

/** Builds the routes that are served below `/v1`. */
function routesOf(parts: DoorsParts): readonly Route[] {
  const folders = new ProgramFolders(parts.folders, parts.programs?.invocations ?? null);
  const reads = readRoutes({
    give: async (bearer, callId) =>
      parts.gate.giveResult(askerFor(bearer, NO_CLAIMS), await folders.now(null, bearer), callId),
    snapshot: parts.snapshot,
    mayUse: (agent, folder) => parts.folders.mayUse(agent, folder),
    reader: parts.reader,
    sources: parts.sources,
  });
  const domain = domainRoutes({
    gate: parts.gate,
    domain: parts.domain,
    folders,
    whenClientLeaves: () => parts.config().gateway.when_client_leaves,
  });
  if (parts.programs === null) return [...reads, ...domain];
  const asks: InvokeDeps = {
    ...parts.programs,
    gate: parts.gate,
    folders,
    kindOf: (source) => kindIn(parts.sources(), source),
    whenClientLeaves: () => parts.config().gateway.when_client_leaves,
    syncWaitMs: () => parts.config().invoke.sync_wait_seconds * 1000,
  };
  return [...reads, ...domain, ...toolRoutes(asks), executeRoute(asks)];
}

const NO_CLAIMS = { agent: null, tenant: null, user: null, session: null };

function kindIn(sources: readonly object[], name: string): SourceKind | null {
  const onTheWire = sources as readonly { readonly name?: string; readonly kind?: SourceKind }[];
  return onTheWire.find((each) => each.name === name)?.kind ?? null;
}

/** The most lines that one answer carries; a client that wants more than this wants a file. */
const RESOURCE_LINES = 20_000;

function outputsFrom(window: NonNullable<DoorsParts['outputWindow']>): OutputSource {
  return {
    read: async (callId, stream) => {
      const found = await window({ callId, stream }, 0, RESOURCE_LINES);
      if (found === null) return null;
      const { rows, totalLines } = found;
      return {
        text: rows.map(({ text }) => text).join(''),
        complete: totalLines !== null && rows.length >= totalLines,
      };
    },
  };
}

/** Asks for the status over the wire, as a client would: a test that looked at variables would prove nothing. */
async function askStatus(url: string | null, token: string): Promise<GatewayTest> {
  if (url === null) return { ok: false, text: 'The gateway is off. Switch it on first.' };
  try {
    const status = await httpStatus(`${url}/v1/status`, { authorization: `Bearer ${token}` }, ANSWER_WITHIN_MS);
    const ok = status === 200;
    return { ok, text: ok ? `The gateway answers at ${url}.` : `The gateway answered with HTTP status ${status}.` };
  } catch (error) {
    return {
      ok: false,
      text: `The gateway does not answer: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
}

const ANSWER_WITHIN_MS = 5000;
