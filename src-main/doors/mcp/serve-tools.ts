import {
  type CallToolResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolsMode } from '#contract/window/app-events.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import { callResult } from './call-result.js';
import { type ProgressPace, reportProgress } from './call-progress.js';
import { askerOf, type Caller, rememberCall } from './caller.js';
import type { Departure } from './exchange.js';
import { listTool } from './tool-listing.js';

export interface ToolService {
  readonly gate: Gate;
  readonly mode: () => ToolsMode;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
  readonly maxInFlight: number;
  readonly pace: ProgressPace;
  /** The number of calls or clients changed. */
  readonly onActivity: () => void;
}

export interface ToolExtension {
  readonly tools: readonly McpTool[];
  call(name: string, given: Json, context: ServerContext, server: Server): Promise<CallToolResult>;
}

const REASONS: Readonly<Record<Departure, string>> = {
  cancelled: 'The client cancelled the call.',
  left: 'The client left before the call was done.',
  'put-out': 'The person disconnected the client.',
};

/** No tool has a longer name; what is asked for under one is recorded under its beginning. */
const LONGEST_TOOL = 200;

/** Puts `tools/list` and `tools/call` on a server. `goneOf` says when the sender of a request went away. */
export function serveTools(
  server: Server,
  caller: Caller,
  service: ToolService,
  extension: ToolExtension | null,
  goneOf: (context: ServerContext) => AbortSignal | undefined,
): void {
  server.setRequestHandler('tools/list', () => ({
    tools: [...service.gate.advertised().map((tool) => listTool(tool, service.mode())), ...(extension?.tools ?? [])],
  }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: given = {} } = request.params;
    if (extension?.tools.some((tool) => tool.name === name) === true)
      return extension.call(name, given as Json, context, server);
    return call(caller, service, name, given as Json, context, goneOf(context));
  });
}

async function call(
  caller: Caller,
  service: ToolService,
  tool: string,
  given: Json,
  context: ServerContext,
  gone: AbortSignal | undefined,
): Promise<CallToolResult> {
  if (caller.inFlight.size >= service.maxInFlight)
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `This client has ${service.maxInFlight} calls in flight, which is the limit. Wait for one to finish.`,
    );
  const batch = service.gate.submit({
    asker: askerOf(caller),
    // Ids are matched before the gate: a client may reuse one once it was answered, which a batch that stays open would refuse.
    calls: [
      {
        requestId: null,
        tool: tool.length > LONGEST_TOOL ? `${tool.slice(0, LONGEST_TOOL)}…` : tool,
        arguments: given,
      },
    ],
    capacityBytes: null,
    joinable: true,
  });
  const [submitted] = batch.calls;
  if (submitted === undefined) throw new Error('The gate took a call and gave none back.');

  let departure: Departure | null = null;
  const end = (how: Departure): void => {
    if (departure !== null) return;
    departure = how;
    if (how === 'left' && service.whenClientLeaves() === 'keep') batch.abandon();
    else submitted.cancel(REASONS[how]);
  };
  const onGone = (): void => end('left');
  const onAbort = (): void => end(gone?.aborted === true ? 'left' : 'cancelled');
  gone?.addEventListener('abort', onGone, { once: true });
  context.mcpReq.signal.addEventListener('abort', onAbort, { once: true });
  if (gone?.aborted === true) onGone();
  else if (context.mcpReq.signal.aborted) onAbort();

  caller.inFlight.set(submitted, end);
  rememberCall(caller, submitted.callId);
  caller.calls += 1;
  service.onActivity();
  const stopProgress = reportProgress(submitted, context, service.pace);
  try {
    const settled = await submitted.settled;
    stopProgress();
    return callResult(settled);
  } finally {
    stopProgress();
    gone?.removeEventListener('abort', onGone);
    context.mcpReq.signal.removeEventListener('abort', onAbort);
    caller.inFlight.delete(submitted);
    service.onActivity();
    batch.close();
  }
}
