import { describe, expect, it } from 'vitest';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { buildTermChips } from '../../../../domain/tool/term-words.js';
import { areSameTerms } from '../../../../domain/tool/terms.js';
import { configWith } from '../../../../process/process.test-support.js';
import { always, namesOf, NO_TOOL, openTestSources } from '../mcp.test-support.js';
import { openOAuth, signIn, signInOf, until, words } from './sign-in.test-support.js';

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
