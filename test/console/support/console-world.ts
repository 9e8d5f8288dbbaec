/** A real hub that serves the built console on a port of its own, and a real browser that opens it. */

import { createHub, type LocalHub } from 'parley-hub';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { chromium } from '../../client/web/chromium.ts';
import { type BuiltPage, builtPage } from './built-page.ts';

export interface ConsoleWorld {
  readonly hub: LocalHub;
  readonly browser: Browser;
  readonly origin: string;
  readonly page: BuiltPage;
  /** A token with these grants for a name. */
  tokenFor(name: string, grants?: readonly ('observe' | 'operate' | 'approve' | 'enrol')[]): Promise<string>;
  end(): Promise<void>;
}

interface WorldOptions {
  /** Whoever comes is let in. */
  readonly none?: boolean;
  /** Another hub for the same browser, which ends with the other world. */
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

/** What a page asked for and complained of, from now on. */
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

/** Signs in by the fragment, which is how `parley up` can pass a token on. */
export async function openConsole(
  { browser, origin }: Pick<ConsoleWorld, 'browser' | 'origin'>,
  { token, name, to = '/' }: { token: string; name: string; to?: string },
  context: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const page = await (await browser.newContext(context)).newPage();
  // Less than a test has: what was waited for is told.
  page.setDefaultTimeout(20_000);
  await page.goto(`${origin}/#token=${token}&name=${name}&to=${encodeURIComponent(to)}`);
  return page;
}
