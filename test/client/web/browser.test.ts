// The browser client: its contents, and that it works in a real browser.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createHub, type LocalHub } from 'parley-hub';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { required, root } from '../../package/repository.ts';
import { chromium, whyNoChromium } from './chromium.ts';
import { type CuttableProxy, cuttableProxy } from './cuttable-proxy.ts';

interface Bundle {
  readonly code: string;
  readonly modules: readonly string[];
  readonly imports: readonly string[];
}

/** One bundle of `parley-hub/client`, as for a page. */
async function bundled(): Promise<Bundle> {
  const made = await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(root, 'src/client/web.ts'), formats: ['es'], fileName: 'client' },
    },
  });
  // `write: false` and one format give one output file.
  const [output] = Array.isArray(made) ? made : [made];
  if (output === undefined || !('output' in output)) throw new Error('nothing was built');
  const [{ code, moduleIds, imports, dynamicImports }] = output.output;
  return { code, modules: moduleIds, imports: [...imports, ...dynamicImports] };
}

const bundle = await bundled();

describe('the client for browsers', () => {
  it('[PK9] consists of the client, the core and their needs, without parts of Node', () => {
    expect(bundle.modules).toContain(join(root, 'src/client/web.ts'));
    expect(bundle.imports).toEqual([]);
    expect(bundle.modules.filter((id) => /node:|browser-external|\/src\/(?:node|hub)\//.test(id))).toEqual([]);
  });

  describe.skipIf(chromium === null && !required('chromium'))(`in Chromium${whyNoChromium}`, () => {
    let hub: LocalHub;
    let proxy: CuttableProxy;
    let site: Server;
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      if (chromium === null) throw new Error('PARLEY_REQUIRE asks for Chromium');
      site = createServer(({ url }, response) => {
        const isScript = url === '/client.js';
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? bundle.code : '<!doctype html><title>Parley</title>');
      }).listen(0, '127.0.0.1');
      await once(site, 'listening');
      const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      hub = await createHub();
      const port = await hub.listen({ port: 0, origins: [origin] });
      proxy = await cuttableProxy(port.port);
      browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox'] });
      page = await browser.newPage();
      await page.goto(origin);
      const { token } = await hub.createToken({ grants: ['enrol'] });
      await page.evaluate(`(${JOIN})(${JSON.stringify({ url: `ws://127.0.0.1:${proxy.port}`, token })})`);
    }, 60_000);

    afterAll(async () => {
      await browser?.close();
      await hub?.stop();
      await proxy?.close();
      site?.close();
    });

    it('[PK9] answers and opens sessions over its own WebSocket with a token', async () => {
      const alice = await hub.agent('alice', { onMessage: (message) => message.reply(`${message.text} 4`) });
      const asked = await page.evaluate<string>(`(async () => {
        const session = await client.open('consulting', ['alice']);
        await session.send('2 + 2 =');
        return (await session.waitFor('msg.text')).event_data.text;
      })()`);
      expect(asked).toBe('2 + 2 = 4');
      const session = await alice.open('consulting', ['page']);
      await session.send('Are you there?');
      expect((await session.ended()).reason).toBe('consulting_complete');
      expect(await page.evaluate('heard')).toEqual(['Are you there?']);
      alice.close();
    });

    it('[PK9] reconnects after its socket was cut and receives missed messages once', async () => {
      const bert = await hub.agent('bert');
      const session = await bert.open('conversation', ['page']);
      await session.send('Before.');
      await session.waitFor('msg.text');
      const gone = new Promise((resolve) => hub.on('agentUnbound', resolve));
      proxy.cut();
      await gone;
      await page.waitForFunction(`client.state === 'away'`);
      await session.send('Meanwhile.');
      proxy.mend();
      expect((await session.waitFor('msg.text')).event_data.text).toBe('I heard: Meanwhile.');
      expect(await page.evaluate('heard')).toEqual(['Are you there?', 'Before.', 'Meanwhile.']);
      expect(await page.evaluate('client.state')).toBe('open');
    });
  });
});

/** Runs in the page; as text, because it is not part of this program. */
const JOIN = `async ({ url, token }) => {
  const { connect } = await import('/client.js');
  globalThis.heard = [];
  globalThis.client = await connect(url, {
    name: 'page',
    token,
    reconnect: { minMs: 20, maxMs: 100 },
    onMessage(message) {
      heard.push(message.text);
      return message.reply('I heard: ' + message.text);
    },
  });
}`;
