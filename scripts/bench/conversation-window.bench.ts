/// <reference lib="dom" />
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import type { JournalEvent } from '../../src-main/domain/call/journal-events.js';
import { type ModelServer, startModelServer } from '../../src-main/tests/model-server/model-server.test-support.js';
import { type Compare, quantile } from './harness.js';
import { emptyFolder, openBenchJournal } from './journal-fill.js';

const MESSAGES = 10_000;
const FIRST_PAINT_MS = 200;
const DELAY_MS = 20;
const TOKENS_PER_SECOND = 500;
const SECONDS = 10;
/** About what a token is in characters. */
const TOKEN = 4;

const SAID = [
  '## What was found\n\nThe type in `src/build.ts` is **wrong**, and [the manual](https://example.com/a) says why:\n\n',
  '- one thing leads to another\n- and that to a third\n\n```ts\nexport const build = (name: string): string => name;\n```\n\n',
  '| file | errors |\n|:-|-:|\n| build.ts | 1 |\n| test.ts | 2 |\n\nThen it goes on with a paragraph that has a few more words in it.\n\n',
].join('');

/** The conversation's page of the real window: a long one opens, and an answer comes quickly. Measured in the page itself. */
export async function run(compare: Compare): Promise<void> {
  const workspace = emptyFolder('conversation-workspace');
  const dataDir = filledConversation(workspace);
  const server = await startModelServer();
  const app = await start(dataDir, workspace, server);
  const page = await app.firstWindow();
  await page.getByRole('link', { name: 'Conversation' }).click();
  await page.locator('.gh-thread-row').first().waitFor();
  await compare({
    name: `A conversation of ${MESSAGES} messages: press to its end painted, p95`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await openings(page, 10), 0.95) },
    peer: { name: 'allowed', sample: () => FIRST_PAINT_MS },
    warmUp: 1,
    samples: 10,
    goal: { atMost: 1 },
  });
  await compare({
    name: `An answer at ${TOKENS_PER_SECOND} tokens/s: how late the page's main thread is, p99`,
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: async () => quantile(await delaysWhileAnswering(page, server), 0.99) },
    peer: { name: 'allowed', sample: () => DELAY_MS },
    warmUp: 1,
    samples: 3,
    goal: { atMost: 1 },
  });
  const child = app.process();
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  child.kill('SIGTERM');
  await ended;
  await server.close();
}

async function start(dataDir: string, workspace: string, server: ModelServer): Promise<ElectronApplication> {
  writeFileSync(
    join(dataDir, 'config.toml'),
    `[model]\nprovider = "openai-compatible"\nbase_url = "${server.baseUrl}"\nmodel = "scripted-1"\n`,
  );
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await _electron.launch({
    executablePath: process.execPath,
    args: [resolve('.'), ...asRoot, '--data-dir', dataDir, '--workspace', workspace],
    env: env as Record<string, string>,
  });
}

/** A journal with one long conversation, made once and kept. */
function filledConversation(workspace: string): string {
  const folder = resolve('artifacts', 'bench-data', `conversation-${MESSAGES}`);
  if (existsSync(folder)) return folder;
  const partial = emptyFolder(`conversation-${MESSAGES}.part`);
  mkdirSync(partial, { recursive: true });
  const journal = openBenchJournal(partial);
  const conversationId = randomUUID();
  journal.append([{ type: 'conversation-begun', conversationId, workspace, demo: false }]);
  let parent: string | null = null;
  for (let from = 0; from < MESSAGES; from += 500) {
    const events: JournalEvent[] = [];
    for (let at = from; at < from + 500; at += 2) {
      const [asked, answer]: [string, string] = [randomUUID(), randomUUID()];
      events.push(
        {
          type: 'message-added',
          conversationId,
          messageId: asked,
          parent,
          parts: [{ kind: 'text', text: `Question ${at}` }],
        },
        { type: 'answer-begun', conversationId, messageId: answer, parent: asked, model: 'scripted-1' },
        {
          type: 'answer-ended',
          conversationId,
          messageId: answer,
          blocks: [{ kind: 'text', text: `Answer ${at}\n\n${SAID}` }],
          end: { state: 'whole', failure: null },
          foot: { model: 'scripted-1', inputTokens: 10, outputTokens: 100, durationMs: 900, cost: null },
        },
      );
      parent = answer;
    }
    journal.append(events);
  }
  journal.close();
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
  return folder;
}

async function openings(page: Page, times: number): Promise<readonly number[]> {
  return await page.evaluate(async (rounds) => {
    const link = (name: string) => document.querySelector<HTMLElement>(`nav a[href="#${name}"]`);
    const until = (ready: () => boolean) =>
      new Promise<void>((done) => {
        const look = () => (ready() ? requestAnimationFrame(() => done()) : requestAnimationFrame(look));
        look();
      });
    const list = () => document.querySelector('.gh-thread-scroller');
    // The last message stands at the end of what is seen.
    const open = () => {
      const scroller = list();
      const last = [...document.querySelectorAll('.gh-thread-row')].at(-1);
      if (scroller === null || last === undefined) return false;
      return Math.abs(last.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom) < 4;
    };
    const taken: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      link('tools')?.click();
      await until(() => list() === null);
      const from = performance.now();
      link('conversation')?.click();
      await until(open);
      taken.push(performance.now() - from);
    }
    return taken;
  }, times);
}

/** From the first token to the last: how late a timer is called, each 4 ms. */
async function delaysWhileAnswering(page: Page, server: ModelServer): Promise<readonly number[]> {
  const tokens = TOKENS_PER_SECOND * SECONDS;
  const text = SAID.repeat(Math.ceil((tokens * TOKEN) / SAID.length)).slice(0, tokens * TOKEN);
  // Timers of the server are no finer than this: a few tokens each time.
  const everyMs = 8;
  const piece = (TOKEN * TOKENS_PER_SECOND * everyMs) / 1000;
  server.script({ blocks: [{ text: `${text}\n\nThat was all.` }], piece, wire: { everyMs } });
  // One of its own: a model does not take ten thousand messages.
  await page.getByRole('button', { name: 'New conversation' }).click();
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill('Go on');
  await field.press('Enter');
  await page.locator('.gh-thread-scroller[aria-busy="true"]').waitFor();
  return await page.evaluate(async () => {
    const busy = () => document.querySelector('.gh-thread-scroller')?.getAttribute('aria-busy') === 'true';
    const late: number[] = [];
    while (busy()) {
      const from = performance.now();
      await new Promise((done) => setTimeout(done, 4));
      late.push(Math.max(0, performance.now() - from - 4));
    }
    return late;
  });
}
