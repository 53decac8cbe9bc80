import { expect, test } from './app.js';
import { answers, command, COMMANDS_ALLOWED, denyAll, runBatch, sheet, stood, write } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

const FILES = { 'docs/a.md': 'kept\n', 'a.txt': 'one\ntwo\n' };

test('It stands beside the page and blocks nothing; its answers are in sight at 640 × 400 and at 200 %', async ({
  launch,
}) => {
  test.setTimeout(120_000);
  const app = await launch({ files: FILES, config: COMMANDS_ALLOWED });
  const { page } = app;
  await runBatch(page, [
    write('one.txt', 'line\n'.repeat(200)),
    command('echo x > out.txt && rm -rf build'),
    write('two.txt'),
  ]);
  await stood(page);
  await goTo(page, 'History');
  await page.getByRole('searchbox', { name: 'Search calls' }).fill('one');
  await expect(page.getByRole('table', { name: 'Calls' })).toContainText('one.txt');
  await expect(sheet(page)).toBeVisible();
  await page.keyboard.press('Control+j');
  await expect(sheet(page).getByRole('listbox', { name: 'Calls' })).toBeFocused();
  for (const [width, height, name] of [
    [1280, 800, 'wide'],
    [900, 700, 'middle'],
    [640, 800, 'narrow'],
    [640, 400, 'small'],
  ] as const) {
    await resize(app, width, height);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      for (const button of await answers(page).getByRole('button').all())
        await expect(button).toBeInViewport({ ratio: 1 });
      // Where there is little height, the question takes the page, which is there again when there is more.
      await expect(page.getByRole('searchbox', { name: 'Search calls' })).toBeVisible({ visible: height >= 500 });
      await expectAccessible(page);
      await keepScreenshot(page, `sheet-${name}-${theme}`);
    }
  }
  await resize(app, 1280, 800);
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(2));
  await page.waitForFunction(() => innerWidth === 640);
  for (const button of await answers(page).getByRole('button').all()) await expect(button).toBeInViewport({ ratio: 1 });
  await keepScreenshot(page, 'sheet-zoomed');
  await denyAll(page);
  await expect(sheet(page)).toHaveCount(0);
});
