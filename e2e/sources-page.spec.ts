import type { SourceView } from '#contract/window/tools/sources.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { expect, type Gatehouse, test } from './app.js';
import { expectAccessible, expectByKeyboard, keepScreenshot, lookAt } from './look.js';
import { goTo, resize, watchForFaults } from './places.js';
import { scriptMain, type ScriptedMain } from './scripted-main.js';
import { foreignTool, sampleReview, sampleSource, sampleSourceDetail, sampleSourceTool } from './source-samples.js';

const GITHUB = sampleSource('github', {
  state: 'changed',
  counts: { tools: 12, waiting: 1, changed: 1, refused: 1 },
  callsToday: 5,
  failuresToday: 1,
  confinement: 'network',
  secrets: ['github-token'],
  settings: {
    kind: 'mcp',
    command: 'npx',
    args: ['-y', '@example/github'],
    env: { GITHUB_TOKEN: 'secret:github-token' },
    network: ['api.github.com'],
  },
});
const EVERY_STATE: readonly SourceView[] = [
  GITHUB,
  sampleSource('notes', {
    kind: 'openapi',
    sendsTo: ['notes.example:443'],
    confinement: null,
    isRunning: false,
    settings: { kind: 'openapi', url: 'https://notes.example/openapi.json' },
  }),
  sampleSource('fetched', { package: { name: '@example/fetched', version: '1.4.0', newer: '1.10.2' } }),
  sampleSource('tracker', {
    state: 'failed',
    isRunning: false,
    confinement: null,
    sendsTo: ['tracker.example'],
    settings: { kind: 'mcp', url: 'https://tracker.example/mcp' },
    signIn: { kind: 'wanted', host: null, address: null, others: [], scope: null, problem: null },
  }),
  sampleSource('coming', { state: 'starting', stage: 'fetching', isRunning: false, confinement: null }),
  sampleSource('asked', { state: 'starting', stage: 'listing' }),
  sampleSource('off', { enabled: false, state: 'stopped', isRunning: false }),
  sampleSource('broken', {
    state: 'failed',
    isRunning: false,
    problem: 'npx ended with exit code 1 before it answered. Look at its log, then try again.',
  }),
  sampleSource('wrong', {
    state: 'refused',
    isRunning: false,
    settings: null,
    kind: null,
    counts: { tools: 0, waiting: 0, changed: 0, refused: 0 },
    problem: 'Line 12: “comand” is no setting of a source. Is “command” meant?',
  }),
];

async function script(
  app: Gatehouse,
  sources: readonly SourceView[],
  foreign: readonly ToolView[] = [],
): Promise<ScriptedMain> {
  const main = await scriptMain(app);
  const ours = ['read_file', 'run_command'].map((name) => foreignTool(`gatehouse.${name}`, { name, title: name }));
  await main.answer('sources.list', sources);
  await main.answer('sources.samples', []);
  await main.answer('sources.found', []);
  await main.answer('tools.list', [...ours, ...foreign]);
  return main;
}

