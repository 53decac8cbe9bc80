import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Gate } from '../../domain/ports/gate/gate.js';
import { askerOf, type McpCaller } from './caller.js';
import type { FolderOf } from './serve-tools.js';

export const OUTPUT_STREAMS = ['stdout', 'stderr'] as const;
export type OutputStream = (typeof OUTPUT_STREAMS)[number];

/** The stored output of calls. */
export interface OutputSource {
  /** Null: none is kept. `text` may be cut; then `complete` is false. */
  read(callId: string, stream: OutputStream): Promise<{ readonly text: string; readonly complete: boolean } | null>;
}

const OUTPUT_URI = /^gatehouse:\/\/calls\/([^/]{1,200})\/(stdout|stderr)$/;

/**
 * Serves the stored output of calls as resources, readable by the client that made the call: a result may hold less.
 */
export function serveOutputs(
  server: Server,
  outputs: OutputSource | null,
  {
    caller,
    gate,
    folderOf,
  }: { readonly caller: McpCaller; readonly gate: Pick<Gate, 'giveResult'>; readonly folderOf: FolderOf },
): void {
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates:
      outputs === null
        ? []
        : [
            {
              uriTemplate: 'gatehouse://calls/{callId}/{stream}',
              name: 'call-output',
              title: 'Stored output of a call',
              description:
                'The whole stdout or stderr of a command you ran, by the gatehouse/callId of its result. stream is stdout or stderr.',
              mimeType: 'text/plain',
            },
          ],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const [, callId, stream] = OUTPUT_URI.exec(uri) ?? [];
    // The answer is the same for other clients' calls as for calls that never were.
    const own = callId !== undefined && caller.made.has(callId);
    const output = own ? await outputs?.read(callId, stream as OutputStream) : null;
    if (own && output !== null && !(await gate.giveResult(askerOf(caller), await folderOf(), callId)))
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        'It can’t be recorded that you are told this, so you are not.',
      );
    if (output === null || output === undefined)
      throw new ProtocolError(ProtocolErrorCode.ResourceNotFound, `There is no stored output at ${uri}.`, { uri });
    return {
      contents: [
        {
          uri,
          mimeType: 'text/plain',
          text: output.text,
          ...(output.complete ? {} : { _meta: { 'gatehouse/complete': false } }),
        },
      ],
    };
  });
}
