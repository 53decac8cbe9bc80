import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { always, openTestSources, type TestSources } from '../mcp.test-support.js';
import type { Lies, TestOAuth } from './oauth-server.test-support.js';
import { openOAuth, signInOf, words } from './sign-in.test-support.js';

async function beginAt(
  sources: TestSources,
  lies: Lies,
): Promise<{ readonly said: string; readonly oauth: TestOAuth }> {
  const oauth = await openOAuth(lies);
  const source = sources.open({ url: oauth.url });
  expect(await words(source.offer(always))).toMatch(/sign in|can’t be used/u);
  const said = await words(signInOf(source).begin());
  expect(signInOf(source).state).toMatchObject({ address: null, problem: said });
  expect(sources.keeper.all.size).toBe(0);
  return { said, oauth };
}

describe('Servers that lie about where people sign in', () => {
  const METADATA = '/.well-known/oauth-authorization-server';
  const RESOURCE = 'tools:/.well-known/oauth-protected-resource/mcp';
  const endless = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', more);
    };
    more();
  };
  const CASES: readonly (readonly [what: string, lies: Lies, said: string])[] = [
    ['another issuer', { metadata: (mine) => ({ ...mine, issuer: 'https://elsewhere.example' }) }, 'not who was asked'],
    [
      'another server’s document',
      { resourceMetadata: (mine) => ({ ...mine, resource: 'https://elsewhere.example/mcp' }) },
      'about another server',
    ],
    [
      'a document of another origin',
      { challenge: (_, { people }) => `Bearer resource_metadata="${people}/x"` },
      'not its own address',
    ],
    [
      'a cloud’s metadata',
      { resourceMetadata: (mine) => ({ ...mine, authorization_servers: ['http://169.254.169.254/'] }) },
      'next to it',
    ],
    [
      'a cloud’s metadata as the token’s place',
      { metadata: (mine) => ({ ...mine, token_endpoint: 'https://169.254.169.254/token' }) },
      'next to it',
    ],
    [
      'plain http elsewhere',
      { metadata: (mine) => ({ ...mine, token_endpoint: 'http://elsewhere.example/token' }) },
      'not https',
    ],
    [
      'a page that is a program',
      { metadata: (mine) => ({ ...mine, authorization_endpoint: 'javascript:alert(1)' }) },
      'can’t',
    ],
    [
      'a page with a name and a password',
      { metadata: (mine) => ({ ...mine, authorization_endpoint: 'https://a:b@elsewhere.example/' }) },
      'no address',
    ],
    [
      'no proof of who began it',
      { metadata: (mine) => ({ ...mine, code_challenge_methods_supported: ['plain'] }) },
      'PKCE',
    ],
    [
      'silence about that proof',
      { metadata: (mine) => ({ ...mine, code_challenge_methods_supported: undefined }) },
      'PKCE',
    ],
    [
      'nobody it does not know',
      { metadata: (mine) => ({ ...mine, registration_endpoint: undefined }) },
      'key in its headers',
    ],
    [
      'a cloud’s metadata as the place to be known at',
      { metadata: (mine) => ({ ...mine, registration_endpoint: 'https://169.254.169.254/register' }) },
      'next to it',
    ],
    [
      'a cloud’s metadata as the place to sign out at',
      { metadata: (mine) => ({ ...mine, revocation_endpoint: 'https://169.254.169.254/revoke' }) },
      'next to it',
    ],
    [
      'a document that is not where it says',
      { challenge: (_, { tools }) => `Bearer resource_metadata="${tools}/none"` },
      'can’t be read',
    ],
    [
      'a page whose address has no end',
      { metadata: (mine, { people }) => ({ ...mine, authorization_endpoint: `${people}/a?x=${'y'.repeat(9000)}` }) },
      'too long',
    ],
    ['no JSON', { answers: { [METADATA]: (response) => void response.end('<html>') } }, 'can’t be read'],
    [
      'a redirect',
      {
        answers: { [METADATA]: (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end() },
      },
      'Redirects are not followed',
    ],
    [
      'a redirect of its own document',
      {
        answers: { [RESOURCE]: (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end() },
      },
      'Redirects are not followed',
    ],
    ['an endless document', { answers: { [METADATA]: endless } }, 'more than 256 KB'],
    ['an endless document of its own', { answers: { [RESOURCE]: endless } }, 'more than 256 KB'],
    ['an endless registration', { answers: { '/register': endless } }, 'more than 256 KB'],
    [
      'a registration that fails',
      { answers: { '/register': (response) => void response.writeHead(500).end('oh') } },
      'can’t begin',
    ],
  ];
  it.each(CASES)('%s: nothing is kept, and the words say why', async (_what, lies, said) => {
    await using sources = await openTestSources();
    expect((await beginAt(sources, lies)).said).toContain(said);
  });

  it('can’t lead the browser back elsewhere, nor choose its state', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth({
      metadata: (mine, { people }) => ({
        ...mine,
        authorization_endpoint: `${people}/authorize?redirect_uri=https://elsewhere.example&state=mine&code_challenge=x`,
      }),
    });
    const source = sources.open({ url: oauth.url });
    await signInOf(source).begin();
    const asked = new URL(signInOf(source).address ?? '').searchParams;
    expect(asked.getAll('redirect_uri')).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/signed-in\//u)]);
    expect(asked.getAll('state')).toEqual([expect.not.stringContaining('mine')]);
    expect(asked.getAll('code_challenge')).toHaveLength(1);
  });

  it('elsewhere can’t mean this computer', async () => {
    const heard: string[] = [];
    const here = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => here.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void here.close());
    const { discoverEndpoints: whereToSignIn } = await import('./discovery.js');
    const place = `http://127.0.0.1:${(here.address() as AddressInfo).port}`;
    const answer = (value: object) => Promise.resolve(Response.json(value));
    const asked = whereToSignIn('https://tools.example/mcp', { metadataUrl: null, scope: null }, () =>
      answer({ resource: 'https://tools.example/mcp', authorization_servers: [place] }),
    );
    await expect(asked).rejects.toThrow('this computer');
    expect(heard).toEqual([]);
  });
});
