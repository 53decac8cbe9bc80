import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { buildTermChips } from '../../../../domain/tool/term-words.js';
import { areSameTerms } from '../../../../domain/tool/terms.js';
import { configWith } from '../../../../process/process.test-support.js';
import { always, namesOf, NO_TOOL, openTestSources, type TestSources } from '../mcp.test-support.js';
import type { Lies, TestOAuth } from './oauth-server.test-support.js';
import { openOAuth, signIn, signInOf, until, words } from './sign-in.test-support.js';

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

describe('Signing in at a server over HTTP', () => {
  it('says that it is wanted, opens nothing by itself, and serves from then on', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    expect(await words(source.offer(always))).toContain('wants you to sign in. Choose “Sign in…”');
    expect(signInOf(source).state).toMatchObject({ kind: 'wanted', host: null, address: null });
    // Nobody was asked anything before the person wanted it.
    expect(oauth.heard.every((each) => each === 'POST tools/mcp')).toBe(true);

    expect(await signIn(source, oauth)).toBe(200);
    expect(signInOf(source).state).toMatchObject({
      kind: 'signed-in',
      host: new URL(oauth.people).host,
      problem: null,
    });
    expect(namesOf(await source.offer(always))).toEqual(['act']);
    expect((await sources.call(source, 'act')).content).toBe('fine');
    expect(oauth.registered[0]).toMatchObject({ client_name: 'Gatehouse', token_endpoint_auth_method: 'none' });
    expect(oauth.tokenRequests[0]?.get('resource')).toBe(oauth.url);
  });

  it('is a part of what a call gets, and of what is read: what was judged without it does not go with it', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    const situation = {
      config: configWith({}),
      confinement: { available: true, problem: null },
      network: NOTHING_ALLOWED,
    };
    const gets = () => {
      const { process, network, paths, secrets } = source.termsFor(situation, NO_TOOL);
      return { process, network, paths, secrets };
    };
    const limits = { timeMs: 20_000, outputBytes: 100_000 };
    const before = gets();
    expect([before.secrets, source.resources?.isOpened]).toEqual([[], false]);
    await signIn(source, oauth);
    const after = gets();
    expect([after.secrets, source.resources?.isOpened]).toEqual([['your sign-in'], true]);
    const one = { nature: 'remote', limits, ...before } as const;
    const other = { nature: 'remote', limits, ...after } as const;
    expect(areSameTerms(one, other)).toBe(false);
    expect(buildTermChips(other).map(({ words: chip }) => chip)).toContain('Is given: your sign-in');
    const asked = oauth.heard.length;
    await source.offer(always);
    const offered = oauth.heard.length;
    const said = await words(sources.call(source, 'act', {}, { terms: one }));
    expect(said).toContain('NoDecision');
    expect(said).toContain('signed in at “peer” after it was judged');
    expect([offered > asked, oauth.heard.length]).toEqual([true, offered]);
    expect((await sources.call(source, 'act', {}, { terms: other })).content).toBe('fine');
    await signInOf(source).signOut();
    expect([gets().secrets, source.resources?.isOpened]).toEqual([[], false]);
  });

  it('renews its key once for all who wait, and never with one that was used', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    await sources.call(source, 'act');
    const before = sources.keeper.find('peer');
    oauth.expire();
    await Promise.all([1, 2, 3, 4].map(() => sources.call(source, 'act')));
    const renewals = oauth.tokenRequests.filter((asked) => asked.get('grant_type') === 'refresh_token');
    expect(renewals.map((asked) => asked.get('refresh_token'))).toEqual([before?.refresh]);
    expect(sources.keeper.find('peer')?.refresh).not.toBe(before?.refresh);
  });

  it('that has ended says what to do, and keeps nothing', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    await sources.call(source, 'act');
    const secrets = Object.values(sources.keeper.find('peer') ?? {});
    oauth.expire();
    oauth.endSignIn();
    const said = await words(sources.call(source, 'act'));
    expect(said).toContain('E3307');
    expect(said).toContain('has ended. Choose “Sign in…”');
    for (const secret of secrets) if (typeof secret === 'string') expect(said).not.toContain(secret);
    expect(signInOf(source).state.kind).toBe('wanted');
    expect(sources.keeper.all.size).toBe(0);
  });

  it('asks for more where a call wants more', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    oauth.wantScope('tools:write');
    expect(await words(sources.call(source, 'act'))).toMatch(/E3307.*|.*more than yours is/u);
    expect(signInOf(source).state.kind).toBe('wanted');
    const at = signInOf(source);
    await at.begin();
    expect(new URL(at.address ?? '').searchParams.get('scope')).toBe('tools:use tools:write');
    await fetch(await oauth.consent(at.address ?? ''));
    await until(source, ({ state }) => state.kind === 'signed-in');
    expect((await sources.call(source, 'act')).content).toBe('fine');
  });

  it('ends where the person wants it to: forgotten here, revoked there', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    expect(await signInOf(source).signOut()).toBeNull();
    expect(oauth.revoked).toEqual(['refresh_token', 'access_token']);
    expect(sources.keeper.all.size).toBe(0);
    expect(await words(source.offer(always))).toContain('wants you to sign in');
    expect(oauth.authorizations.at(-1)).toBeUndefined();
  });

  it('without a key store does not begin, and says so', async () => {
    await using sources = await openTestSources();
    const oauth = await openOAuth();
    const source = sources.open({ url: oauth.url });
    sources.keeper.unavailable = 'Signing in needs the system’s key store, and there is none.';
    expect(await words(signInOf(source).begin())).toContain('key store');
    expect(oauth.heard).toEqual([]);
  });

  it('of one address is no sign-in at another, whatever that one calls itself', async () => {
    await using sources = await openTestSources();
    const [mine, other] = [await openOAuth(), await openOAuth()];
    const source = sources.open({ url: mine.url });
    await signIn(source, mine);
    const moved = sources.open({ url: other.url });
    expect(await words(moved.offer(always))).toContain('wants you to sign in');
    expect(other.authorizations.every((each) => each === undefined)).toBe(true);
  });

  it('is not there where the settings give a key', async () => {
    await using sources = await openTestSources({ mine: 'a-key' });
    const source = sources.open({ url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer secret:mine' } });
    expect(source.signIn).toBeNull();
  });
});

