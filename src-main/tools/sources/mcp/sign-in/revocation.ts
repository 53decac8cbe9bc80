import { type FetchLike, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { StoredSignIn } from '../../../../domain/ports/sources/sign-in.js';
import { readRevocationEndpoint } from './discovery.js';
import type { SignInFacts } from './sign-in-facts.js';

/** Tells who gave them that the keys are not wanted any more. Null where that was done; else a sentence for the person. */
export async function revokeTokens(kept: StoredSignIn, facts: SignInFacts, fetch: FetchLike): Promise<string | null> {
  const endpoint = readRevocationEndpoint(facts.metadata);
  if (endpoint === null)
    return `Forgotten here. ${facts.host} has no way to be told: remove Gatehouse from your account there, too.`;
  const tokens = [
    ...(kept.refresh === null ? [] : [['refresh_token', kept.refresh] as const]),
    ['access_token', kept.access] as const,
  ];
  for (const [hint, token] of tokens) {
    try {
      const { headers, body } = buildRevocationRequest(facts, hint, token);
      const { status } = await fetch(endpoint, { method: 'POST', headers, body });
      if (status >= 400) return notRevokedWords(facts.host);
    } catch {
      return notRevokedWords(facts.host);
    }
  }
  return null;
}

function buildRevocationRequest(
  { client, metadata }: SignInFacts,
  hint: string,
  token: string,
): { readonly headers: Record<string, string>; readonly body: string } {
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  const secret = client.client_secret;
  const method = selectClientAuthMethod(client, metadata?.token_endpoint_auth_methods_supported ?? []);
  if (method === 'client_secret_basic' && secret !== undefined) {
    const pair = [client.client_id, secret].map(encodeURIComponent).join(':');
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    body.set('client_id', client.client_id);
    if (method === 'client_secret_post' && secret !== undefined) body.set('client_secret', secret);
  }
  return { headers, body: body.toString() };
}

const notRevokedWords = (host: string): string =>
  `Forgotten here. ${host} could not be told: remove Gatehouse from your account there, too.`;
