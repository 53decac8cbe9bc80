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
/** The three places of a sheet's answers. */
export const answers = (page: Page): Locator => sheet(page).locator('.gh-sheet-answers');

/** What stands on the sheet has stood there for long enough: it can be approved. */
export async function stood(page: Page): Promise<void> {
  await expect(sheet(page)).toHaveAttribute('data-approvable', 'true');
}

/** It is not so soon after another that what is pressed was meant for that one. */
export async function answerable(page: Page): Promise<void> {
  await expect(sheet(page)).toHaveAttribute('data-answerable', 'true');
}

/** Approves all that is on the sheet; what is of High risk a second time, as the sheet asks. */
export async function approveAll(page: Page): Promise<void> {
  await stood(page);
  const isHigh = (await sheet(page).locator('.gh-ask').getByText('High risk', { exact: true }).count()) > 0;
  await answers(page)
    .getByRole('button', { name: /^Approve(?! (?:and|selected))/ })
    .click();
  if (isHigh)
    await answers(page)
      .getByRole('button', { name: /^Approve \d+ high risk/ })
      .click();
}

export async function denyAll(page: Page): Promise<void> {
  await answerable(page);
  await answers(page).getByRole('button', { name: /^Deny/ }).click();
}

export const command = (text: string): WantedCall => ({ tool: 'run_command', arguments: { command: text } });
export const write = (path: string, content = `${path}\n`): WantedCall => ({
  tool: 'write_file',
  arguments: { path, content },
});

export async function expectStates(page: Page, states: readonly string[]): Promise<void> {
  await expect
    .poll(() => calls(page).evaluateAll((all) => all.map((each) => each.getAttribute('data-state'))))
    .toEqual(states);
}

/** run_command stands on the denylist until a person takes it off. */
export const COMMANDS_ALLOWED = '[tools.approval]\ndenylist = []\n';
