/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import type { GatehouseApi } from '#contract/window/channels.js';
import { type Compare, quantile } from './harness.js';
import { filledJournal } from './journal-fill.js';

/** A long life's worth. Fewer for a quick look. */
const MANY = Number(process.env['GATEHOUSE_BENCH_CALLS'] ?? 1_000_000);
const SHEET_MS = 100;
const SPAWN_MS = 50;
/** 50 frames a second, as the time between two. */
const FRAME_MS = 20;
const STREAMED_BYTES = 100_000_000;

/** The approval sheet and the terminal of the real window, measured in the page itself. */
export async function run(compare: Compare): Promise<void> {
  await measureOn(compare, mkdtempSync(join(tmpdir(), 'gatehouse-bench-data-')), 'an empty journal', true);
  await measureOn(compare, filledJournal(MANY), `${MANY} calls in the journal`, false);
}

async function measureOn(compare: Compare, dataDir: string, about: string, streams: boolean): Promise<void> {
  const workspace = mkdtempSync(join(tmpdir(), 'gatehouse-bench-workspace-'));
  writeFileSync(join(dataDir, 'config.toml'), '[tools.approval]\ndenylist = []\n');
  const app = await start(dataDir, workspace);
  const page = await app.firstWindow();
  await page.getByRole('link', { name: 'Compose' }).click();

  await compare({
    name: `A call arrives: the sheet can be answered, p95, ${about}`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await sheets(page, 10), 0.95) },
    peer: { name: 'allowed', sample: () => SHEET_MS },
    warmUp: 1,
    samples: 10,
    goal: { atMost: 1 },
  });
  await compare({
    name: `A call arrives with 20 others waiting: its sheet can be read and answered, p95, ${about}`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await sheetsAmongOthers(page, 10), 0.95) },
    peer: { name: 'allowed', sample: () => SHEET_MS },
    warmUp: 1,
    samples: 10,
    goal: { atMost: 1 },
  });
  await compare({
    name: `Click on Approve: the process runs, p95, ${about}`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await spawns(page, workspace, 10), 0.95) },
    peer: { name: 'allowed', sample: () => SPAWN_MS },
    warmUp: 1,
    samples: 5,
    goal: { atMost: 1 },
  });
  if (streams) {
    await compare({
      name: '100 MB of output: time between two frames of the window, p95',
      unit: 'ms',
      subject: { name: 'Gatehouse', sample: async () => quantile(await framesWhileStreaming(page), 0.95) },
      peer: { name: 'allowed', sample: () => FRAME_MS },
      warmUp: 0,
      samples: 3,
      goal: { atMost: 1 },
    });
  }
  const child = app.process();
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  child.kill('SIGTERM');
  await ended;
  rmSync(workspace, { recursive: true, force: true });
}

async function start(dataDir: string, workspace: string): Promise<ElectronApplication> {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await _electron.launch({
    executablePath: process.execPath,
    args: [resolve('.'), ...asRoot, '--data-dir', dataDir, '--workspace', workspace],
    env: env as Record<string, string>,
  });
}

/**
 * From asking main for a call to a sheet that is drawn, has the focus and stands where it is answered; the half second in
 * which nothing approves comes after that.
 */
async function sheets(page: Page, times: number): Promise<readonly number[]> {
  return await page.evaluate(async (rounds) => {
    const { client } = (globalThis as unknown as { gatehouse: GatehouseApi }).gatehouse;
    const shown = await client['app.snapshot']({});
    const folder = shown.ok ? (shown.value.workspace?.path ?? '') : '';
    const frame = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));
    const sheet = () => document.querySelector('.gh-sheet');
    const deny = () =>
      [...document.querySelectorAll<HTMLButtonElement>('.gh-sheet-answers button')].find((each) =>
        each.textContent.startsWith('Deny'),
      );
    const taken: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      const from = performance.now();
      void client['compose.run']({
        workspace: folder,
        calls: [{ tool: 'write_file', arguments: JSON.stringify({ path: `bench-${n}.txt`, content: 'text\n' }) }],
      });
      while (sheet()?.contains(document.activeElement) !== true || deny() === undefined) await frame();
      taken.push(performance.now() - from);
      deny()?.click();
      while (sheet() !== null) await frame();
    }
    return taken;
  }, times);
}

