/** A real hub that serves the bundled console, and a real browser. */

import { createHub, type LocalHub } from 'parley-hub';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { type BuiltPage, builtPage } from './built-page.ts';

export interface ConsoleWorld {
  readonly hub: LocalHub;
  readonly browser: Browser;
  readonly origin: string;
  readonly page: BuiltPage;
  tokenFor(name: string, grants?: readonly ('observe' | 'operate' | 'approve' | 'enrol')[]): Promise<string>;
  end(): Promise<void>;
}

interface WorldOptions {
  /** Requires no token. */
  readonly none?: boolean;
  /** Shares the browser and the page of another world. */
  readonly beside?: ConsoleWorld;
}

export async function consoleWorld({ none = false, beside }: WorldOptions = {}): Promise<ConsoleWorld> {
  if (chromium === null) throw new Error('this needs Chromium, and there is none on this machine');
  const page = beside?.page ?? (await builtPage());
  const hub = await createHub();
  const auth = none ? { none: true } : {};
  const { port } = await hub.listen({ port: 0, console: { folder: page.folder }, auth });
  const browser = beside?.browser ?? (await driver.launch({ executablePath: chromium, args: ['--no-sandbox'] }));
  return {
    hub,
    browser,
    page,
    origin: `http://127.0.0.1:${port}`,
    async tokenFor(name, grants = ['observe', 'operate', 'enrol']) {
      return (await hub.createToken({ name, grants: [...grants] })).token;
    },
    async end() {
      if (beside === undefined) await browser.close();
      await hub.stop();
      if (beside === undefined) page.remove();
    },
  };
}

/** For `expect.poll`. */
export const POLL = { timeout: 10_000 };

/** Describes tests in a browser at one hub. Without Chromium they are skipped. Pages are closed after each test. */
export function describeConsole(title: string, define: (world: ConsoleWorld) => void): void {
  describe.skipIf(chromium === null && !required('chromium'))(`${title}${whyNoChromium}`, () => {
    // Filled before the first test runs.
    const world = {} as ConsoleWorld;
    beforeAll(async () => {
      Object.assign(world, await consoleWorld());
    }, 60_000);
    afterEach(() => closePages(world.browser));
    afterAll(() => world.end?.());
    define(world);
  });
}

export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** Requests, errors and dialogs of a page from now on. */
export interface Overheard {
  readonly requests: string[];
  readonly complaints: string[];
  readonly dialogs: string[];
}

export function overhear(page: Page): Overheard {
  const heard: Overheard = { requests: [], complaints: [], dialogs: [] };
  page.on('request', (request) => heard.requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') heard.complaints.push(message.text());
  });
  page.on('pageerror', (error) => heard.complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    heard.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return heard;
}

/** Signs in by the fragment, like links of `parley up`. */
export async function openConsole(
  { browser, origin }: Pick<ConsoleWorld, 'browser' | 'origin'>,
  { token, name, to = '/' }: { token: string; name: string; to?: string },
  context: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const page = await (await browser.newContext(context)).newPage();
  // Shorter than the limit of a test, so that a failure names what was awaited.
  page.setDefaultTimeout(20_000);
  await page.goto(`${origin}/#token=${token}&name=${name}&to=${encodeURIComponent(to)}`);
  return page;
}
