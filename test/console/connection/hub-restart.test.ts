// The hub is killed and restarted under an open page: nothing is missing, and the page is not reloaded.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { restoreBackup } from 'parley-hub';
import { type AgentClient, connect, type Session } from 'parley-hub/client';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { type BuiltScript, builtScript } from '../../support/built-script.ts';
import { type BuiltPage, builtPage } from '../support/built-page.ts';
import { closePages, openConsole } from '../support/console-world.ts';
import { visit } from '../support/people.ts';

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  readonly tokens: Readonly<Record<string, string>>;
}

describe.skipIf(chromium === null && !required('chromium'))(`a killed hub${whyNoChromium}`, () => {
  let script: BuiltScript;
  let page: BuiltPage;
  let browser: Browser;
  let data: string;
  let hub: Started;
  const clients: AgentClient[] = [];

  beforeAll(async () => {
    if (chromium === null) throw new Error('PARLEY_REQUIRE asks for Chromium');
    [script, page] = await Promise.all([builtScript('test/console/connection/hub-child.ts'), builtPage()]);
    data = mkdtempSync(join(tmpdir(), 'parley-console-hub-'));
    browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox'] });
    hub = await start(0);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    for (const client of clients) client.close();
    hub?.child.kill('SIGKILL');
    await script?.remove();
    page?.remove();
    rmSync(data, { recursive: true, force: true });
  });

  afterEach(() => closePages(browser));

  async function start(port: number): Promise<Started> {
    const child = spawn(process.execPath, [script.path, data, String(port), page.folder], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [started] = (await once(child, 'message')) as [Pick<Started, 'port' | 'tokens'>];
    return { child, port: started.port, tokens: { ...hub?.tokens, ...started.tokens } };
  }

  async function agent(name: string): Promise<AgentClient> {
    const reconnect = { minMs: 50, maxMs: 500 };
    const client = await connect(`ws://127.0.0.1:${hub.port}`, { name, token: hub.tokens[name] ?? '', reconnect });
    clients.push(client);
    return client;
  }

  /** A page in a conversation with carol. */
  async function talking(name: string): Promise<{ open: Page; session: Session }> {
    const carol = await agent('carol');
    const origin = `http://127.0.0.1:${hub.port}`;
    const open = await openConsole({ browser, origin }, { name, token: hub.tokens[name] ?? '' });
    await open.waitForSelector('.me');
    const session = await carol.open('conversation', { participants: [name], wait: 'created' });
    await visit(open, `#/sessions/${session.id}`);
    await open.getByRole('button', { name: 'Accept' }).click();
    await open.waitForSelector('.composer');
    return { open, session };
  }
  async function kill(): Promise<void> {
    const gone = once(hub.child, 'exit');
    hub.child.kill('SIGKILL');
    await gone;
  }
  const messageBox = (page: Page) => page.getByLabel('Message');

  it('[UI6] the page shows the loss, reconnects without a reload, and shows everything once', async () => {
    const alice = await agent('alice');
    const bob = await agent('bob');
    const session = await alice.open('conversation', { participants: ['bob'], labels: { intent: 'Outlive it' } });
    await session.send('Said 1');
    const origin = `http://127.0.0.1:${hub.port}`;
    const token = hub.tokens.ann ?? '';
    const open = await openConsole({ browser, origin }, { name: 'ann', token, to: `/sessions/${session.id}` });
    await open.waitForSelector('.said-row >> text=Said 1');
    await open.evaluate('window.marker = "still here"');

    await kill();
    await open.waitForSelector('[data-connection=away] >> text=reconnecting');
    expect(await open.locator('.said-row >> text=Said 1').count()).toBe(1);

    hub = await start(hub.port);
    for (const number of [2, 3, 4]) await session.send(`Said ${number}`);
    await bob.session(session.id).send('Said 5');
    await open.waitForSelector('[data-connection=open]', { state: 'attached' });
    await open.waitForSelector('.said-row >> text=Said 5');
    const said = await open.locator('.said-row .text').allInnerTexts();
    expect(said).toEqual(['Said 1', 'Said 2', 'Said 3', 'Said 4', 'Said 5']);

    await open.getByRole('link', { name: 'Sessions' }).click();
    await open.locator('.rows .row', { hasText: 'Outlive it' }).waitFor();
    await alice.open('conversation', { participants: ['bob'], labels: { intent: 'After it' } });
    await open.locator('.rows .row', { hasText: 'After it' }).waitFor();
    expect(await open.evaluate('window.marker')).toBe('still here');
  }, 60_000);

  it('[UI81] a message sent while the hub is away is posted once on reconnect', async () => {
    const { open } = await talking('dora');
    await messageBox(open).fill('Said into the void');
    await kill();
    await open.waitForSelector('[data-connection=away]');
    await messageBox(open).press('Control+Enter');
    await open.waitForSelector('.composer-turn >> text=the message is sent on reconnect');
    expect(await messageBox(open).inputValue()).toBe('Said into the void');
    hub = await start(hub.port);
    await open.waitForSelector('.said-row >> text=Said into the void');
    await expect.poll(() => messageBox(open).inputValue()).toBe('');
    expect(await open.locator('.said-row .text').allInnerTexts()).toEqual(['Said into the void']);
  }, 60_000);

  it('[UI81] a message sent while another page is shown is no draft any more', async () => {
    const { open, session } = await talking('dora');
    hub.child.kill('SIGSTOP');
    await messageBox(open).fill('Said once');
    await messageBox(open).press('Control+Enter');
    await visit(open, '#/sessions', '.rows');
    await visit(open, `#/sessions/${session.id}`);
    hub.child.kill('SIGCONT');
    await open.waitForSelector('.said-row >> text=Said once');
    await expect.poll(() => messageBox(open).inputValue()).toBe('');
    await visit(open, '#/hub', '.tiles');
    await visit(open, `#/sessions/${session.id}`, '.composer');
    expect(await messageBox(open).inputValue()).toBe('');
  }, 60_000);

  it('[UI3, UI81] read-only mode drops writes that wait for the hub', async () => {
    const { open, session } = await talking('dora');
    await kill();
    await open.waitForSelector('[data-connection=away]');
    await messageBox(open).fill('Not after all');
    await messageBox(open).press('Control+Enter');
    await open.waitForSelector('.composer-turn >> text=the message is sent on reconnect');
    await open.getByLabel('Read-only').check();
    hub = await start(hub.port);
    await open.waitForSelector('[data-connection=open]', { state: 'attached' });
    await session.send('Are you there?');
    await open.waitForSelector('.said-row >> text=Are you there?');
    expect(await open.locator('.said-row .text').allInnerTexts()).toEqual(['Are you there?']);
  }, 60_000);

  it('[UI81] the same text typed again after an unknown outcome is a new message', async () => {
    const { open } = await talking('dora');
    hub.child.kill('SIGSTOP');
    await messageBox(open).fill('yes');
    await messageBox(open).press('Control+Enter');
    await open.getByLabel('Read-only').check();
    hub.child.kill('SIGCONT');
    await open.waitForSelector('.talk');
    await open.getByLabel('Read-only').uncheck();
    await open.waitForSelector('.composer');
    const said = open.locator('.said-row', { hasText: 'yes' });
    const before = await said.count();
    await messageBox(open).fill('');
    await messageBox(open).fill('yes');
    await messageBox(open).press('Control+Enter');
    await expect.poll(() => messageBox(open).inputValue()).toBe('');
    await said.nth(before).waitFor();
  }, 60_000);

  it.each(['ann', 'erin'])(
    '[UI6] after a restore the page shows the restored past: %s',
    async (name) => {
      const { open, session } = await talking(name);
      await session.send('Kept');
      await open.waitForSelector('.said-row >> text=Kept');
      const backup = join(data, '..', `${basename(data)}-backup-${name}`);
      hub.child.send(backup);
      await once(hub.child, 'message');
      for (const letter of ['a', 'b', 'c']) await session.send(`Lost ${letter}`);
      await open.waitForSelector('.said-row >> text=Lost c');
      await kill();
      // A client that reconnects later would replace the new one of the same name.
      for (const client of clients.splice(0)) client.close();
      rmSync(data, { recursive: true });
      await restoreBackup(backup, data);
      rmSync(backup, { recursive: true });
      hub = await start(hub.port);
      await open.waitForSelector('[data-connection=open]', { state: 'attached' });
      const said = () => open.locator('.said-row .text').allInnerTexts();
      await expect.poll(said, { timeout: 10_000 }).toEqual(['Kept']);
      const again = await agent('carol');
      for (const number of [1, 2]) await again.session(session.id).send(`New ${number}`);
      await expect.poll(said, { timeout: 10_000 }).toEqual(['Kept', 'New 1', 'New 2']);
    },
    60_000,
  );
});
