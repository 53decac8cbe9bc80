import { Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './caller.js';
import { serveOutputs, type OutputSource } from './serve-outputs.js';
import { serveTools, type ToolService } from './serve-tools.js';
import { INSTRUCTIONS } from './tool-listing.js';

export interface McpService extends ToolService {
  readonly version: string;
  /** Stored outputs as resources; null where nothing is stored. */
  readonly outputs: OutputSource | null;
  /** More for the server: the conformance suite's tools, prompts and resources, from test code. */
  readonly extend: ((server: Server) => void) | null;
}

/** One MCP server object, for one session (2025 revisions) or one request (2026-07-28). */
export function createMcpServer(
  caller: Caller,
  service: McpService,
  goneOf: (context: ServerContext) => AbortSignal | undefined,
): Server {
  const server = new Server(
    { name: 'gatehouse', title: 'Gatehouse', version: service.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        resources: {},
        logging: {},
      },
      instructions: INSTRUCTIONS[service.mode()],
    },
  );
  serveTools(server, caller, service, goneOf);
  serveOutputs(server, caller, service.outputs);
  // Some clients ask without looking at the capabilities, and take an error badly.
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  service.extend?.(server);
  return server;
}
