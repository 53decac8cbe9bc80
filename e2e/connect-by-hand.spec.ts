import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

test('An agent connects with what the page shows, is seen there, and is put out by a new token', async ({ launch }) => {
  const { page, dataDir } = await launch({ files: { 'hello.txt': 'hello\n' } });
  await goTo(page, 'Agents');
  await page.getByRole('switch', { name: 'Serve MCP and HTTP' }).click();
  await expect(page.getByText('Serving on http')).toBeVisible();
  const setup = page.getByRole('region', { name: 'Connect by hand' });
  await expect(setup.getByText('claude mcp add')).toBeVisible();

  await setup.getByRole('combobox', { name: 'Client' }).click();
  await page.getByRole('option', { name: 'Another agent' }).click();
  await setup.getByRole('combobox', { name: 'Connection' }).click();
  await page.getByRole('option', { name: 'HTTP' }).click();
  const shown = (await setup.locator('pre').textContent()) ?? '';
  const [url = '', header = ''] = shown.split('\n');
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'visitor', version: '1.0' });
    const authorization = header.replace('Authorization: ', '');
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
    );
    return client;
  };
  const client = await connect();
  const result = await client.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } });
  expect(result.content).toEqual([{ type: 'text', text: 'hello\n' }]);

  const connected = page.getByRole('list', { name: 'Agents' });
  await expect(connected.getByText('visitor 1.0')).toBeVisible();
  await expect(connected.getByText('1 call')).toBeVisible();
  await page.getByRole('button', { name: 'Test the gateway' }).click();
  await expect(page.getByText('The gateway answers at')).toBeVisible();
  await setup.scrollIntoViewIfNeeded();
  await expectAccessible(page);
  await keepScreenshot(page, 'connect');

  const before = readFileSync(join(dataDir, 'gateway.json'), 'utf8');
  await page.getByRole('button', { name: 'Change the token' }).click();
  await expect(connected.getByRole('button', { name: 'Disconnect visitor 1.0' })).toHaveCount(0);
  // It was here, and with what it asked last.
  await expect(connected.getByRole('listitem', { name: 'visitor' })).toContainText('Not connected');
  await expect(connected.getByRole('button', { name: 'Read hello.txt' })).toBeVisible();
  expect(readFileSync(join(dataDir, 'gateway.json'), 'utf8')).not.toBe(before);
  await expect(connect()).rejects.toThrow();
  await client.close();
});
