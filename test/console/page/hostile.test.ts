// Hostile input: the page shows it as text and does nothing else with it.

import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeConsole, openConsole, overhear } from '../support/console-world.ts';
import { visit } from '../support/people.ts';
import { type HostileScene, hostileScene, IMG, SCRIPT } from './hostile-scene.ts';

describeConsole('hostile text', (world) => {
  let scene: HostileScene;

  beforeAll(async () => {
    scene = await hostileScene(world.hub);
  }, 60_000);

  /** Addresses, with the places that show hostile text and what they contain. */
  const places = (): readonly (readonly [string, readonly (readonly [string, string])[]])[] => [
    [
      '#/sessions',
      [
        ['.rows .intent', SCRIPT],
        ['.rows .intent', '<iframe'],
      ],
    ],
    ['#/sessions?search=onerror', [['.found li', 'onerror']]],
    [
      `#/sessions/${scene.talk}`,
      [
        ['.session-head .intent', IMG],
        ['.session-head .label', '<script'],
        ['.quiet-row.mark-hide', SCRIPT],
        ['.quiet-row.mark-violation', IMG],
        ['.panel-expectations', SCRIPT],
        ['.panel-metadata', IMG],
      ],
    ],
    [`#/sessions/${scene.talk}?at=9`, [['.said-row .text', '<']]],
    [
      `#/sessions/${scene.ended}`,
      [
        ['.quiet-row.mark-close', IMG],
        ['.session-head .close-reason', IMG],
      ],
    ],
    [
      `#/sessions/${scene.workflow}`,
      [
        ['.panel-graph', IMG],
        ['.panel-metadata', SCRIPT],
        ['.said-row .text', IMG],
        ['.said-row .routing', SCRIPT],
      ],
    ],
    [
      `#/sessions/${scene.governed}`,
      [
        ['.panel-governed .run-notice', IMG],
        ['.panel-governed .run-list', SCRIPT],
        ['.quiet-row.mark-turn', IMG],
        ['.quiet-row.mark-stop', IMG],
        ['.panel-metadata', SCRIPT],
      ],
    ],
    [`#/sessions/${encodeURIComponent(IMG)}`, [['.refusal', 'session_id']]],
    [
      '#/hub',
      [
        ['table td', SCRIPT],
        ['table th', '<img'],
        ['.feed', '<img'],
        ['.resume dd', IMG],
        ['.resume .value', IMG],
      ],
    ],
    [`#/${encodeURIComponent(IMG)}`, [['h1', '']]],
  ];

  it.each([
    ['with its policy', false],
    ['without a policy', true],
  ])(
    '[UI8] is shown as text everywhere on every page, %s',
    async (_, bypassCSP) => {
      const name = bypassCSP ? 'eve' : 'ann';
      const page = await openConsole(world, { name, token: await world.tokenFor(name) }, { bypassCSP });
      const heard = overhear(page);
      await page.waitForSelector('.rows .row');
      for (const [to, shown] of places()) {
        await visit(page, to, shown[0]?.[0] ?? 'h1');
        await page.evaluate(`for (const one of document.querySelectorAll('main details')) one.open = true`);
        if (to === '#/hub') await page.getByRole('button', { name: 'mallory' }).click();
        for (const [place, words] of shown) {
          await page.locator(place, { hasText: words }).first().waitFor({ state: 'attached', timeout: 10_000 });
        }
        await calm(page);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), to).toBe(true);
      }
      await visit(page, `#/sessions/${scene.talk}`, '.said-row');
      await page.evaluate(`document.querySelector('.transcript').scrollTop = 0`);
      await page.waitForSelector(`.said-row .text >> text=${SCRIPT}`);
      await calm(page);
      expect(heard.dialogs).toEqual([]);
      expect(heard.complaints).toEqual([]);
      expect(heard.requests.filter((url) => !url.startsWith(world.origin))).toEqual([]);
    },
    60_000,
  );

  it('[UI8] names that no hub would accept and strange errors are shown as text', async () => {
    const page = await (await world.browser.newContext()).newPage();
    const heard = overhear(page);
    // Replace names and messages on the wire by hostile ones that no hub would send.
    await page.routeWebSocket('**', (socket) => {
      const hub = socket.connectToServer();
      hub.onMessage((frame) =>
        socket.send(
          String(frame)
            .replaceAll('"name":"mallory"', `"name":${JSON.stringify(IMG)}`)
            .replaceAll(/"message":"/g, `"message":${JSON.stringify(SCRIPT).slice(0, -1)} `),
        ),
      );
    });
    const token = await world.tokenFor('nora');
    await page.goto(`${world.origin}/#token=${token}&name=nora&to=${encodeURIComponent(`/sessions/${scene.talk}`)}`);
    await page.locator('.people li', { hasText: '<img src=x' }).waitFor();
    await page.locator('.said-row .speaker', { hasText: IMG }).first().waitFor();
    await page.locator('option', { hasText: '<img src=x' }).waitFor({ state: 'attached' });
    await calm(page);
    for (const [to, place, words] of [
      ['#/sessions', '.rows .participants', '<img'],
      ['#/hub', 'table th', '<img'],
      [`#/sessions/${'0'.repeat(32)}`, '.refusal', SCRIPT],
    ] as const) {
      await visit(page, `${to}`);
      await page.locator(place, { hasText: words }).first().waitFor();
      await calm(page);
    }
    expect([heard.dialogs, heard.complaints]).toEqual([[], []]);
  }, 60_000);

  it('[UI8] bidirectional controls are visible', async () => {
    const to = `/sessions/${scene.talk}`;
    const page = await openConsole(world, { name: 'zoe', token: await world.tokenFor('zoe'), to });
    await page.waitForSelector('.said-row >> text=⟨U+202E⟩evil');
  });
});

/** No hostile text ran or became an element. */
async function calm(page: Page): Promise<void> {
  expect(await page.evaluate('window.hit ?? null')).toBeNull();
  const alien =
    'main :is(script, img, iframe, style, link, base, meta, form[action], math, mglyph, animate, object, embed)';
  expect(await page.locator(alien).count()).toBe(0);
  expect(await page.locator('a:not([href^="#/"])').count()).toBe(0);
}
