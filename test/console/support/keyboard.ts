/** Uses a page by keyboard: Tab moves the focus, keys act. */

import type { Locator, Page } from 'playwright-core';

/** More than any page has. */
const MAX_STEPS = 150;

/** Presses Tab until the element has the focus; fails if it never gets it. */
export async function reach(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let steps = 0; steps <= MAX_STEPS; steps += 1) {
    if (await hasFocus(wanted)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_STEPS} presses of Tab did not reach ${wanted}`);
}

export async function press(page: Page, wanted: Locator, key = 'Enter'): Promise<void> {
  await reach(page, wanted);
  await page.keyboard.press(key);
}

/** Replaces the text. */
export async function write(page: Page, wanted: Locator, text: string): Promise<void> {
  await reach(page, wanted);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

export function hasFocus(wanted: Locator): Promise<boolean> {
  // Tests are compiled without DOM types.
  return wanted.evaluate((element: { readonly ownerDocument: { readonly activeElement: unknown } }) => {
    return element.ownerDocument.activeElement === element;
  });
}
