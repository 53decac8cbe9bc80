import { expect, test } from './app.js';
import { sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';
import { scriptMain } from './scripted-main.js';
import { runningCall, sampleAsk, sampleCall, sampleDetail, sampleSheet } from './window-samples.js';

/** A program that asks over HTTP, for somebody. */
const WHO = { door: 'gateway', client: null, agent: 'builder', tenant: 'acme', user: 'ada\u202e' } as const;
const SHOWN = 'for ada\\u{202e} at acme';

test('Whoever asks over HTTP is shown as agent, tenant and user wherever an asker is, and can be stopped', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  const here = { ...WHO, session: 'http-1', workspace: gatehouse.workspace };
  const running = runningCall('async-1', { ...here, batchId: 'async-batch' });
  const over = sampleCall('over-1', here);
  await main.answer('calls.list', { calls: [over], next: null });
  await main.answer('calls.get', sampleDetail(over));
  await main.answer('activity.sessions', { sessions: [], complete: true });
  await main.show({
    calls: [over, running],
    approvals: [sampleSheet([sampleAsk('ask-1')], { ...WHO, session: 'http-2' })],
  });
  await expect(sheet(page)).toContainText(`builder via HTTP, ${SHOWN}`);
  const strip = page.getByRole('region', { name: 'Running', exact: true });
  await expect(strip).toContainText(`builder, ${SHOWN} · HTTP`);
  await goTo(page, 'Activity');
  const own = page.getByRole('region', { name: 'builder', exact: true });
  await expect(own.locator('[data-call-id="async-1"]')).toContainText(SHOWN);
  await expect(own.locator('[data-call-id="over-1"]')).toContainText(SHOWN);
  await expectAccessible(page);
  await keepScreenshot(page, 'for-whom-activity');
  await strip.getByRole('button', { name: /^Stop/ }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => main.asked('calls.stop')).toEqual([{ name: 'calls.stop', request: { callId: 'async-1' } }]);
  await goTo(page, 'History');
  await expect(page.locator('tr[data-call-id="over-1"]')).toContainText(`builder, ${SHOWN} · HTTP`);
  await page.locator('tr[data-call-id="over-1"]').click();
  const detail = page.getByRole('complementary', { name: 'Call details' });
  await detail.getByRole('button', { name: 'More' }).click();
  await expect(detail).toContainText(`builder via HTTP, ${SHOWN}`);
  await expectAccessible(page);
  await keepScreenshot(page, 'for-whom-history');
  await resize(gatehouse, 640, 700);
  // In so narrow a window the details lie over all.
  await expect(page.getByRole('dialog', { name: 'Call details' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Call details' })).toHaveCount(0);
  await goTo(page, 'Activity');
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await expectAccessible(page);
  await keepScreenshot(page, 'for-whom-640');
});
