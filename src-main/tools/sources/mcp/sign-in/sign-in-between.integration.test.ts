import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { always, openTestSources } from '../mcp.test-support.js';
import type { Lies } from './oauth-server.test-support.js';
import { openOAuth, signIn, signInOf, until, words } from './sign-in.test-support.js';

/** An answer that comes when the test lets it. */
function held() {
  const came = Promise.withResolvers<{ readonly response: ServerResponse; readonly body: string }>();
  return {
    came: came.promise,
    answer: (response: ServerResponse, _at: unknown, body: string) => came.resolve({ response, body }),
  };
}

const json = (response: ServerResponse, value: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const KEYS = { access_token: 'late-access', refresh_token: 'late-refresh', token_type: 'Bearer', expires_in: 3600 };

describe('What comes too late', () => {
  it('a key that was asked for before the person stopped it is nobody’s', async () => {
    await using sources = await openTestSources();
    const exchange = held();
    const oauth = await openOAuth({ answers: { '/token': exchange.answer } });
    const source = sources.open({ url: oauth.url });
    const at = signInOf(source);
    await at.begin();
    await fetch(await oauth.consent(at.address ?? ''));
    const { response } = await exchange.came;
    const left = new Promise((resolve) => response.once('close', resolve));
    at.cancel();
    await left;
    json(response, KEYS);
    expect([at.state.kind, at.state.problem, sources.keeper.all.size]).toEqual(['none', null, 0]);
  });

  it('a key that was renewed while the person signed out is nobody’s', async () => {
    await using sources = await openTestSources();
    const lies: Lies = {};
    const oauth = await openOAuth(lies);
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    await sources.call(source, 'act');
    const renewal = held();
    lies.answers = { '/token': renewal.answer };
    oauth.expire();
    const called = words(sources.call(source, 'act'));
    const { response } = await renewal.came;
    await signInOf(source).signOut();
    json(response, KEYS);
    expect(await called).toContain('You signed out of');
    expect(sources.keeper.all.size).toBe(0);
  });

  it('what began before it was stopped, or begun anew, ends, and nobody listens for it', async () => {
    await using sources = await openTestSources();
    const registration = held();
    const lies: Lies = { answers: { '/register': registration.answer } };
    const oauth = await openOAuth(lies);
    const source = sources.open({ url: oauth.url });
    const at = signInOf(source);
    const begun = words(at.begin());
    const { response, body } = await registration.came;
    const [returnTo = ''] = (JSON.parse(body) as { readonly redirect_uris: readonly string[] }).redirect_uris;
    expect((await fetch(returnTo)).status).toBe(404);
    at.cancel();
    json(response, { client_id: 'late', redirect_uris: [returnTo] }, 201);
    expect(await begun).toContain('was stopped');
    await expect(fetch(returnTo)).rejects.toThrow('fetch failed');
    expect([at.state.kind, at.address]).toEqual(['none', null]);

    lies.answers = {};
    await at.begin();
    const first = await oauth.consent(at.address ?? '');
    await at.begin();
    const second = await oauth.consent(at.address ?? '');
    await expect(fetch(first)).rejects.toThrow('fetch failed');
    // Nobody can know what it will be.
    const states = [first, second].map((back) => back.searchParams.get('state') ?? '');
    expect(new Set(states).size).toBe(2);
    for (const state of states) expect(state.length).toBeGreaterThanOrEqual(43);
    await at.signOut();
    await expect(fetch(second)).rejects.toThrow('fetch failed');
    expect(at.state.kind).toBe('none');
  });

  it('one that can’t begin leaves nobody listening', async () => {
    await using sources = await openTestSources();
    let returnTo = '';
    const oauth = await openOAuth({
      answers: {
        '/register': (response, _at, body) => {
          [returnTo = ''] = (JSON.parse(body) as { readonly redirect_uris: readonly string[] }).redirect_uris;
          json(
            response,
            { error: 'invalid_client_metadata', error_description: `\u001b[31m${'no '.repeat(400)}` },
            400,
          );
        },
      },
    });
    const source = sources.open({ url: oauth.url });
    const said = await words(signInOf(source).begin());
    expect(said.length).toBeLessThan(500);
    expect(said).not.toContain('\u001b');
    expect(returnTo).toMatch(/^http:\/\/127\.0\.0\.1:/u);
    await expect(fetch(returnTo)).rejects.toThrow('fetch failed');
  });
});

describe('Renewing a key', () => {
  it('that fails for now forgets nothing; what it said has no key in it', async () => {
    await using sources = await openTestSources();
    const lies: Lies = {};
    const oauth = await openOAuth(lies);
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    await sources.call(source, 'act');
    const refresh = sources.keeper.find('peer')?.refresh ?? '';
    for (const [status, value] of [
      [503, { error: 'temporarily_unavailable', error_description: `not now, ${refresh}` }],
      [400, { error: 'server_error', error_description: `not now, ${refresh}` }],
      [500, { oh: refresh }],
    ] as const) {
      lies.answers = { '/token': (response) => json(response, value, status) };
      oauth.expire();
      const said = await words(sources.call(source, 'act'));
      expect(said).toContain('Try again later');
      expect(said).not.toContain(refresh);
      expect(sources.keeper.find('peer')?.refresh).toBe(refresh);
    }
    lies.answers = {};
    expect((await sources.call(source, 'act')).content).toBe('fine');
  });

  it('to one that is not taken either ends the sign-in; a new one begins with nothing against it', async () => {
    await using sources = await openTestSources();
    const lies: { -readonly [Name in keyof Lies]: Lies[Name] } = {};
    const oauth = await openOAuth(lies);
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    await sources.call(source, 'act');
    // Signed in anew, and the first that is asked with that key needs another already.
    await signIn(source, oauth);
    oauth.expire();
    expect((await sources.call(source, 'act')).content).toBe('fine');
    lies.token = (mine) => ({ ...mine, access_token: 'of-nobody' });
    oauth.expire();
    const said = [await words(sources.call(source, 'act')), await words(sources.call(source, 'act'))].join(' ');
    expect(said).toMatch(/does not take your sign-in any more|wants you to sign in/u);
    expect(sources.keeper.all.size).toBe(0);
    const renewals = oauth.tokenRequests.filter((asked) => asked.get('grant_type') === 'refresh_token');
    expect(renewals).toHaveLength(2);
  });

  it('asks where the person signed in, and not where it would be by custom', async () => {
    await using sources = await openTestSources();
    let keys = 0;
    const oauth = await openOAuth({
      metadata: (mine, { people }) => ({ ...mine, token_endpoint: `${people}/keys/here` }),
      answers: {
        '/keys/here': (response) =>
          json(response, { ...KEYS, access_token: `a-${(keys += 1)}`, refresh_token: `r-${keys}` }),
      },
    });
    const source = sources.open({ url: oauth.url });
    await signIn(source, oauth);
    await words(source.offer(always));
    expect(oauth.heard.filter((each) => each === 'POST people/keys/here').length).toBeGreaterThanOrEqual(2);
    expect(oauth.heard).not.toContain('POST people/token');
  });
});

it('what a server says back of a code or a proof is not in the words', async () => {
  await using sources = await openTestSources();
  const asked: URLSearchParams[] = [];
  const oauth = await openOAuth({
    answers: {
      '/token': (response, _at, body) => {
        asked.push(new URLSearchParams(body));
        json(response, { error: 'invalid_grant', error_description: `got ${body}` }, 400);
      },
    },
  });
  const source = sources.open({ url: oauth.url });
  const at = signInOf(source);
  await at.begin();
  await fetch(await oauth.consent(at.address ?? ''));
  await until(source, ({ state }) => state.kind !== 'under-way');
  expect(at.state.problem).toContain('You are not signed in');
  for (const name of ['code', 'code_verifier']) expect(at.state.problem).not.toContain(asked[0]?.get(name) ?? 'none');
});

it('who takes part besides is named, and a scope without end is not asked for', async () => {
  await using sources = await openTestSources();
  const oauth = await openOAuth({
    metadata: (mine) => ({ ...mine, token_endpoint: 'https://keys.example/token' }),
    challenge: (mine) => mine.replace('Bearer ', `Bearer scope="${'x'.repeat(2000)}", `),
  });
  const source = sources.open({ url: oauth.url });
  expect(await words(source.offer(always))).toContain('wants you to sign in');
  const at = signInOf(source);
  await at.begin();
  expect(at.state.others).toEqual(['keys.example']);
  expect(new URL(at.address ?? '').searchParams.get('scope')).toBe('tools:use');
  at.cancel();
});

it('a refusal for another reason is no reason to sign in anew', async () => {
  await using sources = await openTestSources();
  const lies: Lies = {};
  const oauth = await openOAuth(lies);
  const source = sources.open({ url: oauth.url });
  await signIn(source, oauth);
  await sources.call(source, 'act');
  lies.answers = {
    'tools:/mcp': (response) =>
      void response.writeHead(403, { 'www-authenticate': 'Bearer error="access_denied", scope="more"' }).end('{}'),
  };
  await words(sources.call(source, 'act'));
  expect(signInOf(source).state.kind).toBe('signed-in');
});
