import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openOAuth, type TestOAuth } from '../src-main/tools/sources/mcp/sign-in/oauth-server.test-support.js';
import type { Gatehouse } from './app.js';
import { expect, test } from './key-store.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

const region = ({ page }: Gatehouse) => page.getByRole('region', { name: 'tracker', exact: true });
const config = (url: string) => `[sources.tracker]\nkind = "mcp"\nurl = "${url}"\ndefinitions = "first"\n`;

/** What would open in a browser is gathered instead. */
const gatherLinks = ({ electron }: Gatehouse) =>
  electron.evaluate(({ shell }) => {
    const gathered: string[] = [];
    Object.assign(globalThis, { opened: gathered });
    shell.openExternal = async (url: string) => void gathered.push(url);
  });
const linksOf = ({ electron }: Gatehouse): Promise<string[]> =>
  electron.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);

/** All that the app keeps, as text. */
function allOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('chromium') && statSync(join(folder, name)).isFile())
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

async function signIn(app: Gatehouse, oauth: TestOAuth): Promise<void> {
  await region(app).getByRole('button', { name: 'Sign in at tracker…' }).click();
  await expect(region(app)).toContainText(`Sign in at ${new URL(oauth.people).host}`);
  const before = (await linksOf(app)).length;
  await region(app).getByRole('button', { name: 'Open in browser' }).click();
  await expect(region(app)).toContainText('Waiting for you to come back');
  const links = await linksOf(app);
  expect(links).toHaveLength(before + 1);
  await fetch(await oauth.consent(links.at(-1) ?? ''));
  await expect(region(app)).toContainText('You are signed in by');
}

test('The person signs in at a server: shown first, kept in the key store alone, over after a start, and out again', async ({
  launch,
  keyStore,
}) => {
  const oauth = await openOAuth();
  try {
    let app = await launch({ ...keyStore.options, config: config(oauth.url) });
    await gatherLinks(app);
    await goTo(app.page, 'Tools');
    await expect(region(app)).toContainText('wants you to sign in');
    await region(app).getByRole('button', { name: 'Sign in at tracker…' }).click();
    await expect(region(app)).toContainText(`Sign in at ${new URL(oauth.people).host}`);
    await expect(region(app)).toContainText(`${oauth.people}/authorize?`);
    // Nothing opens by itself.
    expect(await linksOf(app)).toEqual([]);
    await expectAccessible(app.page);
    await keepScreenshot(app.page, 'source-sign-in');
    await resize(app, 640, 720);
    await expectAccessible(app.page);
    await keepScreenshot(app.page, 'source-sign-in-640');
    await app.page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'));
    await expectAccessible(app.page);
    await keepScreenshot(app.page, 'source-sign-in-dark');
    await resize(app, 1280, 800);
    await region(app).getByRole('button', { name: 'Cancel' }).click();

    await signIn(app, oauth);
    await expect(region(app)).toContainText('1 tool ·');
    await keepScreenshot(app.page, 'source-signed-in');
    const [key] = oauth.authorizations.flatMap((each) => each?.slice('Bearer '.length) ?? []);
    expect(key).toMatch(/^access-/u);
    await app.close();
    const kept = allOf(app.dataDir);
    expect(kept).toContain('gatehouse:sign-in:tracker:access');
    for (const secret of ['access-', 'refresh-']) expect(kept).not.toContain(secret);

    app = await launch({ ...keyStore.options, dataDir: app.dataDir });
    await gatherLinks(app);
    await goTo(app.page, 'Tools');
    await region(app).getByRole('button', { name: 'Start tracker' }).click();
    await expect(region(app)).toContainText('Running');
    expect(oauth.authorizations.at(-1)).toBe(`Bearer ${key}`);

    await region(app).getByRole('button', { name: 'Sign out of tracker' }).click();
    await expect(region(app)).not.toContainText('You are signed in');
    await expect.poll(() => oauth.revoked).toEqual(['refresh_token', 'access_token']);
    await region(app)
      .getByRole('button', { name: /tracker$/ })
      .first()
      .click();
    await expect(region(app)).toContainText('wants you to sign in');
    await signIn(app, oauth);
    await app.close();
    expect(`${app.stderr()}${allOf(app.dataDir)}`).not.toMatch(/(?:access|refresh|code)-[\w-]{30}/u);
  } finally {
    oauth.close();
  }
});

test('Without a key store there is no signing in, and that is said', async ({ launch }) => {
  const oauth = await openOAuth();
  try {
    const app = await launch({ config: config(oauth.url) });
    await goTo(app.page, 'Tools');
    await region(app).getByRole('button', { name: 'Sign in at tracker…' }).click();
    await expect(region(app)).toContainText('Signing in needs the system’s key store');
    expect(oauth.heard.every((each) => each === 'POST tools/mcp')).toBe(true);
  } finally {
    oauth.close();
  }
});
