import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, type Gatehouse, projectDir, test } from './app.js';
import { approveAll, command, COMMANDS_ALLOWED, expectStates, results, runBatch } from './compose-door.js';

const RAW_PRELOAD = join(projectDir, 'e2e', 'hostile', 'raw-preload.cjs');

/** Gives every page from now on a way round the bridge, and loads ours again with it. */
async function breakOut({ electron, page }: Gatehouse): Promise<void> {
  await electron.evaluate(({ session }, filePath) => {
    session.defaultSession.registerPreloadScript({ type: 'frame', filePath });
  }, RAW_PRELOAD);
  await page.reload();
}

const raw = (page: Page, ...args: unknown[]): Promise<unknown> =>
  page.evaluate(
    (given) => (window as unknown as { raw: (...args: unknown[]) => Promise<unknown> }).raw(...given),
    args,
  );

test.describe('A page that broke out of its bridge', () => {
  test('is answered only on channels of the contract, by their own names', async ({ gatehouse }) => {
    await breakOut(gatehouse);
    expect(await raw(gatehouse.page, 'app.snapshot', '{}')).toMatchObject({ ok: true });
    for (const name of ['app.nothing', '__proto__', 'constructor', 'toString', '', 7, null, ['app.snapshot']]) {
      expect(await raw(gatehouse.page, name, '{}')).toMatchObject({ ok: false, error: { code: 'bad-request' } });
    }
  });

  test('can’t send what the schema does not know', async ({ gatehouse }) => {
    await breakOut(gatehouse);
    const hostile = [
      ['app.snapshot', '{"extra":1}'],
      ['app.snapshot', 'not json'],
      ['app.snapshot', undefined],
      ['app.snapshot', { limit: 50 }],
      ['app.snapshot', '{"__proto__":{"polluted":true}}'],
      ['app.setTheme', '{"theme":"system","constructor":{"prototype":{"polluted":true}}}'],
      ['calls.get', '{"__proto__":{"callId":"x"}}'],
      ['calls.list', '{"limit":"50"}'],
      ['calls.list', `{"limit":50,"query":"${'a'.repeat(1001)}"}`],
      ['app.snapshot', '['.repeat(100_000)],
    ] as const;
    for (const [name, json] of hostile) {
      const answer = await raw(gatehouse.page, name, json);
      expect(answer, `${name} ${JSON.stringify(json)?.slice(0, 80)}`).toMatchObject({
        ok: false,
        error: { code: 'bad-request' },
      });
    }
    expect(await gatehouse.electron.evaluate(() => 'polluted' in {})).toBe(false);
    expect(await raw(gatehouse.page, 'app.snapshot', '{}')).toMatchObject({ ok: true });
  });

  test('is refused ten megabytes, and the app goes on', async ({ gatehouse }) => {
    await breakOut(gatehouse);
    const answer = await gatehouse.page.evaluate(async () => {
      const page = window as unknown as { raw: (name: string, json: string) => Promise<unknown> };
      return await page.raw('app.copyText', JSON.stringify({ text: 'x'.repeat(10 * 1024 * 1024) }));
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'bad-request' } });
    expect(JSON.stringify(answer)).toContain('8 MiB');
    expect(await raw(gatehouse.page, 'app.snapshot', '{}')).toMatchObject({ ok: true });
  });
});

test('Another window is refused, even one that shows the app’s own origin', async ({ gatehouse }) => {
  await breakOut(gatehouse);
  const other = gatehouse.electron.waitForEvent('window');
  await gatehouse.electron.evaluate(({ BrowserWindow }) => {
    void new BrowserWindow({ show: false }).loadURL('gatehouse://app/index.html');
  });
  const page = await other;
  await page.waitForURL('gatehouse://app/index.html');
  const answer = await raw(page, 'app.snapshot', '{}');
  expect(answer).toMatchObject({ ok: false, error: { code: 'refused' } });
});

test('Our window is refused while it shows another origin', async ({ gatehouse }) => {
  await breakOut(gatehouse);
  await gatehouse.electron.evaluate(({ BrowserWindow }) => {
    void BrowserWindow.getAllWindows()[0]?.loadURL('data:text/html,<p>elsewhere</p>');
  });
  await gatehouse.page.waitForURL(/^data:/);
  expect(await raw(gatehouse.page, 'app.snapshot', '{}')).toMatchObject({ ok: false, error: { code: 'refused' } });
});

test('A script in the page can neither ask for calls nor loosen settings: nobody pressed a key or clicked', async ({
  gatehouse: { page },
}) => {
  // What Playwright evaluates counts as a click of the person for some seconds; a script that comes in by itself has none.
  const [run, loosened, read] = await page.evaluate(async () => {
    while (navigator.userActivation.isActive) await new Promise((resolve) => setTimeout(resolve, 100));
    const { client } = window.gatehouse;
    return [
      await client['compose.run']({
        workspace: '',
        calls: [{ tool: 'list_directory', arguments: '{"path":"."}' }],
      }),
      await client['settings.set']({ key: 'tools.approval.mode', value: '"auto"' }),
      await client['settings.get']({}),
    ] as const;
  });
  expect(run).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(loosened).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(read.ok).toBe(true);
});

test('An answer that is lost on its way is told as lost: nobody waits for it for ever', async ({ launch }) => {
  const { page, electron } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runBatch(page, [command('echo kept')]);
  await approveAll(page);
  await expectStates(page, ['completed']);
  await results(page).getByRole('button', { name: 'Show all' }).click();
  const dialog = page.getByRole('region', { name: 'All output of run_command' });
  await electron.evaluate(({ ipcMain }) => {
    type Handle = Parameters<typeof ipcMain.handle>[1];
    const handlers: unknown = Reflect.get(ipcMain, '_invokeHandlers');
    const handle = handlers instanceof Map ? (handlers.get('gatehouse:request') as Handle | undefined) : undefined;
    if (handle === undefined) throw new Error('Electron keeps its handlers elsewhere now.');
    // Held, or Electron says itself at the next collection that nobody will answer.
    const held: unknown[] = [];
    Object.assign(globalThis, { held });
    ipcMain.removeHandler('gatehouse:request');
    ipcMain.handle('gatehouse:request', async (event, ...asked) => {
      const answer: unknown = await handle(event, ...asked);
      if (asked[0] !== 'calls.copyOutput') return answer;
      held.push(event);
      return await new Promise(() => undefined);
    });
  });
  await dialog.getByRole('button', { name: 'Copy all' }).click();
  await expect(dialog.getByRole('button', { name: 'Couldn’t copy' })).toBeVisible();
  expect(await electron.evaluate(({ clipboard }) => clipboard.readText())).toContain('kept');
});
