import type { Locator, Page } from '@playwright/test';
import { expect } from './app.js';

export interface WantedCall {
  readonly tool: string;
  readonly arguments: unknown;
}

/** Runs a batch the way a person does: Compose, paste, run. */
export async function runBatch(page: Page, calls: readonly WantedCall[] | string): Promise<void> {
  await page.getByRole('link', { name: 'Compose' }).click();
  await page.getByRole('button', { name: 'Paste batch' }).click();
  await page.getByRole('textbox', { name: 'Batch' }).fill(typeof calls === 'string' ? calls : JSON.stringify(calls));
  await page.getByRole('button', { name: 'Run batch' }).click();
}

export const results = (page: Page): Locator => page.getByRole('region', { name: 'Results' });
/** The calls of the last batch, in their order. */
export const calls = (page: Page): Locator => results(page).locator('[data-call-id]');
export const sheet = (page: Page): Locator => page.getByRole('dialog', { name: 'Approve tool calls' });
export const command = (text: string): WantedCall => ({ tool: 'run_command', arguments: { command: text } });
export const write = (path: string, content = `${path}\n`): WantedCall => ({
  tool: 'write_file',
  arguments: { path, content },
});

export async function expectStates(page: Page, states: readonly string[]): Promise<void> {
  await expect
    .poll(() => calls(page).evaluateAll((all) => all.map((each) => each.getAttribute('data-state'))), {
      timeout: 20_000,
    })
    .toEqual(states);
}

/** run_command stands on the denylist until a person takes it off. */
export const COMMANDS_ALLOWED = '[tools.approval]\ndenylist = []\n';
