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
import type { DoorFolders } from '../../domain/ports/door-folders.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import { isTestCall } from '../../domain/tool/test-call.js';
import { shortenToolName } from '../../domain/tool/call-tool.js';
import { askForCall } from '../ask-for-call.js';
import { callResult } from './call-result.js';
import { type ProgressPace, reportProgress } from './call-progress.js';
import { askerOf, type McpCaller, rememberCall, rememberTool } from './caller.js';
import { addFolder, listTool } from './tool-listing.js';

export interface ToolService {
  readonly gate: Gate;
  readonly folders: DoorFolders;
  readonly mode: (folder: string) => ToolsMode;
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

const NO_TEST_CALL: CallToolResult = {
  content: [{ type: 'text', text: 'This connection makes Gatehouse’s test call, and no other.' }],
  isError: true,
  _meta: { 'gatehouse/code': 'NotPermitted' },
};

/** Where what is asked for is to happen. */
export type FolderOf = () => Promise<string>;

/** A session that began while no folder was open takes the first that it finds, and keeps it. */
export const folderOfSession =
  (caller: McpCaller, folders: DoorFolders): FolderOf =>
  async () => {
    if (caller.folder === '') caller.folder = (await folders.resolveSessionFolder(null, caller.agent)) ?? '';
    return caller.folder;
  };

/** Puts `tools/list` and `tools/call` on a server. `goneOf` says when the sender of a request went away. */
export function serveTools(
  server: Server,
  caller: McpCaller,
  service: ToolService,
  folderOf: FolderOf,
  extension: ToolExtension | null,
  goneOf: (context: ServerContext) => AbortSignal | undefined,
): void {
  server.setRequestHandler('tools/list', async () => {
    const folder = await folderOf();
    const mode = service.mode(folder);
    return {
      tools: [
        ...service.gate
          .listAdvertised(folder, caller.used)
          .map((tool) => addFolder(listTool(tool, mode), tool, folder)),
        ...(extension?.tools ?? []),
      ],
    };
  });
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: given = {} } = request.params;
    if (caller.isTest && !isTestCall(name, given as Json)) return NO_TEST_CALL;
    if (extension?.tools.some((tool) => tool.name === name) === true)
      return extension.call(name, given as Json, context, server);
    const folder = await folderOf();
    const { result, tool } = await callTool(caller, service, folder, name, given as Json, context, goneOf(context));
    if (caller.used.has(tool)) return result;
    const before = service.gate.listAdvertised(folder, caller.used).length;
    rememberTool(caller, tool);
    // The used tool is listed from now on. Nobody listens until the client opens its stream.
    if (service.gate.listAdvertised(folder, caller.used).length > before)
      server.sendToolListChanged().catch(() => undefined);
    return result;
  });
}

async function callTool(
  caller: McpCaller,
  service: ToolService,
  folder: string,
  tool: string,
  given: Json,
  context: ServerContext,
  gone: AbortSignal | undefined,
): Promise<{ readonly result: CallToolResult; readonly tool: string }> {
  if (caller.inFlight.size >= service.maxInFlight)
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `This client has ${service.maxInFlight} calls in flight, which is the limit. Wait for one to finish.`,
    );
  const { call, depart, release } = askForCall(
    service.gate,
    {
      asker: askerOf(caller),
      folder,
      // Ids are matched before the gate: a client may reuse one once it was answered, which a batch that stays open would refuse.
      call: { requestId: null, tool: shortenToolName(tool), arguments: given },
      joinable: true,
      ...(caller.admission?.isNeeded() === true ? { admission: caller.admission } : {}),
    },
    { left: gone, cancelled: context.mcpReq.signal, whenClientLeaves: service.whenClientLeaves },
  );
  caller.inFlight.set(call, depart);
  caller.calls += 1;
  service.onActivity();
  const stopProgress = reportProgress(call, context, service.pace);
  try {
    const settled = await call.settled;
    // The caller may read the call's stored output from now on: that it was given some is on record with the end.
    rememberCall(caller, call.callId);
    stopProgress();
    // By `call_tool`, another tool was called than the one that was asked for.
    return { result: callResult(settled), tool: settled.summary.tool };
  } finally {
    stopProgress();
    release();
    caller.inFlight.delete(call);
    service.onActivity();
  }
}
