/** People at a console: each has a name and a browser context. */

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

/** Signs in a new person. Without grants it sees only its own sessions. */
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

/** Opens an address within the page, and waits for a selector. */
export async function visit(page: Page, to: string, ready?: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(to)}`);
  if (ready !== undefined) await page.waitForSelector(ready);
}

export function goTo(page: Page, sessionId: string): Promise<void> {
  return visit(page, `#/sessions/${sessionId}`, '.session-head');
}

/** Accepts the invite to the session. */
export async function joined({ page }: Pick<Person, 'page'>, sessionId: string): Promise<void> {
  await visit(page, `#/sessions/${sessionId}`);
  await press(page, page.getByRole('button', { name: 'Accept' }));
  await page.waitForSelector('.composer');
}
