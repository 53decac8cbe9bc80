import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
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

const CONTROLS =
  'a[href], button, input, select, textarea, summary, [role="button"], [role="checkbox"], [role="radio"], [role="switch"], [role="combobox"], [role="tab"], [role="option"]';

/** Everything in a part of the window is reached by Tab, or by arrows in a group, and has a name. */
export async function expectByKeyboard(page: Page, part: Locator): Promise<void> {
  await part.evaluate((whole, controls) => {
    const first = [...whole.querySelectorAll<HTMLElement>(controls)].find(
      (each) => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }),
    );
    first?.focus();
  }, CONTROLS);
  for (let at = 0; at < 300; at += 1) {
    const goesOn = await part.evaluate((whole) => {
      const focused = document.activeElement;
      if (focused === null || !whole.contains(focused) || focused.hasAttribute('data-reached')) return false;
      focused.setAttribute('data-reached', '');
      return true;
    });
    if (!goesOn) break;
    await page.keyboard.press('Tab');
  }
  const unreached = await part.evaluate((whole, controls) => {
    // One of a group has its place in the order; arrows lead to the others.
    const groups =
      '[role="radiogroup"], [role="tablist"], [role="listbox"], [role="treegrid"], [role="tree"], [role="menu"]';
    const left = [...whole.querySelectorAll<HTMLElement>(controls)].filter(
      (each) =>
        !each.hasAttribute('data-reached') &&
        each.closest('[aria-hidden="true"], [inert]') === null &&
        (each.closest(groups)?.querySelector('[data-reached]') ?? null) === null &&
        !each.matches(':disabled, [aria-disabled="true"]') &&
        each.checkVisibility({ visibilityProperty: true }),
    );
    for (const each of whole.querySelectorAll('[data-reached]')) each.removeAttribute('data-reached');
    return left.map((each) => each.outerHTML.slice(0, 200));
  }, CONTROLS);
  expect(unreached).toEqual([]);
  const named = [
    ...(await part.ariaSnapshot()).matchAll(
      /- (?:button|link|textbox|checkbox|switch|combobox)(?: "(.*?)")?[ :]*(?:\[|$)/gmu,
    ),
  ];
  expect(named.filter(([, name]) => name === undefined).map(([line]) => line)).toEqual([]);
}
