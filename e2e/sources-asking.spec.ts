import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASKING_SERVER } from '../src-main/app/sources/asking-server.test-support.js';
import { startModelServer } from '../src-main/tests/model-server/model-server.test-support.js';
import { expect, type Gatehouse, makeFolder, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

/** Tries the tool from its own page, and approves that. */
async function ask({ page }: Gatehouse, what: string): Promise<void> {
  await goTo(page, 'Tools');
  await page.getByRole('list', { name: 'Tools', exact: true }).getByRole('button', { name: 'asker__ask' }).click();
  await page.getByRole('button', { name: 'Try it…' }).click();
  await page.getByRole('textbox', { name: /^what/ }).last().fill(what);
  const batch = page.getByRole('list', { name: 'Calls in this batch' });
  while ((await batch.locator('.gh-draft').count()) > 1)
    await batch.getByRole('button', { name: 'Remove' }).first().click();
  await page.getByRole('button', { name: /^Run batch/ }).click();
  const sheet = page.getByRole('dialog', { name: 'Approve tool calls' });
  await sheet.getByRole('button', { name: /^Approve Ctrl/ }).click();
  await sheet.getByRole('button', { name: 'Approve 1 high risk' }).click();
}

test('A server asks the person and the model in the midst of a call, and gets what they give; a crash leaves nothing', async ({
  launch,
}) => {
  await using model = await startModelServer();
  const folder = makeFolder('asker');
  writeFileSync(join(folder, 'server.mjs'), ASKING_SERVER);
  const config = `
[model]
provider = "openai-compatible"
model = "scripted-1"
base_url = "${model.baseUrl}"

[sources.asker]
kind = "mcp"
command = "node"
args = ["${join(folder, 'server.mjs')}"]
definitions = "first"
elicitation = true
sampling = true
`;
  let app = await launch({ config });
  const { page } = app;
  const results = page.getByRole('region', { name: 'Results' });
  const dialog = page.getByRole('dialog', { name: 'asker asks you' });
  await ask(app, 'form');
  await expect(dialog).toContainText('For its call ask');
  await expectAccessible(page);
  await keepScreenshot(page, 'server-question');
  // The way out has the focus: keys alone give nothing away.
  await expect(dialog.getByRole('button', { name: 'No answer' })).toBeFocused();
  await dialog.getByRole('textbox', { name: /Your name/ }).fill('Grace');
  await resize(app, 640, 720);
  await page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'));
  await expectAccessible(page);
  await keepScreenshot(page, 'server-question-640-dark');
  await resize(app, 1280, 900);
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(2));
  await page.waitForFunction(() => innerWidth === 640);
  await expect(dialog.getByRole('button', { name: 'Send answer' })).toBeInViewport({ ratio: 1 });
  await keepScreenshot(page, 'server-question-200-percent');
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(1));
  await dialog.getByRole('button', { name: 'Send answer' }).press('Enter');
  await expect(dialog).toHaveCount(0);
  await results.getByRole('button', { name: /^Completed asker__ask/ }).click();
  await expect(results).toContainText('Grace');

  model.script({ blocks: [{ text: 'Here I am.' }] });
  await ask(app, 'model');
  const sampling = page.getByRole('dialog', { name: 'asker wants to ask your model' });
  await expect(sampling).toContainText('Say “ready”.');
  await expect(sampling).toContainText('scripted-1');
  await expectAccessible(page);
  await keepScreenshot(page, 'server-sampling');
  expect(model.requests).toHaveLength(0);
  await sampling.getByRole('button', { name: 'Ask the model' }).click();
  const given = page.getByRole('dialog', { name: 'Give this answer to asker?' });
  await expect(given).toContainText('Here I am.');
  await keepScreenshot(page, 'server-sampling-answer');
  await given.getByRole('button', { name: 'Give back' }).click();
  await results
    .getByRole('button', { name: /^Completed asker__ask/ })
    .first()
    .click();
  await expect(results).toContainText('It asked the model scripted-1');

  await ask(app, 'form');
  await expect(dialog).toBeVisible();
  await app.kill();
  app = await launch({ dataDir: app.dataDir, workspace: app.workspace });
  await expect(app.page.getByRole('dialog', { name: 'Unfinished work' })).toBeVisible();
  await app.page.getByRole('button', { name: 'Discard results' }).click();
  await expect(app.page.getByRole('dialog')).toHaveCount(0);
});