test('Every source says in words what state it is in, and what to do', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const faults = watchForFaults(page);
  const main = await script(gatehouse, EVERY_STATE, [foreignTool('github.list_issues')]);
  await main.answer(
    'sources.get',
    sampleSourceDetail(GITHUB, [
      sampleSourceTool('list_issues', { state: 'changed' }),
      sampleSourceTool('add', { state: 'new' }),
      sampleSourceTool('boom', {
        state: 'refused',
        name: null,
        reason: 'Its schema refers to another document, which can’t be checked.',
        file: 'tools.json',
        line: 7,
      }),
    ]),
  );
  await goTo(page, 'Tools');
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(region('github')).toContainText('Changed');
  await expect(region('github')).toContainText('12 tools · 1 new · 1 changed · 1 refused · 5 calls today, 1 failed');
  await expect(region('github')).toContainText('Sandboxed on this computer: may reach api.github.com');
  await expect(region('github')).toContainText('github-token');
  await expect(region('notes')).toContainText('Sends to notes.example:443');
  await expect(region('notes')).toContainText('can’t be undone');
  await expect(region('coming')).toContainText('Fetching…');
  await expect(region('coming').getByRole('button', { name: 'Stop' })).toBeEnabled();
  await expect(region('asked')).toContainText('Asking for its tools…');
  await expect(region('off')).toContainText('Off');
  await expect(region('off').getByRole('button', { name: 'Start' })).toHaveCount(0);
  await expect(region('broken')).toContainText('exit code 1');
  await expect(region('broken').getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(region('wrong')).toContainText('Line 12');
  await expectAccessible(page);
  await keepScreenshot(page, 'sources-states');

  await region('github').getByRole('button', { name: 'Tools, log and settings' }).click();
  const tools = region('github').getByRole('list', { name: 'Tools of github' });
  await expect(tools).toContainText('another document');
  await expect(tools).toContainText('tools.json, line 7');
  await expect(region('github')).toContainText('Keeps 1.3 MB in a folder of its own.');
  await main.answer('sources.clearHome', null);
  await region('github').getByRole('button', { name: 'Clear what github keeps…' }).click();
  const clearing = page.getByRole('dialog', { name: 'Clear what github keeps?' });
  await expect(clearing.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectAccessible(page);
  await keepScreenshot(page, 'source-home-clear');
  await page.keyboard.press('Escape');
  expect(await main.asked('sources.clearHome')).toEqual([]);
  await region('github').getByRole('button', { name: 'Clear what github keeps…' }).click();
  await clearing.getByRole('button', { name: 'Stop and clear' }).click();
  await expect(clearing).toHaveCount(0);
  expect((await main.asked('sources.clearHome')).map(({ request }) => request)).toEqual([{ name: 'github' }]);
  await region('github').getByRole('tab', { name: 'Log' }).click();
  await expect(region('github')).toContainText('\\u{001b}[31mwarning:');
  await region('github').getByRole('tab', { name: 'Settings' }).click();
  await expect(region('github')).toContainText('GITHUB_TOKEN: secret:github-token');
  await expectAccessible(page);
  await keepScreenshot(page, 'source-more');

  await region('broken').getByRole('button', { name: 'Try again' }).click();
  expect((await main.asked('sources.start'))[0]?.request).toEqual({ name: 'broken' });
  await region('github').getByRole('switch').click();
  expect((await main.asked('sources.setEnabled'))[0]?.request).toEqual({ name: 'github', enabled: false });
  expect(faults()).toEqual([]);
});

test('What is new or changed is shown as it came, and accepted once it has stood', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await script(gatehouse, [GITHUB]);
  await main.answer('sources.review', sampleReview('digest-of-this'));
  await goTo(page, 'Tools');
  const region = page.getByRole('region', { name: 'github', exact: true });
  await region.getByRole('button', { name: 'Review' }).click();
  const accept = region.getByRole('button', { name: 'Accept', exact: true });
  // A click that was aimed at something else a moment ago accepts nothing.
  await accept.dispatchEvent('click');
  expect(await main.asked('sources.accept')).toEqual([]);

  await expect(region).toContainText('1 new tool, 1 changed tool, 1 tool that it no longer offers');
  await expect(region).toContainText('2 descriptions to read closely');
  const added = region.getByRole('listitem', { name: 'github__add' });
  await expect(added).toContainText('\\u{200b}');
  await expect(added).toContainText('\\u{e0041}');
  await expect(added.locator('mark')).toContainText([
    '<IMPORTANT>',
    'Before using this tool',
    '~/.ssh/id_rsa',
    'Do not tell the user',
    '</IMPORTANT>',
  ]);
  await expect(added).toContainText('In its own words: only reads, stays with itself. Gatehouse doesn’t rely on that.');
  const changed = region.getByRole('listitem', { name: 'github__list_issues' });
  await expect(changed.getByRole('region', { name: 'What changed in github__list_issues' })).toContainText('notify');
  await expect(changed.locator('mark')).toContainText(['read_file']);
  await expectAccessible(page);
  await keepScreenshot(page, 'source-review');
  await lookAt(gatehouse, 640, 800, 1);
  await expectByKeyboard(page, page.locator('.gh-place'));

  await added.getByRole('checkbox').click();
  await region.getByRole('button', { name: 'Accept 1 of 2' }).click();
  await expect(region.getByRole('button', { name: 'Accept' })).toHaveCount(0);
  expect((await main.asked('sources.accept')).map(({ request }) => request)).toEqual([
    { name: 'github', digest: 'digest-of-this', tools: ['github.list_issues'] },
  ]);
});

test('A package that was fetched shows its exact version and integrity, and is started by a press after that', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const its = {
    name: '@example/github',
    version: '1.4.0',
    integrity: 'sha512-abc',
    'with all that it needs': 'digest',
  };
  const offered = { ...sampleReview('').server.offered, package: its };
  const server = { accepted: null, offered };
  const main = await script(gatehouse, [GITHUB]);
  await main.answer('sources.review', sampleReview('fetched', { isStarted: false, server, tools: [] }));
  await main.answer('sources.startSeen', null);
  await goTo(page, 'Tools');
  const region = page.getByRole('region', { name: 'github', exact: true });
  await region.getByRole('button', { name: 'Review' }).click();
  await expect(region).toContainText('nothing of it was started');
  await expect(region).toContainText('version: 1.4.0');
  await expect(region).toContainText('integrity: sha512-abc');
  await expect(region.getByRole('button', { name: 'Accept' })).toHaveCount(0);
  const start = region.getByRole('button', { name: 'Start and show its tools' });
  await start.dispatchEvent('click');
  expect(await main.asked('sources.startSeen')).toEqual([]);
  await expectAccessible(page);
  await keepScreenshot(page, 'source-review-unstarted');
  await main.answer('sources.review', sampleReview('started', { server }));
  await start.click();
  await expect(region.getByRole('button', { name: 'Accept', exact: true })).toBeVisible();
  expect((await main.asked('sources.startSeen')).map(({ request }) => request)).toEqual([
    { name: 'github', digest: 'fetched' },
  ]);
});

