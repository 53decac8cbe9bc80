/** The fields of a message that the bridge looks at; everything else passes through it as it came. */
export interface RpcMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: {
    readonly requestId?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

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
