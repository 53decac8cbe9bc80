import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PLACE_BESIDE } from '../src-main/process/place-beside.test-support.js';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, projectDir, test, writeFiles } from './app.js';
import { sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot, lookAt } from './look.js';
import { goTo, watchForFaults } from './places.js';

const config = '[tools.approval]\ndenylist = []\ncommands = "sandbox"\n';

const folders: string[] = [];
test.afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with notes.txt, neither below /tmp, of which a command has its own, nor in a home, which asks at once. */
function folderOutside(): string {
  const outside = mkdtempSync(join(PLACE_BESIDE ?? projectDir, 'gatehouse-outside-'));
  folders.push(outside);
  writeFiles(outside, { 'notes.txt': 'from outside\n' });
  return outside;
}

/** Python that prints notes.txt of a folder, whose path is put together as it runs. */
function reading(folder: string): string {
  const names = [...folder.split('/'), 'notes.txt'].map((name) => `'${name}'`);
  return `print(open('/'.join([${names.join(', ')}])).read())`;
}

test('A folder that a command lacked is let by a switch on its sheet, small, at twice the size, by the keyboard alone', async ({
  launch,
}) => {
  const app = await launch({ files: {}, flags: ['--gateway'], config });
  const { page } = app;
  const faults = watchForFaults(page);
  const outside = folderOutside();
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const command = `python3 -c "${reading(outside)}"`;
  const failed = await callTool(agent, 'run_command', { command });
  expect(failed).toMatchObject({ isError: true });
  const again = callTool(agent, 'run_command', { command });
  const allowed = sheet(page).getByRole('switch', { name: /^This call may read / });
  await expect(allowed).toBeVisible();
  await expect(allowed).not.toBeChecked();
  for (const [width, height, zoom] of [
    [1280, 800, 1],
    [640, 480, 1],
    [1280, 800, 2],
  ] as const) {
    await lookAt(app, width, height, zoom);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    await expect(
      sheet(page)
        .getByRole('button', { name: /^Approve/ })
        .first(),
    ).toBeInViewport({ ratio: 1 });
    await keepScreenshot(page, `read-grant-${width}-${zoom}`);
  }
  await sheet(page).focus();
  for (let at = 0; at < 40; at += 1) {
    if (await allowed.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('Tab');
  }
  await expect(allowed).toBeFocused();
  await expect(allowed).toBeInViewport();
  await page.keyboard.press('Space');
  await expect(allowed).toBeChecked();
  await keepScreenshot(page, 'read-grant-on');
  // No press counts in the first half second after a change of what is approved.
  await expect(async () => {
    await page.keyboard.press('Control+Enter');
    await expect(sheet(page)).toBeHidden({ timeout: 300 });
  }).toPass();
  expect(await again).toMatchObject({ isError: false, text: expect.stringContaining('from outside') });
  expect(faults()).toEqual([]);
  await agent.close();
});

test('The place goes into the rule that is made as it is approved, by a switch, and stands with the rule', async ({
  launch,
}) => {
  const outside = folderOutside();
  const script = `${reading(outside)}\n`;
  const app = await launch({ files: { 'look.py': script }, flags: ['--gateway'], config });
  const { page } = app;
  const faults = watchForFaults(page);
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const ask = () => callTool(agent, 'run_command', { command: 'python3 look.py' });
  expect(await ask()).toMatchObject({ isError: true });
  const again = ask();
  await sheet(page)
    .getByRole('switch', { name: /^This call may read / })
    .click();
  await sheet(page).getByRole('button', { name: 'Approve and always…' }).click();
  const rule = page.getByRole('region', { name: 'Rule', exact: true });
  // As it is for the call, so it is for the rule at first.
  await expect(rule.getByRole('switch', { name: /^May read \// })).toBeChecked();
  await expectAccessible(page);
  await keepScreenshot(page, 'read-grant-rule');
  await expect(async () => {
    if (await rule.isVisible()) await rule.getByRole('button', { name: 'Approve and make rule' }).click();
    await expect(sheet(page)).toBeHidden({ timeout: 1000 });
  }).toPass();
  expect(await again).toMatchObject({ isError: false, text: expect.stringContaining('from outside') });
  expect(await ask()).toMatchObject({ isError: false, text: expect.stringContaining('from outside') });
  await goTo(page, 'Rules');
  await expect(page.locator('tr', { hasText: 'python3 look.py' })).toContainText('May read /');
  expect(faults()).toEqual([]);
  await agent.close();
});
