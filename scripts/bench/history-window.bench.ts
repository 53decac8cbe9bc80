/// <reference lib="dom" />
import { resolve } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { type Compare, quantile } from './harness.js';
import { filledJournal } from './journal-fill.js';

/** A long life's worth. Fewer for a quick look. */
const MANY = Number(process.env['GATEHOUSE_BENCH_CALLS'] ?? 1_000_000);
const FIRST_ROWS_MS = 150;
const SEARCH_MS = 120;

/** The History page of the real window over a journal of a million calls, measured in the page itself. */
export async function run(compare: Compare): Promise<void> {
  const app = await start(filledJournal(MANY));
  const page = await app.firstWindow();
  await page.getByRole('link', { name: 'History' }).waitFor();

  await compare({
    name: `History of ${MANY} calls: press to first rows drawn, p95`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await firstRows(page, 10), 0.95) },
    peer: { name: 'allowed', sample: () => FIRST_ROWS_MS },
    warmUp: 1,
    samples: 10,
    goal: { atMost: 1 },
  });
  await showHistory(page);
  await compare({
    name: `Search in ${MANY} calls: key to rows drawn, p95`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await searches(page), 0.95) },
    peer: { name: 'allowed', sample: () => SEARCH_MS },
    warmUp: 1,
    samples: 10,
    goal: { atMost: 1 },
  });
  let frames = { all: 0, whole: 0, perSecond: 0 };
  await compare({
    name: 'Scrolling through History: frames without a blank row',
    unit: 'per s',
    subject: {
      name: 'whole',
      sample: async () => {
        frames = await scroll(page);
        return (frames.perSecond * frames.whole) / frames.all;
      },
    },
    peer: { name: 'all frames', sample: () => frames.perSecond || 1 },
    warmUp: 2,
    samples: 10,
    goal: { atLeast: 0.99 },
  });
  const child = app.process();
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  child.kill('SIGTERM');
  await ended;
}

async function start(dataDir: string): Promise<ElectronApplication> {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  return await _electron.launch({
    executablePath: process.execPath,
    args: [resolve('.'), ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--data-dir', dataDir],
    env: env as Record<string, string>,
  });
}

async function showHistory(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'History' }).click();
  await page.locator('tr[data-call-id]').first().waitFor();
}

async function firstRows(page: Page, times: number): Promise<readonly number[]> {
  return await page.evaluate(async (rounds) => {
    const link = (name: string) => document.querySelector<HTMLElement>(`nav a[href="#${name}"]`);
    const until = (ready: () => boolean) =>
      new Promise<void>((done) => {
        const look = () => (ready() ? requestAnimationFrame(() => done()) : requestAnimationFrame(look));
        look();
      });
    const rows = () => document.querySelector('tr[data-call-id]') !== null;
    const taken: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      link('tools')?.click();
      await until(() => !rows());
      const from = performance.now();
      link('history')?.click();
      await until(rows);
      taken.push(performance.now() - from);
    }
    return taken;
  }, times);
}

async function searches(page: Page): Promise<readonly number[]> {
  return await page.evaluate(
    async (words) => {
      const field = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (field === null) throw new Error('no search field');
      // The accessor of the page's own kind of field, as typing uses it: the framework listens there.
      const write = (text: string) => Reflect.set(HTMLInputElement.prototype, 'value', text, field);
      const shown = () => document.querySelector('.gh-history-scroller')?.getAttribute('aria-busy') === 'false';
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const taken: number[] = [];
      for (const word of words) {
        for (let length = 1; length <= word.length; length += 2) {
          const from = performance.now();
          write(word.slice(0, length));
          field.dispatchEvent(new Event('input', { bubbles: true }));
          await frame();
          while (!shown()) await frame();
          taken.push(performance.now() - from);
        }
      }
      write('');
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await frame();
      while (!shown()) await frame();
      return taken;
    },
    ['common', 'word500', 'rare77', 'file-2300', 'read_file'],
  );
}

/** A steady, quick scroll: what lies in the middle of the list at each frame, and how many frames there were. */
async function scroll(page: Page): Promise<{ all: number; whole: number; perSecond: number }> {
  return await page.evaluate(async () => {
    const list = document.querySelector<HTMLElement>('.gh-history-scroller');
    if (list === null) throw new Error('no list');
    const box = list.getBoundingClientRect();
    const spots = [0.2, 0.5, 0.9].map((part) => box.top + 40 + (box.height - 60) * part);
    const whole = () =>
      spots.every((y) => document.elementFromPoint(box.left + box.width / 2, y)?.closest('tr[data-call-id]') !== null);
    const from = performance.now();
    let all = 0;
    let good = 0;
    while (performance.now() - from < 1500) {
      list.scrollTop += 400;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      all += 1;
      if (whole()) good += 1;
    }
    return { all, whole: good, perSecond: all / ((performance.now() - from) / 1000) };
  });
}
