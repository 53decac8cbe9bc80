/** What the bridge looks at in a message; everything else passes through it as it came. */
export interface RpcMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** Where the method's own name is, for the header that repeats it. */
const NAMED_BY: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function asRpcMessage(value: unknown): RpcMessage | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

export const isRequest = (message: RpcMessage): boolean => message.method !== undefined && message.id !== undefined;

/** The revision that a sessionless request names in its envelope; null for those of a session. */
export function envelopeVersion({ params }: RpcMessage): string | null {
  const { _meta: meta } = params ?? {};
  const version = meta?.[VERSION_KEY];
  return typeof version === 'string' ? version : null;
}

/** Over HTTP a sessionless request repeats in headers what its body says. */
export function envelopeHeaders(message: RpcMessage, version: string): Record<string, string> {
  const method = message.method ?? '';
  const key = NAMED_BY[method];
  const name = key === undefined ? undefined : message.params?.[key];
  return {
    'mcp-protocol-version': headerValue(version),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** Plain where a header can carry it, else in the protocol's base64 form. */
function headerValue(text: string): string {
  return /^[\w./:{}-]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** An answer in the app's place. A model sees the text of a failed call; other requests get an error. */
export function answerInstead(message: RpcMessage, text: string): string {
  const answer =
    message.method === 'tools/call'
      ? { result: { content: [{ type: 'text', text }], isError: true, _meta: { 'gatehouse/code': 'Interrupted' } } }
      : { error: { code: -32_000, message: text } };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer });
}

export const rpcError = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
