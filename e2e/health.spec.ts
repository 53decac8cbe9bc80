import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot, lookAt } from './look.js';
import { goTo, runCalls } from './places.js';
import { scriptMain } from './scripted-main.js';

test('Calls that ran are counted, and the numbers can be read without the picture', async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'a\n' } });
  await runCalls(page, [
    { tool: 'read_file', arguments: { path: 'a.txt' } },
    { tool: 'read_file', arguments: { path: '../b.txt' } },
  ]);
  await goTo(page, 'Health');
  const table = page.getByRole('table', { name: 'Duration' });
  await expect(table.getByRole('row', { name: /read_file/ })).toContainText('2');
  await expect(page.getByRole('figure', { name: 'How calls ended' })).toContainText('Completed 1');
  await expect(page.getByRole('figure', { name: 'How calls ended' })).toContainText('Denied 1');
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('figure', { name: 'Calls over time' }).getByRole('row')).not.toHaveCount(1);
  await page.getByRole('button', { name: 'Verify audit' }).click();
  await expect(page.getByRole('dialog', { name: 'Audit' }).getByText('Audit log verified')).toBeVisible();
});

test('A closed gate, missing confinement and a day of calls', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.answer('telemetry.get', busyDay());
  const before = await page.evaluate(() => window.gatehouse.client['app.snapshot']({}));
  if (!before.ok) throw new Error(before.error.message);
  await main.show({
    status: {
      ...before.value.status,
      journal: { state: 'failed', problem: 'The disk is full.' },
      confinement: { mode: 'required', available: false, problem: 'bubblewrap is not installed' },
    },
  });
  await goTo(page, 'Health');
  await expect(page.getByText('The journal can’t be written')).toBeVisible();
  await expect(page.getByText('Commands refused').first()).toBeVisible();
  await expect(page.getByText(/bubblewrap is not installed/).first()).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
    await keepScreenshot(page, `health-busy-${colorScheme}`);
  }
});

test('What commands see without asking is a list a kind, each path whole, in any room; missing, it says so', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.answer('telemetry.get', busyDay());
  await main.refuse('health.seen', 'unavailable', 'The folder is being opened.');
  await goTo(page, 'Health');
  const retry = page.getByRole('button', { name: 'Try again: What commands see can’t be looked up' });
  await expect(retry).toBeVisible();
  const tools = [
    '.nvm/versions/node/v24.11.1/bin',
    '.cargo/registry/src',
    '.rustup/toolchains',
    `.cache/${'x'.repeat(90)}`,
  ];
  await main.answer('health.seen', {
    folder: '/home/someone/projects/a-rather-long-name-of-a-project/packages/frontend',
    system: ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/nix', '/gnu', '/snap'],
    tools: tools.map((each) => `/home/someone/${each}`),
    repository: '/home/someone/projects/a-rather-long-name-of-a-project',
    readable: ['/srv/models'],
  });
  await retry.click();
  const seen = page.getByRole('region', { name: 'What commands see without asking' });
  await expect(seen.getByRole('list', { name: 'Tools' }).getByRole('listitem')).toHaveText(
    tools.map((each) => `/home/someone/${each}`),
  );
  await expect(seen.getByRole('list', { name: 'By your settings' })).toHaveText('/srv/models');
  for (const [width, height, zoom] of [
    [1200, 800, 1],
    [640, 800, 1],
    [1200, 800, 2],
  ] as const) {
    await lookAt(gatehouse, width, height, zoom);
    await seen.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    expect(await page.locator('.gh-place').evaluate((place) => place.scrollWidth > place.clientWidth)).toBe(false);
    expect(await seen.evaluate((whole) => whole.scrollWidth > whole.clientWidth)).toBe(false);
    await keepScreenshot(page, `health-seen-${width}-${zoom}`);
  }
});

test('Numbers that can’t be had are said to be missing, with a way to try again', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.refuse('telemetry.get', 'unavailable', 'The journal is being checked. Try again in a moment.');
  await goTo(page, 'Health');
  await expect(page.getByText('The journal is being checked.')).toBeVisible();
  await expectAccessible(page);
  await main.answer('telemetry.get', busyDay());
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('table', { name: 'Duration' })).toBeVisible();
});

function busyDay(): TelemetrySnapshot {
  const to = Date.now();
  const hour = 3_600_000;
  const tool = (name: string, count: number, p50Ms: number, p95Ms: number, p99Ms: number) => ({
    tool: name,
    count,
    succeeded: count - 12,
    failed: 8,
    denied: 4,
    rolledBack: 2,
    p50Ms,
    p95Ms,
    p99Ms,
  });
  return {
    from: to - 24 * hour,
    to,
    total: 1130,
    successRate: 0.95,
    denials: 20,
    rollbacks: 10,
    tools: [
      tool('read_file', 600, 3, 12, 40),
      tool('list_directory', 300, 5, 30, 90),
      tool('apply_patch', 120, 22, 80, 210),
      tool('run_command', 110, 2300, 42_000, 192_000),
    ],
    timeline: Array.from({ length: 48 }, (_, n) => ({
      at: to - (48 - n) * (hour / 2),
      succeeded: Math.round(20 + 18 * Math.sin(n / 5)),
      failed: n % 6 === 0 ? 4 : 1,
      denied: n % 9 === 0 ? 3 : 0,
    })),
    journalBytes: 48_123_456,
    events: 9876,
    cpuMs: 812_345,
    peakMemoryBytes: 534_000_000,
  };
}
