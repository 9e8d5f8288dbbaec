// An open page when the hub was restored, is unreachable, or sends much at once.

import { join } from 'node:path';
import { type AgentClient, createHub, type LocalHub, restoreBackup } from 'parley-hub';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';
import { describeConsole, openConsole } from '../support/console-world.ts';
import { person as somebody, visit } from '../support/people.ts';

describeConsole('a page under stress', (world) => {
  const row = (page: Page, text: string) => page.locator('.rows .row', { hasText: text });
  const intent = (words: string) => ({ labels: { intent: words } });

  /** A page of an operator at a hub that can stop, come back and be restored. */
  async function comingAndGoing(name: string, to = '/') {
    const folder = tempFolder('console-past');
    const console = { folder: world.page.folder };
    let data = join(folder, 'data');
    let hub: LocalHub = await createHub({ data });
    let serving = await hub.listen({ port: 0, console });
    const { port } = serving;
    const { token } = await hub.createToken({ name, grants: ['observe', 'operate', 'enrol'] });
    const origin = `http://127.0.0.1:${port}`;
    const page = await openConsole({ ...world, origin }, { name, token, to });
    await page.waitForSelector('.me');
    await page.evaluate('window.marker = "still here"');
    return {
      page,
      hub: () => hub,
      async leave(): Promise<void> {
        await serving.close();
        await page.waitForSelector('[data-connection=away]');
      },
      async comeBack(): Promise<void> {
        serving = await hub.listen({ port, console });
        await page.waitForSelector('[data-connection=open]', { state: 'attached' });
      },
      backUp: () => hub.backup(join(folder, 'backup')),
      async setBack(): Promise<void> {
        await hub.stop();
        data = join(folder, 'restored');
        await restoreBackup(join(folder, 'backup'), data);
        hub = await createHub({ data });
      },
      async end(): Promise<void> {
        expect(await page.evaluate('window.marker')).toBe('still here');
        await page.context().close();
        await hub.stop();
      },
    };
  }

  describe('a hub that was restored from a backup', () => {
    it('[UI4, UI6] the list drops lost sessions and shows restored ones as they are now', async () => {
      const it = await comingAndGoing('ann');
      const alice = await it.hub().agent('alice');
      await it.hub().agent('bob');
      const kept = await alice.open('conversation', { participants: ['bob'], ...intent('Kept') });
      await kept.send('Said before.');
      await it.backUp();
      for (const words of ['Said', 'and', 'lost.']) await kept.send(words);
      await kept.close('settled');
      await alice.open('conversation', { participants: ['bob'], ...intent('Lost') });
      await row(it.page, 'Lost').waitFor();
      await row(it.page, 'Kept').locator('.state-closed').waitFor();
      // Leave the list, so that it keeps its old rows.
      await it.page.getByRole('link', { name: 'Hub' }).click();
      await it.page.waitForSelector('.hub-page');
      await it.leave();
      await it.setBack();
      await it.comeBack();
      await it.page.getByRole('link', { name: 'Sessions' }).click();
      await row(it.page, 'Lost').waitFor({ state: 'detached' });
      await row(it.page, 'Kept').locator('.state-active').waitFor();
      const again = await it.hub().agent('alice');
      await it.hub().agent('bob');
      await again.open('conversation', { participants: ['bob'], ...intent('After it') });
      await row(it.page, 'After it').waitFor();
      expect(await it.page.locator('.rows .row').count()).toBe(2);
      await it.end();
    }, 60_000);

    it('[UI6] the feed of the hub starts again and continues', async () => {
      const it = await comingAndGoing('ann', '/hub');
      await it.page.locator('.card-head select').selectOption('all');
      await it.backUp();
      const eve = await it.hub().agent('eve');
      const refuse = (agent: AgentClient) => agent.call('hub_figures', {}).catch(() => {});
      for (let count = 0; count < 40; count += 1) await refuse(eve);
      const ofEve = it.page.locator('.feed .entry', { hasText: 'eve' });
      await expect.poll(() => ofEve.count()).toBeGreaterThanOrEqual(40);
      await it.leave();
      await it.setBack();
      await it.comeBack();
      await refuse(await it.hub().agent('mallory'));
      await it.page.locator('.feed .entry', { hasText: 'mallory' }).first().waitFor();
      expect(await ofEve.count()).toBe(0);
      await it.end();
    }, 60_000);
  });

  it('[UI6] a page first visited while the hub is away loads with its styles on reconnect', async () => {
    const it = await comingAndGoing('ann');
    const alice = await it.hub().agent('alice');
    await it.hub().agent('bob');
    const { id } = await alice.open('conversation', ['bob']);
    const { page } = it;
    const pages = [
      [`#/sessions/${id}`, '.session-head', 'session-'],
      ['#/hub', '.hub-page .tiles', 'hub-'],
      ['#/open', '.open-page, main form', 'open-page-'],
    ] as const;
    for (const [hash, shown, style] of pages) {
      await visit(page, '#/sessions');
      await it.leave();
      await visit(page, `${hash}`, 'h1 >> text=This page could not be loaded');
      await it.comeBack();
      await page.waitForSelector(shown);
      // A style sheet that failed to load has no rules.
      const sheets = await page.evaluate<string[]>(
        '[...document.styleSheets].map(({ href, cssRules }) => cssRules.length > 0 ? href : "empty")',
      );
      const styles = [...world.page.files.keys()].filter((name) => name.includes(`/${style}`) && name.endsWith('.css'));
      const linked = sheets.filter((href) => href.includes(`/${style}`)).map((href) => new URL(href).pathname.slice(1));
      expect(linked.sort()).toEqual(styles.sort());
      expect(styles).not.toEqual([]);
    }
    await it.end();
  }, 60_000);

  it('[UI6] a page whose code failed to load is loaded on reconnect', async () => {
    const it = await comingAndGoing('ann', '/hub');
    const { page } = it;
    await page.waitForSelector('.hub-page .tiles');
    await page.route(/open-page-.*\.js/, (route) => route.abort());
    await visit(page, '#/open', 'h1 >> text=This page could not be loaded');
    await it.leave();
    await page.unroute(/open-page-.*\.js/);
    await it.comeBack();
    await page.waitForSelector('main form');
    await it.end();
  }, 60_000);

  it('[UI4] a narrowed search shows no results of the previous search', async () => {
    const alice = await world.hub.agent('alice');
    const bob = await world.hub.agent('bob');
    bob.handle({ onMessage: () => {} });
    for (const words of ['Needle of one that is over', 'Needle of one that goes on']) {
      const session = await alice.open('conversation', ['bob']);
      await session.send(words);
      if (words.endsWith('over')) await session.close('settled');
    }
    const { page } = await somebody(world, ['observe']);
    let isPassedOn = false;
    let letGo = (): void => {};
    await page.routeWebSocket(/.*/, (socket) => {
      const server = socket.connectToServer();
      let held: string | null = null;
      socket.onMessage((frame) => {
        const { id, op, params } = JSON.parse(String(frame));
        if (op === 'search_sessions' && params.states === undefined) {
          held = id;
          letGo = () => server.send(frame);
        } else server.send(frame);
      });
      server.onMessage((frame) => {
        socket.send(frame);
        if (held !== null && JSON.parse(String(frame)).id === held) isPassedOn = true;
      });
    });
    await page.reload();
    await page.waitForSelector('.rows .row');
    await visit(page, '#/sessions?search=needle', '.found >> text=Searching');
    await visit(page, '#/sessions?states=CLOSED&search=needle', '.found >> text=1 found');
    letGo();
    await expect.poll(() => isPassedOn).toBe(true);
    // The late answer would be drawn with the next frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))');
    expect(await page.locator('.found li p').allInnerTexts()).toEqual(['Needle of one that is over']);
  });

  it('[UI6] the feed misses nothing when many entries arrive at once', async () => {
    const { page } = await somebody(world, ['observe', 'operate'], '/hub');
    await page.locator('.card-head select').selectOption('all');
    await page.locator('.feed .entry').first().waitFor();
    const eve = await world.hub.agent('eve');
    await Promise.allSettled(Array.from({ length: 160 }, () => eve.call('hub_figures', {})));
    await expect.poll(() => page.locator('.feed .entry', { hasText: 'hub_figures' }).count()).toBe(160);
  });

  describe('many sessions', () => {
    const EACH = 220;
    beforeAll(async () => {
      const alice = await world.hub.agent('alice');
      for (const name of ['carol', 'dave']) {
        (await world.hub.agent(name)).handle({ onMessage: () => {} });
      }
      for (let count = 0; count < EACH; count += 1) {
        await Promise.all(
          ['carol', 'dave'].map((name) => alice.open('conversation', { participants: [name], ...intent(name) })),
        );
      }
    }, 60_000);

    it('[UI4] all sessions of a participant are counted without scrolling', async () => {
      const { page } = await somebody(world, ['observe'], '/sessions?participant=carol');
      const count = page.locator('.count', { hasText: /^220 of 4\d\d$/ });
      await count.waitFor({ timeout: 15_000 });
    });

    it('[UI4] an idle hub is asked once a second, even after many simultaneous changes', async () => {
      const { page } = await somebody(world, ['observe']);
      const asked: number[] = [];
      const last = '2026-01-01T00:00:00.000Z';
      // Pretend that all sessions changed at the same time.
      await page.routeWebSocket(/.*/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((text) => {
          const frame = JSON.parse(String(text));
          if (frame.op !== 'list_sessions') return server.send(text);
          asked.push(performance.now());
          const { changed_since = '', ...params } = frame.params;
          const none = changed_since > last ? { changed_since: '9999-01-01T00:00:00.000Z' } : {};
          server.send(JSON.stringify({ ...frame, params: { ...params, ...none } }));
        });
        server.onMessage((text) =>
          socket.send(String(text).replace(/"changed_at":"[^"]*"/g, `"changed_at":"${last}"`)),
        );
      });
      await page.reload();
      await page.waitForSelector('.rows .row');
      const inLast = (ms: number): number => asked.filter((at) => at > performance.now() - ms).length;
      await expect.poll(() => inLast(3000), { timeout: 10_000, interval: 250 }).toBeGreaterThan(6);
      await expect.poll(() => inLast(3000), { timeout: 20_000, interval: 250 }).toBeLessThanOrEqual(4);
    }, 60_000);
  });
});
