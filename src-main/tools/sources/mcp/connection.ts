import {
  type AuthProvider,
  type FetchLike,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Confinement } from '#contract/vocabulary/calls.js';
import { SourceProblem } from '../../../domain/ports/sources/source.js';
import type { HeldProgram, ProgramNetwork } from '../../../domain/ports/sources/held-program.js';
import { boundedFetch } from './transport/bounded-fetch.js';
import { type BrokenConnection, LineTransport } from './transport/line-transport.js';
import { ErrorOutput } from '../../../domain/text/error-output.js';
import type { SignIn } from './sign-in/sign-in.js';

/** A way to a server, before anything was said on it. */
export interface Connection {
  readonly transport: Transport;
  readonly confinement: Confinement | null;
  readonly complaints: ErrorOutput;
  /** Null where it is no program, or nobody stands between it and the network. */
  readonly network: ProgramNetwork | null;
  /** Why it can’t be used any more; null where it can. */
  readonly broken: BrokenConnection | null;
  /** Told of what befalls every call that is under way. */
  onBroken: (broken: BrokenConnection) => void;
  /** Whether a remote server knows this connection by a session. */
  readonly hasSession: boolean;
  /** Called once the protocol listens. */
  greeted(): void;
}

/** An error of ours in the protocol’s own form: the stream that was to bring an answer ended without one. */
export const CONNECTION_LOST = -32_099;

export async function openProgramConnection(source: string, started: Promise<HeldProgram>): Promise<Connection> {
  const program = await started;
  if (program.confinement === null) {
    const { unstartable } = await program.ended;
    throw new SourceProblem('failed', `“${source}” could not be started. ${unstartable ?? ''}`.trim());
  }
  const transport = new LineTransport(program);
  const connection = {
    transport,
    confinement: program.confinement,
    complaints: transport.complaints,
    network: program.network ?? null,
    get broken() {
      return transport.broken;
    },
    onBroken: () => undefined,
    hasSession: false,
    greeted: () => undefined,
  } satisfies Connection as Connection;
  transport.onGarbled = (broken) => connection.onBroken(broken);
  return connection;
}

export interface HttpEndpoint {
  readonly url: string;
  /** Headers that hold no key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  /** Where the person can sign in at it. */
  readonly signIn: SignIn | null;
}

/** `older`: a server from before there was one address for everything. */
export function openHttpConnection(place: HttpEndpoint, way: 'streamable' | 'older'): Connection {
  let broken: BrokenConnection | null = null;
  const complaints = new ErrorOutput();
  const awaited = new Set<number>();
  const { signIn } = place;
  const asked = boundedFetch(place.fetch, {
    onTooLarge: () => {
      broken = { kind: 'too-large', words: 'it sent a message of more than 8 MB' };
      connection.onBroken(broken);
      void transport.close();
    },
    onAsked: (id) => awaited.add(id),
    onStreamEnd: (id) => {
      if (!awaited.delete(id)) return;
      const message = 'the connection was lost before it answered';
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: CONNECTION_LOST, message } });
    },
  });
  const options = {
    fetch: signIn?.watchFetch(asked) ?? asked,
    requestInit: { headers: { ...place.headers }, redirect: 'error' as const },
    ...(signIn === null ? {} : { authProvider: toAuthProvider(signIn) }),
  };
  const url = new URL(place.url);
  const transport =
    way === 'streamable' ? new StreamableHTTPClientTransport(url, options) : new SSEClientTransport(url, options);
  const connection: Connection = {
    transport,
    confinement: null,
    complaints,
    network: null,
    get broken() {
      return broken;
    },
    onBroken: () => undefined,
    get hasSession() {
      return transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined;
    },
    greeted() {
      const { onmessage } = transport;
      Object.assign(transport, {
        onmessage: (message: JSONRPCMessage) => {
          if ('id' in message && !('method' in message)) awaited.delete(Number(message.id));
          onmessage?.(message);
        },
      });
    },
  };
  return connection;
}

/** The key itself goes out with the request, and not by way of the SDK. */
const toAuthProvider = (signIn: SignIn): AuthProvider => ({
  token: () => Promise.resolve(undefined),
  onUnauthorized: ({ response }) => signIn.unauthorized(response),
});