describe('Who comes back from the browser', () => {
  const begun = async (sources: TestSources, lies: Lies = {}) => {
    const oauth = await openOAuth(lies);
    const source = sources.open({ url: oauth.url });
    const at = signInOf(source);
    await at.begin();
    return { oauth, source, at, back: await oauth.consent(at.address ?? '') };
  };

  it('without the state, with another, or with two ends nothing and learns nothing', async () => {
    await using sources = await openTestSources();
    const { source, at, back, oauth } = await begun(sources);
    for (const change of [
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.set('state', 'another'),
      (url: URL) => url.searchParams.append('state', 'another'),
      (url: URL) => (url.pathname = '/'),
      (url: URL) => (url.pathname = `${url.pathname}/x`),
    ]) {
      const other = new URL(back);
      other.searchParams.set('code', 'of-another-tab');
      change(other);
      const response = await fetch(other);
      expect([response.status, await response.text()]).toEqual([404, expect.not.stringContaining('of-another-tab')]);
    }
    expect((await fetch(back, { method: 'POST' })).status).toBe(404);
    expect(oauth.tokenRequests).toEqual([]);
    expect(at.state.kind).toBe('under-way');
    expect((await fetch(back)).status).toBe(200);
    await until(source, ({ state }) => state.kind === 'signed-in');
    // Once: nobody listens any more.
    await expect(fetch(back)).rejects.toThrow('fetch failed');
  });

  it('under another name of this computer is not listened to', async () => {
    await using sources = await openTestSources();
    const { at, back } = await begun(sources);
    const renamed = new URL(back);
    renamed.hostname = 'localhost';
    const answer = await fetch(renamed)
      .then(({ status }) => status)
      .catch(() => 404);
    expect(answer).toBe(404);
    expect(at.state.kind).toBe('under-way');
  });

  it('after guessing again and again ends it', async () => {
    await using sources = await openTestSources();
    const { source, at, back } = await begun(sources);
    const other = new URL(back);
    other.searchParams.set('state', 'guessed');
    for (let tries = 0; tries < 40 && at.state.kind === 'under-way'; tries += 1)
      await fetch(other).catch(() => undefined);
    await until(source, ({ state }) => state.kind !== 'under-way');
    expect(at.state.problem).toContain('Sign in once more');
  });

  it('from somebody else than was asked (iss), or with a no, gives no key', async () => {
    await using sources = await openTestSources();
    for (const [change, said] of [
      [(url: URL) => url.searchParams.set('iss', 'https://elsewhere.example'), 'not who was asked'],
      [(url: URL) => url.searchParams.delete('iss'), 'not who was asked'],
      [(url: URL) => url.searchParams.set('error', 'access_denied'), 'refused there (access_denied)'],
      [(url: URL) => url.searchParams.delete('code'), 'no answer'],
      [(url: URL) => url.searchParams.set('code', 'x'.repeat(9000)), 'no answer'],
    ] as const) {
      const { source, at, back, oauth } = await begun(sources);
      change(back);
      await fetch(back);
      await until(source, ({ state }) => state.kind !== 'under-way');
      expect(at.state.problem).toContain(said);
      expect([oauth.tokenRequests.length, sources.keeper.all.size]).toEqual([0, 0]);
    }
  });

  it('with a code of another sign-in gives no key: the proof is another', async () => {
    await using sources = await openTestSources();
    const { oauth, source, at, back } = await begun(sources);
    const first = back.searchParams.get('code') ?? '';
    await at.begin();
    const second = await oauth.consent(at.address ?? '');
    second.searchParams.set('code', first);
    await fetch(second);
    await until(source, ({ state }) => state.kind !== 'under-way');
    expect(at.state.problem).toContain('You are not signed in');
    // What it said back is not in the words.
    expect(at.state.problem).not.toContain(first);
    expect(sources.keeper.all.size).toBe(0);
  });

  it('after the person stopped it finds nobody', async () => {
    await using sources = await openTestSources();
    const { at, back, oauth } = await begun(sources);
    at.cancel();
    await expect(fetch(back)).rejects.toThrow('fetch failed');
    expect([at.state.kind, oauth.tokenRequests.length]).toEqual(['none', 0]);
  });

  it('gets a key that can be one, or none is kept', async () => {
    await using sources = await openTestSources();
    for (const token of [
      { access_token: 'a b' },
      { access_token: 'x'.repeat(20_000) },
      { token_type: 'mac' },
      { access_token: 7 },
    ]) {
      const { source, at, back } = await begun(sources, { token: (mine) => ({ ...mine, ...token }) });
      await fetch(back);
      await until(source, ({ state }) => state.kind !== 'under-way');
      expect(at.state.problem).toContain('You are not signed in');
      expect(sources.keeper.all.size).toBe(0);
    }
  });
});

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
