import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Overrides of what a good server says and does. */
export interface Lies {
  readonly resourceMetadata?: (mine: Record<string, unknown>, at: Places) => unknown;
  readonly metadata?: (mine: Record<string, unknown>, at: Places) => unknown;
  readonly challenge?: (mine: string, at: Places) => string;
  readonly token?: (mine: Record<string, unknown>, asked: URLSearchParams) => unknown;
  /** Takes an answer over, by its path. */
  answers?: Readonly<Record<string, (response: ServerResponse, at: Places, body: string) => void>>;
  /** Changes the address that the browser is led back to. */
  readonly leadsBack?: (address: URL) => URL;
}

export interface Places {
  /** The addresses of the server of tools, and of the one that signs people in. */
  readonly tools: string;
  readonly people: string;
}

export interface TestOAuth extends Places {
  readonly url: string;
  /** Every request, as `GET /path`, to either of them. */
  readonly heard: string[];
  readonly authorizations: (string | undefined)[];
  readonly tokenRequests: URLSearchParams[];
  readonly registered: Record<string, unknown>[];
  readonly revoked: string[];
  /** Rejects the key that was given last from now on. */
  expire(): void;
  /** Renews nothing from now on. */
  endSignIn(): void;
  /** Requires this scope for calls from now on. */
  wantScope(scope: string): void;
  /** Acts as a browser that the person says yes in: returns the address that it was led back to. */
  consent(address: string): Promise<URL>;
  close(): void;
}