test('A source is reviewed beside others, whatever their names are made of', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const faults = watchForFaults(page);
  const main = await script(gatehouse, [GITHUB], [foreignTool('every-thing.echo', { name: 'every-thing__echo' })]);
  const [, added, gone] = sampleReview('').tools;
  if (added === undefined || gone === undefined) throw new Error('The sample has fewer tools.');
  const offered = { name: 'add', description: 'Better than every-thing__echo.', inputSchema: { type: 'object' } };
  await main.answer('sources.review', sampleReview('one', { tools: [{ ...added, offered }, gone] }));
  await goTo(page, 'Tools');
  const region = page.getByRole('region', { name: 'github', exact: true });
  await region.getByRole('button', { name: 'Review' }).click();
  await expect(region.getByRole('listitem', { name: 'github__add' }).locator('mark')).toContainText([
    'every-thing__echo',
  ]);
  expect(faults()).toEqual([]);
});

test('What changed while it was read is refused, and reviewed again', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await script(gatehouse, [GITHUB]);
  const other = { kind: 'mcp', command: 'npx', args: ['-y', '@example/github@2.0.0'] };
  await main.answer(
    'sources.review',
    sampleReview('one', { server: { accepted: sampleReview('').server.accepted, offered: other } }),
  );
  await main.refuse('sources.accept', 'refused', 'github has changed since you looked at it.');
  await goTo(page, 'Tools');
  const region = page.getByRole('region', { name: 'github', exact: true });
  await region.getByRole('button', { name: 'Review' }).click();
  await expect(region).toContainText('github itself changed, so all of its tools stopped');
  await expect(region.getByRole('region', { name: 'What changed of github itself' })).toContainText('@2.0.0');
  await region.getByRole('button', { name: 'Accept', exact: true }).click();
  await expect(region.getByRole('alert')).toContainText('has changed since you looked at it');
  await main.answer('sources.review', sampleReview('two'));
  await region.getByRole('button', { name: 'Review again' }).click();
  await expect(region.getByRole('alert')).toHaveCount(0);
  await region.getByRole('button', { name: 'Not now' }).click();
  await expect(region.getByRole('button', { name: 'Review' })).toBeVisible();
});

test('A source is removed after a question, and comes back by Undo', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await script(gatehouse, [GITHUB]);
  await goTo(page, 'Tools');
  await page.getByRole('button', { name: 'Remove github…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove github?' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  expect(await main.asked('sources.remove')).toEqual([]);
  await page.getByRole('button', { name: 'Remove github…' }).click();
  await main.answer('sources.list', []);
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  expect(await main.asked('sources.undoRemove')).toHaveLength(1);
});

test('A thousand tools of twenty sources are found and shown without being drawn all', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const sources = Array.from({ length: 20 }, (_, at) =>
    sampleSource(`source-${at}`, { counts: { tools: 50, waiting: 0, changed: 0, refused: 0 } }),
  );
  const tools = sources.flatMap(({ name }) => Array.from({ length: 50 }, (_, at) => foreignTool(`${name}.tool_${at}`)));
  await script(gatehouse, sources, tools);
  await goTo(page, 'Tools');
  const list = page.getByRole('list', { name: 'Tools', exact: true });
  await expect(list.getByRole('listitem').first()).toHaveAttribute('aria-setsize', '22');
  await list.getByRole('button', { name: 'Show the tools of source-3' }).click();
  await expect(list.getByRole('listitem').first()).toHaveAttribute('aria-setsize', '72');
  await page.getByRole('searchbox', { name: 'Find a tool' }).fill('source-7 tool_4');
  await expect(list.getByRole('button', { name: 'source-7__tool_42' })).toBeVisible();
  expect(await page.locator('.gh-tool-entry').count()).toBeLessThan(120);
  await list.getByRole('button', { name: 'source-7__tool_42' }).click();
  await expect(page.getByRole('region', { name: 'source-7__tool_42', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find a tool' }).fill('');
  await expectAccessible(page);
  await keepScreenshot(page, 'sources-thousand');
});

test('Small, large and dark, it stays whole', async ({ gatehouse }) => {
  const { page, electron } = gatehouse;
  const main = await script(gatehouse, EVERY_STATE, [foreignTool('github.list_issues')]);
  await main.answer('sources.review', sampleReview('d'));
  await goTo(page, 'Tools');
  await resize(gatehouse, 640, 720);
  const region = page.getByRole('region', { name: 'github', exact: true });
  await region.getByRole('button', { name: 'Review' }).click();
  await expect(region.getByRole('button', { name: 'Accept', exact: true })).toBeEnabled();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await keepScreenshot(page, 'sources-640');
  await resize(gatehouse, 1280, 900);
  await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(2));
  await page.waitForFunction(() => innerWidth === 640);
  await expect(region.getByRole('button', { name: 'Not now' })).toBeVisible();
  await keepScreenshot(page, 'sources-200-percent');
  await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(1));
  await page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'));
  await expectAccessible(page);
  await keepScreenshot(page, 'sources-dark');
});
