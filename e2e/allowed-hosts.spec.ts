import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from './app.js';
import {
  approveAll,
  calls,
  command,
  COMMANDS_ALLOWED,
  expectStates,
  results,
  runBatch,
  sheet,
} from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

let site: Server;
let port = 0;

test.beforeAll(async () => {
  site = createServer((_request, response) => response.end('from the site\n'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  ({ port } = site.address() as AddressInfo);
});
test.afterAll(() => {
  site.closeAllConnections();
  site.close();
});

/** git is a program that knows nothing of us and speaks HTTP; what it says when it is refused names the status. */
const ask = (url: string): string => `git ls-remote ${url} 2>&1`;

test('A command reaches the hosts of the list and no other, and the window shows which it asked for', async ({
  launch,
}) => {
  const config = `${COMMANDS_ALLOWED}[tools.run_command]\nconfinement = "required"\nallowed_hosts = ["127.0.0.1"]\n`;
  const { page } = await launch({ files: {}, config });
  const allowed = `http://127.0.0.1:${port}/a.git`;
  await runBatch(page, [command(`${ask(allowed)}; ${ask('http://example.org/b.git')}; true`)]);
  await expect(sheet(page)).toContainText('Network: 127.0.0.1');
  await keepScreenshot(page, 'allowed-hosts-sheet');
  await approveAll(page);
  await expectStates(page, ['completed']);
  await calls(page)
    .first()
    .getByRole('button', { name: /run_command/ })
    .first()
    .click();
  const network = results(page).getByRole('list', { name: 'Network' });
  await expect(network.getByRole('listitem')).toHaveText([
    new RegExp(`127\\.0\\.0\\.1:${port}.*reached`),
    /example\.org:80.*refused: not among the hosts this command may reach/,
  ]);
  await expect(results(page).getByRole('region', { name: 'Result' })).toContainText('403');
  await expectAccessible(page);
  await keepScreenshot(page, 'allowed-hosts-result');
});

test('A host that can’t be meant is refused where it is typed, and nothing is lost', async ({ launch }) => {
  const { page, dataDir } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  const file = () => readFileSync(join(dataDir, 'config.toml'), 'utf8');
  await goTo(page, 'Settings');
  const setting = page.locator('[data-key="tools.run_command.allowed_hosts"]');
  await setting.getByRole('textbox').fill('example.com\nhttps://example.org/');
  await setting.getByRole('button', { name: 'Save' }).click();
  await expect(setting.getByText(/write it without “https:\/\/” and without a path/)).toBeVisible();
  await expect(setting.getByRole('textbox')).toHaveValue('example.com\nhttps://example.org/');
  expect(file()).toBe(COMMANDS_ALLOWED);
  await setting.getByRole('textbox').fill('example.com\nexample.org:443');
  await setting.getByRole('button', { name: 'Save' }).click();
  await expect.poll(file).toContain('"example.org:443"');
});
