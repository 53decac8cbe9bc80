import { expect, type Page } from '@playwright/test';
import type { Gatehouse } from './app.js';

export const PLACES = [
  'Activity',
  'Conversation',
  'Compose',
  'History',
  'Tools',
  'Agents',
  'Rules',
  'Health',
  'Settings',
] as const;
export type PlaceName = (typeof PLACES)[number];

export async function goTo(page: Page, place: PlaceName): Promise<void> {
  // Activity's name ends in the number that waits.
  const name = new RegExp(`^${place}(?: \\d+)?$`);
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { level: 1, name: place })).toBeVisible();
}

/** The window's inner size; its smallest allowed size is no concern here. */
export async function resize({ electron, page }: Gatehouse, width: number, height: number): Promise<void> {
  await electron.evaluate(
    ({ BrowserWindow }, [wide, high]) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.setMinimumSize(200, 200);
      window?.setContentSize(wide, high);
    },
    [width, height] as const,
  );
  await page.waitForFunction((wide) => innerWidth === wide, width);
}

export interface WantedCall {
  readonly tool: string;
  readonly arguments: unknown;
}

/** Asks for calls through the composer's own channel and waits until each is settled. */
export async function runCalls(page: Page, calls: readonly WantedCall[]): Promise<readonly string[]> {
  return await page.evaluate(async (wanted) => {
    const { client, onEvents } = window.gatehouse;
    const open = new Set<string>();
    const settled = new Set<string>();
    let done: () => void = () => {};
    const check = () => {
      if (open.size > 0 && [...open].every((id) => settled.has(id))) done();
    };
    const stop = onEvents((events) => {
      for (const event of events)
        if (event.type === 'call' && event.call.outcome !== null) settled.add(event.call.callId);
      check();
    });
    const finished = new Promise<void>((resolve) => (done = resolve));
    const shown = await client['app.snapshot']({});
    const answer = await client['compose.run']({
      workspace: (shown.ok ? shown.value.workspace?.path : null) ?? '',
      calls: wanted.map(({ tool, arguments: args }) => ({ tool, arguments: JSON.stringify(args) })),
    });
    if (!answer.ok) {
      stop();
      throw new Error(`${answer.error.code}: ${answer.error.message}`);
    }
    for (const id of answer.value.callIds) open.add(id);
    check();
    await finished;
    stop();
    return answer.value.callIds;
  }, calls);
}

/** Everything the content policy refused, and every error the page met, from now on. */
export function watchForFaults(page: Page): () => readonly string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  return () => faults;
}
