import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from './app.js';

test('The window opens on a workspace and says so in its title', async ({ gatehouse }) => {
  await expect(gatehouse.page.locator('#root > *').first()).toBeVisible();
  const title = await gatehouse.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle());
  expect(title).toBe(`${basename(gatehouse.workspace)} — Gatehouse`);
});

test('A clean end leaves a log and no complaint', async ({ launch }) => {
  const app = await launch();
  // Asked for while the driver is there: it may forget the process as soon as the app has ended.
  const child = app.electron.process();
  await app.close();
  expect(child.exitCode).toBe(0);
  expect(app.stderr()).toBe('');
  expect(existsSync(join(app.dataDir, 'gateway.json'))).toBe(false);
  const lines = readFileSync(join(app.dataDir, 'logs', 'gatehouse.log'), 'utf8')
    .trim()
    .split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toContain('Gatehouse ends');
});
