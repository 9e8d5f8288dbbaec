/** The page of parts in a real browser, served with the console's policy. Records all faults of the page. */

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { JsonObject } from 'parley-hub/core';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { build } from 'vite';
import { inspectGraph } from '../../../adapters/graph/inspect-graph.ts';
import { BUILT_IN } from '../../../adapters/graph/vocabulary.ts';
import { root } from '../../package/repository.ts';

export type Theme = 'light' | 'dark';

export interface PartsPage {
  readonly page: Page;
  /** Errors, dialogs, requests to other sites, and breaches of the policy. */
  readonly faults: string[];
  show(scene: string, given: unknown, theme?: Theme): Promise<void>;
  close(): Promise<void>;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

export async function partsPage(executablePath: string): Promise<PartsPage> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-parts-'));
  await buildInto(folder);
  const site = createServer(({ url = '/' }, response) => {
    const name = url === '/' ? '/index.html' : url;
    try {
      const body = readFileSync(join(folder, name));
      response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream');
      response.setHeader('content-security-policy', POLICY);
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const browser = await driver.launch({ executablePath, args: ['--no-sandbox'] });
  const faults: string[] = [];
  const page = await opened(browser, origin, faults);
  return {
    page,
    faults,
    async show(scene, given, theme = 'light') {
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate(`show(${JSON.stringify(scene)}, ${JSON.stringify(given)})`);
    },
    async close() {
      await browser.close();
      site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function opened(browser: Browser, origin: string, faults: string[]): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => !request.url().startsWith(origin) && faults.push(`request: ${request.url()}`));
  await page.exposeFunction('checkGraph', (graph: JsonObject) => inspectGraph(graph, BUILT_IN));
  // The browser requests an icon.
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  await page.goto(`${origin}/`);
  await page.waitForFunction('typeof show === "function"');
  return page;
}

async function buildInto(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: join(root, 'test/console/parts/page'),
    base: './',
    publicDir: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}
