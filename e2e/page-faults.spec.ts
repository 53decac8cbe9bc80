import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Gatehouse, test } from './app.js';
import { keepScreenshot } from './look.js';
import { goTo } from './places.js';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly part?: string;
  readonly words?: string;
  readonly stack?: string;
}

const MESSAGE = 'Something in the window’s page failed';

const faultsIn = ({ dataDir }: Gatehouse): readonly Line[] =>
  readFileSync(join(dataDir, 'logs', 'gatehouse.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ message }) => message === MESSAGE);

/** The page is told what no sane main says: of the app's state, nothing. */
async function sayNonsense({ electron, page }: Gatehouse): Promise<void> {
  const seq = await page.evaluate(async () => {
    const shown = await window.gatehouse.client['app.snapshot']({});
    return shown.ok ? shown.value.seq : 0;
  });
  await electron.evaluate(({ BrowserWindow }, at) => {
    for (const { webContents } of BrowserWindow.getAllWindows())
      webContents.send('gatehouse:event', [{ type: 'status', status: {}, seq: at }]);
  }, seq + 1);
}

test('A fault of the page stands in the log, without secrets and bounded', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const secret = ['sk', 'ant', 'api03', 'A1b2C3d4'.repeat(6)].join('-');
  await page.evaluate((key) => {
    setTimeout(() => {
      throw new RangeError(`thrown with ${key}`);
    });
    void Promise.reject(new TypeError(`rejected ${'far '.repeat(50_000)}`));
  }, secret);
  await expect
    .poll(() =>
      faultsIn(gatehouse)
        .map(({ part }) => part)
        .toSorted((one, other) => (one ?? '').localeCompare(other ?? '')),
    )
    .toEqual(['promise', 'script']);
  const faults = faultsIn(gatehouse);
  expect(faults.find(({ part }) => part === 'script')).toMatchObject({ level: 'error' });
  expect(faults.find(({ part }) => part === 'promise')?.words).toMatch(/^TypeError: rejected far /);
  expect(JSON.stringify(faults)).not.toContain(secret);
  for (const { words, stack } of faults)
    expect((words?.length ?? 0) + (stack?.length ?? 0)).toBeLessThanOrEqual(10_000);
  // One that never ends leaves the log to others.
  await page.evaluate(() => {
    for (let at = 0; at < 500; at += 1) void Promise.reject(new Error(`again ${at}`));
  });
  await expect.poll(() => faultsIn(gatehouse).length).toBe(20);
});

test('A page that can’t be drawn says so in the log, and is got back without ending the app', async ({ gatehouse }) => {
  const { page, electron } = gatehouse;
  await goTo(page, 'History');
  await sayNonsense(gatehouse);
  const broken = page.getByRole('alert').filter({ hasText: 'The window can’t be shown' });
  await expect(broken).toBeVisible();
  await expect
    .poll(() => faultsIn(gatehouse).some(({ part, stack }) => part === 'drawing' && stack?.includes(' at ')))
    .toBe(true);
  await keepScreenshot(page, 'window-broken');
  await broken.getByRole('button', { name: 'Reload the window' }).press('Enter');
  await expect(page.getByRole('navigation')).toBeVisible();
  await goTo(page, 'Settings');

  // Where not even that can be drawn, the menu does it.
  await sayNonsense(gatehouse);
  await expect(broken).toBeVisible();
  await electron.evaluate(({ Menu }) => {
    const views = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? [];
    views.find(({ label }) => label === 'Reload window')?.click();
  });
  await expect(page.getByRole('navigation')).toBeVisible();
});
