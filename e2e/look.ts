import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { type Gatehouse, projectDir } from './app.js';

/** A picture for people to look at: artifacts/screens/<name>.png. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(projectDir, 'artifacts', 'screens', `${name}.png`), animations: 'disabled' });
}

/** What fades in has come: half there, its colours are not those that people see. */
async function standsStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // What began with the last change is under way after a frame or two.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter(({ effect }) => {
      return Number.isFinite(Number(effect?.getComputedTiming().endTime));
    });
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** WCAG 2.2 A and AA, on what is shown now. The message names each rule and the elements that break it. */
export async function expectAccessible(page: Page): Promise<void> {
  await standsStill(page);
  // Electron has no second page to finish in, which is what the default mode asks for.
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .setLegacyMode(true)
    .analyze();
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `    ${node.target.join(' ')}\n      ${node.failureSummary}`).join('\n')}`,
  );
  expect(found, found.join('\n')).toEqual([]);
}

/** The window with so much room, and its content so large. */
export async function lookAt(
  { electron }: Pick<Gatehouse, 'electron'>,
  width: number,
  height: number,
  zoom: number,
): Promise<void> {
  await electron.evaluate(
    ({ BrowserWindow }, [w, h, factor]) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.setMinimumSize(200, 200);
      window?.setContentSize(w, h);
      window?.webContents.setZoomFactor(factor);
    },
    [width, height, zoom] as const,
  );
}
