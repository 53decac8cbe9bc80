import type { Doors } from '../doors.test-support.js';

export const textOf = (result: {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}): string => result.content.map((block) => block.text ?? '').join('');

interface RawReply {
  readonly status: number;
  readonly session: string | null;
  readonly messages: readonly {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: number; readonly message: string };
  }[];
}

export const post = (doors: Doors, message: unknown, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  doors.get('/mcp', {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

export async function rpc(doors: Doors, message: unknown, headers: Record<string, string> = {}): Promise<RawReply> {
  const response = await post(doors, message, headers);
  const text = await response.text();
  const messages =
    response.headers.get('content-type')?.includes('text/event-stream') === true
      ? [...text.matchAll(/^data: (.+)$/gm)].map((match) => JSON.parse(match[1] ?? '') as RawReply['messages'][number])
      : text === ''
        ? []
        : [JSON.parse(text) as RawReply['messages'][number]];
  return { status: response.status, session: response.headers.get('mcp-session-id'), messages };
}

export const initialize = (version = '2025-11-25', name = 'raw') => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name, version: '1' } },
});

export const callOf = (id: unknown, name: string, args?: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, ...(args === undefined ? {} : { arguments: args }), ...more },
});

export async function openSession(doors: Doors, name = 'raw'): Promise<Record<string, string>> {
  const reply = await rpc(doors, initialize('2025-11-25', name));
  return { 'mcp-session-id': reply.session ?? '', 'mcp-protocol-version': '2025-11-25' };
}
