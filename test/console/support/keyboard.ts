/** A page without a mouse: what is wanted is reached by Tab, and done by keys. */

import type { Locator, Page } from 'playwright-core';

/** More than any page has. */
const MAX_STEPS = 150;

/** Goes on with Tab until it has the focus; where it cannot be reached the test fails. */
export async function reach(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let steps = 0; steps <= MAX_STEPS; steps += 1) {
    if (await hasFocus(wanted)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_STEPS} times Tab does not lead to ${wanted}`);
}

export async function press(page: Page, wanted: Locator, key = 'Enter'): Promise<void> {
  await reach(page, wanted);
  await page.keyboard.press(key);
}

/** What was there is written over. */
export async function write(page: Page, wanted: Locator, text: string): Promise<void> {
  await reach(page, wanted);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

export function hasFocus(wanted: Locator): Promise<boolean> {
  // As much of an element as is looked at: the tests are compiled without the types of the web.
  return wanted.evaluate((element: { readonly ownerDocument: { readonly activeElement: unknown } }) => {
    return element.ownerDocument.activeElement === element;
  });
}
