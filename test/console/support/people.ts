/** People who sit in front of a console: each signed in under a name of their own, in a browser context of their own. */

import type { Browser, Page } from 'playwright-core';
import { type ConsoleWorld, openConsole } from './console-world.ts';
import { press } from './keyboard.ts';

export type Grants = NonNullable<Parameters<ConsoleWorld['tokenFor']>[1]>;

export interface Person {
  readonly name: string;
  readonly token: string;
  readonly page: Page;
}

let people = 0;

/** Somebody new, signed in; a person without grants sees and does what is theirs alone. */
export async function person(
  world: ConsoleWorld,
  grants: Grants = [],
  to = '/',
  context: Parameters<Browser['newContext']>[0] = {},
): Promise<Person> {
  people += 1;
  const name = `ann-${people}`;
  const token = await world.tokenFor(name, grants);
  const page = await openConsole(world, { name, token, to }, context);
  await page.waitForSelector('.me');
  page.setDefaultTimeout(8000);
  return { name, token, page };
}

export async function goTo(page: Page, sessionId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/sessions/${sessionId}'`);
  await page.waitForSelector('.session-head');
}

/** In the session, having accepted the invite. */
export async function joined({ page }: Pick<Person, 'page'>, sessionId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/sessions/${sessionId}'`);
  await press(page, page.getByRole('button', { name: 'Accept' }));
  await page.waitForSelector('.composer');
}