async function listen(act: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const server: Server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      act(request, response, body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

interface Code {
  readonly client: string;
  readonly challenge: string;
  readonly redirect: string;
  readonly resource: string | null;
  readonly scope: string;
}

interface Given {
  readonly audience: string | null;
  readonly scope: string;
}

/** A server of tools, and one that signs people in for it: it checks PKCE, the resource, the audience and who is led back where. */
export async function openOAuth(lies: Lies = {}): Promise<TestOAuth> {
  const heard: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const tokenRequests: URLSearchParams[] = [];
  const registered: Record<string, unknown>[] = [];
  const revoked: string[] = [];
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Code>();
  const access = new Map<string, Given>();
  const refreshes = new Map<string, Given & { readonly client: string }>();
  let wanted = 'tools:use';
  let endless = false;
  const at: { tools: string; people: string } = { tools: '', people: '' };
  const make = (kind: string): string => `${kind}-${randomBytes(24).toString('base64url')}`;
  const grant = (given: Given, client: string): Record<string, unknown> => {
    const [key, renewal] = [make('access'), make('refresh')];
    access.set(key, given);
    refreshes.set(renewal, { ...given, client });
    return { access_token: key, refresh_token: renewal, token_type: 'Bearer', expires_in: 3600, scope: given.scope };
  };

  const people = await listen((request, response, body) => {
    const url = new URL(request.url ?? '', at.people);
    heard.push(`${request.method} people${url.pathname}`);
    const lie = lies.answers?.[url.pathname];
    if (lie !== undefined) return lie(response, at, body);
    const asked = new URLSearchParams(body);
    const refuse = (error: string, words = error): void => json(response, 400, { error, error_description: words });
    if (url.pathname === '/.well-known/oauth-authorization-server') {
      const mine = {
        issuer: at.people,
        authorization_endpoint: `${at.people}/authorize`,
        token_endpoint: `${at.people}/token`,
        registration_endpoint: `${at.people}/register`,
        revocation_endpoint: `${at.people}/revoke`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      };
      return json(response, 200, lies.metadata?.(mine, at) ?? mine);
    }
    if (url.pathname === '/register') {
      const metadata = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
      registered.push({ ...metadata });
      const client = make('client');
      clients.set(client, metadata.redirect_uris);
      return json(response, 201, { ...metadata, client_id: client });
    }
    if (url.pathname === '/revoke') {
      revoked.push(asked.get('token_type_hint') ?? '');
      access.delete(asked.get('token') ?? '');
      refreshes.delete(asked.get('token') ?? '');
      return void response.writeHead(200).end();
    }
    if (url.pathname !== '/token') return void response.writeHead(404).end();
    tokenRequests.push(asked);
    if (asked.get('grant_type') === 'refresh_token') {
      const known = refreshes.get(asked.get('refresh_token') ?? '');
      if (known === undefined || endless) return refuse('invalid_grant', `no ${asked.get('refresh_token')}`);
      // Used once: who comes with it again is another.
      refreshes.delete(asked.get('refresh_token') ?? '');
      if (asked.get('resource') !== known.audience) return refuse('invalid_target');
      const mine = grant(known, known.client);
      return json(response, 200, lies.token?.(mine, asked) ?? mine);
    }
    const code = codes.get(asked.get('code') ?? '');
    codes.delete(asked.get('code') ?? '');
    const proof = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined) return refuse('invalid_grant', `no code ${asked.get('code')}`);
    if (proof !== code.challenge) return refuse('invalid_grant', 'the verifier is another');
    if (asked.get('redirect_uri') !== code.redirect || asked.get('client_id') !== code.client)
      return refuse('invalid_grant', 'of another client');
    if (asked.get('resource') !== code.resource) return refuse('invalid_target');
    const mine = grant({ audience: code.resource, scope: code.scope }, code.client);
    json(response, 200, lies.token?.(mine, asked) ?? mine);
  });

  const tools = await listen((request, response, body) => {
    const { pathname } = new URL(request.url ?? '', at.tools);
    heard.push(`${request.method} tools${pathname}`);
    const lie = lies.answers?.[`tools:${pathname}`];
    if (lie !== undefined) return lie(response, at, body);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const mine = { resource: `${at.tools}/mcp`, authorization_servers: [at.people], scopes_supported: ['tools:use'] };
      return json(response, 200, lies.resourceMetadata?.(mine, at) ?? mine);
    }
    if (pathname !== '/mcp' || request.method !== 'POST') return void response.writeHead(404).end();
    authorizations.push(request.headers.authorization);
    const given = access.get(/^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const about = `resource_metadata="${at.tools}/.well-known/oauth-protected-resource/mcp"`;
    const challenge = (words: string): Record<string, string> => {
      const mine = `Bearer ${words}${about}`;
      return { 'www-authenticate': lies.challenge?.(mine, at) ?? mine };
    };
    if (given === undefined || given.audience !== `${at.tools}/mcp`)
      return json(response, 401, { error: 'invalid_token' }, challenge(''));
    const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
    if (method === 'tools/call' && !given.scope.split(' ').includes(wanted))
      return json(response, 403, {}, challenge(`error="insufficient_scope", scope="${wanted}", `));
    const say = (result: object): void => json(response, 200, { jsonrpc: '2.0', id, result });
    if (method === 'initialize')
      say({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1.0.0' } });
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'tools/list') say({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') say({ content: [{ type: 'text', text: 'fine' }] });
    else json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
  });

  at.people = people.url;
  at.tools = tools.url;
  const consent: TestOAuth['consent'] = async (address) => {
    const asked = new URL(address).searchParams;
    const [redirect, client] = [asked.get('redirect_uri') ?? '', asked.get('client_id') ?? ''];
    if (clients.get(client)?.includes(redirect) !== true) throw new Error('It leads back to where nobody registered.');
    if (asked.get('code_challenge_method') !== 'S256') throw new Error('It proves nothing.');
    const code = make('code');
    codes.set(code, {
      client,
      redirect,
      challenge: asked.get('code_challenge') ?? '',
      resource: asked.get('resource'),
      scope: asked.get('scope') ?? '',
    });
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', at.people);
    return lies.leadsBack?.(back) ?? back;
  };
  return {
    get tools() {
      return at.tools;
    },
    get people() {
      return at.people;
    },
    url: `${at.tools}/mcp`,
    close() {
      people.close();
      tools.close();
    },
    heard,
    authorizations,
    tokenRequests,
    registered,
    revoked,
    expire: () => access.clear(),
    endSignIn: () => void (endless = true),
    wantScope: (scope) => void (wanted = scope),
    consent,
  };
}
