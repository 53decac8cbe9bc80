import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../src-main/tests/model-server/model-server.test-support.js';
import { canary } from './canaries.js';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

/** Every file's text below a folder. */
function textsIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) =>
      statSync(path).isDirectory() ? textsIn(path) : statSync(path).isFile() ? readFileSync(path, 'latin1') : '',
    )
    .join('\n');
}

test('A model is given a key for its address, listed, chosen and tried; the key goes there and nowhere else', async ({
  launch,
}) => {
  await using server = await startModelServer();
  await using other = await startModelServer();
  const key = canary();
  server.otherwise(() => ({ blocks: [{ text: 'ready' }] }));
  other.otherwise(() => ({ status: 401, body: { error: { message: 'no key' } } }));
  const config = `[model]\nprovider = "openai-compatible"\nbase_url = "${server.baseUrl}"\n`;
  const { page, dataDir } = await launch({ files: {}, config });
  await goTo(page, 'Settings');
  const section = page.getByRole('region', { name: 'Model', exact: true });
  await section.getByLabel('API key for this address').fill(key);
  await section.getByRole('button', { name: 'Keep this key' }).click();
  await expect(section.getByText('A key for this address is kept.')).toBeVisible();

  await section.getByRole('button', { name: 'List models' }).click();
  const models = section.getByRole('list', { name: 'Models' });
  await expect(models.getByRole('listitem')).toHaveCount(2);
  await models.getByRole('button', { name: 'Use scripted-2' }).click();
  await expect.poll(() => readFileSync(join(dataDir, 'config.toml'), 'utf8')).toContain('model = "scripted-2"');
  await section.getByRole('button', { name: 'Try it' }).click();
  await expect(section.getByText(/scripted-2 answered in .* “ready”/)).toBeVisible();
  expect(server.requests.map(({ body, headers }) => [body['model'], headers.authorization])).toEqual([
    ['scripted-2', `Bearer ${key}`],
  ]);
  expect(server.listings[0]?.headers.authorization).toBe(`Bearer ${key}`);
  await expectAccessible(page);
  await section.scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'settings-model');

  // The same settings, another address.
  const address = section.getByRole('textbox', { name: 'Address', exact: true });
  await address.fill(other.baseUrl);
  await address.press('Enter');
  await expect(section.getByText('A key is only needed where the server asks for one.')).toBeVisible();
  await section.getByRole('button', { name: 'Try it' }).click();
  await expect(section.getByText('does not accept the API key')).toBeVisible();
  expect(JSON.stringify([other.requests, other.listings])).not.toContain(key);
  expect(other.requests).toHaveLength(1);
  expect(textsIn(join(dataDir, 'logs'))).not.toContain(key);
  expect(await page.content()).not.toContain(key);
});

test('A key from a variable goes to the address beside it, and the page says so where that is changed', async ({
  launch,
}) => {
  await using server = await startModelServer();
  await using other = await startModelServer();
  const key = canary();
  for (const each of [server, other]) each.otherwise(() => ({ blocks: [{ text: 'ready' }] }));
  const config = `[model]\nprovider = "openai-compatible"\nbase_url = "${server.baseUrl}"\nmodel = "m"\napi_key_env = "OF_THE_MODEL"\n`;
  const { page } = await launch({ files: {}, config, env: { OF_THE_MODEL: key } });
  await goTo(page, 'Settings');
  const section = page.getByRole('region', { name: 'Model', exact: true });
  await expect(section).toContainText(
    'A key that comes from the API key variable goes to whatever address stands here.',
  );
  const moved = section.getByText('The key comes from the variable, and goes along when you change the address.');
  await expect(moved).toBeVisible();
  const address = section.getByRole('textbox', { name: 'Address', exact: true });
  await address.fill(other.baseUrl);
  await address.press('Enter');
  await expect(section.getByText(`Requests go to ${other.baseUrl}`)).toBeVisible();
  await expect(moved).toBeVisible();
  await section.getByRole('button', { name: 'Try it' }).click();
  await expect(section.getByText(/m answered in/)).toBeVisible();
  expect(server.requests).toEqual([]);
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
  await keepScreenshot(page, 'settings-model-variable');
});

test('A temperature may be set, and left out again', async ({ launch }) => {
  const { page, dataDir } = await launch({ files: {} });
  const kept = () => readFileSync(join(dataDir, 'config.toml'), 'utf8');
  await goTo(page, 'Settings');
  const field = page.getByRole('textbox', { name: 'Temperature' });
  await expect(field).toHaveValue('');
  await field.fill('2.5');
  await field.press('Enter');
  await expect(page.getByText('Must be 2 or less.')).toBeVisible();
  await field.fill('0.5');
  await field.press('Enter');
  await expect.poll(kept).toContain('temperature = 0.5');
  await expect(field).toHaveValue('0.5');
  await field.fill('');
  await field.press('Enter');
  await expect.poll(kept).not.toContain('temperature');
  await expect(field).toHaveValue('');
});
