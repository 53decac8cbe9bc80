import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Caller } from './caller.js';

export const OUTPUT_STREAMS = ['stdout', 'stderr'] as const;
export type OutputStream = (typeof OUTPUT_STREAMS)[number];

/** The stored output of calls. */
export interface OutputSource {
  /** Null: none is kept. `text` may be cut; then `complete` is false. */
  read(callId: string, stream: OutputStream): Promise<{ readonly text: string; readonly complete: boolean } | null>;
}

const OUTPUT_URI = /^gatehouse:\/\/calls\/([^/]{1,200})\/(stdout|stderr)$/;

/** What a call put out beyond its result is a resource, readable by the client that made the call. */
export function serveOutputs(server: Server, caller: Caller, outputs: OutputSource | null): void {
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
    // Of other clients' calls it says the same as of calls that never were.
    const own = callId !== undefined && caller.made.has(callId);
    const output = own ? await outputs?.read(callId, stream as OutputStream) : null;
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
