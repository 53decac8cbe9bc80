import { Server, type ServerCapabilities, type ServerContext } from '@modelcontextprotocol/server';
import type { McpCaller } from './caller.js';
import { serveOutputs, type OutputSource } from './serve-outputs.js';
import { type FolderOf, serveTools, type ToolExtension, type ToolService } from './serve-tools.js';
import { INSTRUCTIONS } from './tool-listing.js';

export interface McpService extends ToolService {
  readonly version: string;
  /** Stored outputs as resources; null where nothing is stored. */
  readonly outputs: OutputSource | null;
  readonly extension: () => McpExtension | null;
}

/** More for the server, beside the gate: what the conformance suite calls, from test code. */
export interface McpExtension extends ToolExtension {
  readonly capabilities: ServerCapabilities;
  /** Prompts and resources. */
  install(server: Server): void;
}

/** Creates an MCP server object, for one session (2025 revisions) or one request (2026-07-28). */
export function createMcpServer(
  caller: McpCaller,
  service: McpService,
  folderOf: FolderOf,
  goneOf: (context: ServerContext) => AbortSignal | undefined,
): Server {
  const extension = service.extension();
  const server = new Server(
    { name: 'gatehouse', title: 'Gatehouse', version: service.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        resources: {},
        logging: {},
        ...extension?.capabilities,
      },
      instructions: INSTRUCTIONS[service.mode(caller.folder)],
    },
  );
  serveTools(server, caller, service, folderOf, extension, goneOf);
  serveOutputs(server, service.outputs, { caller, gate: service.gate, folderOf });
  // Some clients ask without looking at the capabilities, and take an error badly.
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  extension?.install(server);
  return server;
}