/** The same with twenty others that wait: from asking to its place in the list, and its sheet once that is pressed. */
async function sheetsAmongOthers(page: Page, times: number): Promise<readonly number[]> {
  return await page.evaluate(async (rounds) => {
    const { client } = (globalThis as unknown as { gatehouse: GatehouseApi }).gatehouse;
    const shown = await client['app.snapshot']({});
    const folder = shown.ok ? (shown.value.workspace?.path ?? '') : '';
    const frame = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));
    const waiting = () => document.querySelectorAll<HTMLButtonElement>('.gh-waiting-one');
    const ask = (name: string) =>
      void client['compose.run']({
        workspace: folder,
        calls: [{ tool: 'write_file', arguments: JSON.stringify({ path: name, content: 'text\n' }) }],
      });
    const deny = () =>
      [...document.querySelectorAll<HTMLButtonElement>('.gh-sheet-answers button')].find((each) =>
        each.textContent.startsWith('Deny'),
      );
    for (let n = 0; n < 20; n += 1) ask(`other-${n}.txt`);
    while (waiting().length < 20) await frame();
    const taken: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      const from = performance.now();
      const name = `among-${performance.now()}.txt`;
      ask(name);
      while (waiting().length < 21) await frame();
      [...waiting()].at(-1)?.click();
      while (document.querySelector('.gh-ask-title')?.textContent.includes(name) !== true) await frame();
      taken.push(performance.now() - from);
      deny()?.click();
      while (waiting().length > 20) await frame();
    }
    while (waiting().length > 0) {
      const left = waiting().length;
      deny()?.click();
      while (waiting().length === left) await frame();
    }
    return taken;
  }, times);
}

/** The command itself says when it began; both clocks are the machine's. */
async function spawns(page: Page, workspace: string, times: number): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const clicked = await approve(page, 'date +%s%N > began');
    await settled(page);
    taken.push(Number(readFileSync(join(workspace, 'began'), 'utf8').trim()) / 1e6 - clicked);
  }
  return taken;
}

async function framesWhileStreaming(page: Page): Promise<readonly number[]> {
  await page.evaluate(() => {
    const state = { between: [] as number[], last: performance.now(), on: true };
    (globalThis as unknown as { frames: typeof state }).frames = state;
    const tick = (now: number) => {
      state.between.push(now - state.last);
      state.last = now;
      if (state.on) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await approve(page, `head -c ${STREAMED_BYTES} /dev/zero | tr "\\0" x | fold -w 99`);
  await settled(page);
  return await page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: { between: number[]; on: boolean } };
    frames.on = false;
    return frames.between.slice(1);
  });
}

/** Runs a command through the page, and gives the moment of the click, in Unix ms. */
async function approve(page: Page, command: string): Promise<number> {
  await page.getByRole('button', { name: 'Paste batch' }).click();
  await page
    .getByRole('textbox', { name: 'Batch' })
    .fill(JSON.stringify([{ tool: 'run_command', arguments: { command } }]));
  await page.getByRole('button', { name: 'Run batch' }).click();
  await page.locator('.gh-sheet[data-approvable="true"]').waitFor();
  const isHigh = (await page.locator('.gh-ask').getByText('High risk', { exact: true }).count()) > 0;
  const first = page.locator('.gh-sheet-answers button').first();
  if (isHigh) {
    await first.click();
    await page.getByRole('button', { name: /^Approve \d+ high risk/ }).waitFor();
    await page.locator('.gh-sheet[data-approvable="true"]').waitFor();
  }
  return await first.evaluate((button) => {
    const at = performance.timeOrigin + performance.now();
    (button as HTMLButtonElement).click();
    return at;
  });
}

async function settled(page: Page): Promise<void> {
  await page
    .getByRole('region', { name: 'Results' })
    .locator('[data-state="completed"], [data-state="failed"]')
    .waitFor({ timeout: 60_000 });
}
