import { describe, expect, it } from 'vitest';
import { openTestSources, type TestSources } from '../mcp.test-support.js';
import type { Lies } from './oauth-server.test-support.js';
import { openOAuth, signInOf, until } from './sign-in.test-support.js';

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
