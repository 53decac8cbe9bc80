/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, type Page } from '@playwright/test';
import { type Compare, quantile } from './harness.js';
import { withoutNode } from './running-app.js';

const KEY_MS = 50;
/** Of many times 100,000 lines: it still writes when the last key was pressed. */
const COMMAND = 'seq 1 100000000';
const KEYS = 60;

/** While a command writes lines at full speed, the real window is typed into, and draws what is typed. */
export async function run(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [dataDir, workspace] = [mkdtempSync(join(scratch, 'data-')), mkdtempSync(join(scratch, 'workspace-'))];
  const rule = `[[tools.approval.confirmed]]\ntool = "run_command"\ncommand = "${COMMAND}"\n`;
  writeFileSync(join(dataDir, 'config.toml'), `[tools.approval]\ndenylist = []\n\n${rule}`);
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const app = await _electron.launch({
    executablePath: process.execPath,
    args: [resolve('.'), ...flags, '--data-dir', dataDir, '--workspace', workspace],
    env: withoutNode(),
  });
  const child = app.process();
  try {
    const page = await app.firstWindow();
    await page.getByRole('link', { name: 'Compose' }).click();
    await page.getByRole('button', { name: 'Paste batch' }).click();
    const calls = [{ tool: 'run_command', arguments: { command: COMMAND } }];
    await page.getByRole('textbox', { name: 'Batch' }).fill(JSON.stringify(calls));
    await page.getByRole('button', { name: 'Run batch' }).click();
    await page.locator('.xterm-rows').getByText('00').first().waitFor();
    await compare({
      name: 'Lines of output at full speed: key to picture, p95',
      unit: 'ms',
      subject: { name: 'Gatehouse', sample: async () => quantile(await keys(page), 0.95) },
      peer: { name: 'allowed', sample: () => KEY_MS },
      warmUp: 1,
      samples: 5,
      goal: { atMost: 1 },
    });
    if ((await page.locator('[data-state="executing"]').count()) === 0) throw new Error('It ended too early.');
  } finally {
    const ended = new Promise<void>((done) => void child.once('exit', () => done()));
    child.kill('SIGTERM');
    await ended;
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** From when the key came to the picture that has what it changed. */
async function keys(page: Page): Promise<readonly number[]> {
  const field = page.getByRole('searchbox', { name: 'Find a tool' });
  await field.fill('');
  await field.evaluate((element) => {
    const state = globalThis as unknown as { keyTimes?: number[] };
    const isNew = state.keyTimes === undefined;
    state.keyTimes = [];
    if (!isNew) return;
    element.addEventListener('input', (event) => {
      requestAnimationFrame(() => setTimeout(() => state.keyTimes?.push(performance.now() - event.timeStamp)));
    });
  });
  for (let n = 0; n < KEYS; n += 1) await field.press(String.fromCharCode(97 + (n % 26)));
  await page.waitForFunction(
    (keyed) => (globalThis as unknown as { readonly keyTimes: readonly number[] }).keyTimes.length >= keyed,
    KEYS,
  );
  return await page.evaluate(() => (globalThis as unknown as { readonly keyTimes: readonly number[] }).keyTimes);
}
