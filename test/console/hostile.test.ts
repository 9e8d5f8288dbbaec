// A transcript is hostile input: whatever it says, the page shows it as text and does nothing else with it.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { required } from '../package/repository.ts';
import { chromium, whyNoChromium } from '../web/chromium.ts';
import { type ConsoleWorld, consoleWorld, openConsole, overhear } from './console-world.ts';

/** Each would be seen: as a dialog, as a mark on the window, as a request to somebody else, or as an element. */
const CORPUS = [
  '<script>window.hit=1;alert(1)</script>',
  '<img src=x onerror="window.hit=2;alert(2)">',
  '<svg onload="window.hit=3"><animate onbegin="window.hit=3" attributeName=x dur=1s></svg>',
  '"><iframe srcdoc="<script>parent.hit=4</script>"></iframe>',
  '<a href="javascript:window.hit=5">click</a>',
  '[click](javascript:window.hit=6) ![x](https://evil.example/pixel.png)',
  '<style>@import url(https://evil.example/x.css)</style><link rel=stylesheet href=https://evil.example/y.css>',
  '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<form action=https://evil.example/><button autofocus onfocus="window.hit=7">x</button></form>',
  `$\{window.hit=8} {{constructor.constructor("window.hit=9")()}}`,
  '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=window.hit=10>">',
  '\u202Eevil\u202C \u0000\u001b[2J \u{E0041}',
  'W'.repeat(3000),
  '__proto__',
];

describe.skipIf(chromium === null && !required('chromium'))(`hostile text${whyNoChromium}`, () => {
  let world: ConsoleWorld;
  let sessionId: string;

  beforeAll(async () => {
    world = await consoleWorld();
    const mallory = await world.hub.agent('mallory');
    await world.hub.agent('bob');
    await mallory.setResume({ summary: CORPUS[0] ?? '', claimedCapabilities: ['<img src=x onerror=alert(1)>'] });
    for (const [at, intent] of CORPUS.slice(0, 11).entries()) {
      await mallory.open('conversation', { participants: ['bob'], labels: { intent, [`key${at}`]: intent } });
    }
    const session = await mallory.open('conversation', {
      participants: ['bob'],
      labels: { intent: CORPUS[1] ?? '' },
      expectations: [{ name: 'max_silence', params: { seconds: 1 }, on_violation: 'notify_session' }],
    });
    sessionId = session.id;
    for (const text of CORPUS) await session.send(text);
    await world.hub.hideParticipant(sessionId, 'bob', (CORPUS[0] ?? '').slice(0, 200));
  }, 60_000);
  afterAll(() => world?.end());

  it.each([
    ['with its policy', false],
    ['without a policy', true],
  ])(
    '[UI8] in every place of every page it is text, %s',
    async (_, bypassCSP) => {
      const name = bypassCSP ? 'eve' : 'ann';
      const page = await openConsole(world, { name, token: await world.tokenFor(name) }, { bypassCSP });
      const heard = overhear(page);
      await page.waitForSelector('.rows .row');
      await page.waitForSelector(`.rows >> text=${'<script>window.hit=1'}`);
      await calm(page);
      for (const to of [
        `#/sessions/${sessionId}`,
        `#/sessions/${sessionId}?at=9`,
        '#/hub',
        '#/sessions?search=onerror',
      ]) {
        await page.evaluate(`location.hash = ${JSON.stringify(to)}`);
        await page.waitForSelector(to.includes('hub') ? '.tile' : to.includes('search') ? '.found li' : '.said-row');
        for (const summary of await page.locator('details:not([open]) > summary').all()) await summary.click();
        await calm(page);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
      await page.evaluate(`location.hash = '#/sessions/${sessionId}'`);
      await page.waitForSelector('.said-row');
      await page.waitForSelector('.quiet-row.mark-hide >> text=<script>');
      await page.evaluate(`document.querySelector('.transcript').scrollTop = 0`);
      await page.waitForSelector('.said-row .text >> text=<script>window.hit=1;alert(1)</script>');
      expect(heard.dialogs).toEqual([]);
      expect(heard.complaints).toEqual([]);
      expect(heard.requests.filter((url) => !url.startsWith(world.origin))).toEqual([]);
      await page.context().close();
    },
    60_000,
  );

  it('[UI8] what would turn the text around is seen', async () => {
    const page = await openConsole(world, {
      name: 'zoe',
      token: await world.tokenFor('zoe'),
      to: `/sessions/${sessionId}`,
    });
    await page.waitForSelector('.said-row >> text=⟨U+202E⟩evil');
    await page.context().close();
  });
});

/** Nothing ran, and nothing became an element. */
async function calm(page: Page): Promise<void> {
  expect(await page.evaluate('window.hit ?? null')).toBeNull();
  const alien =
    'main :is(script, img, iframe, style, link, base, meta, form[action], math, mglyph, animate, object, embed)';
  expect(await page.locator(alien).count()).toBe(0);
  expect(await page.locator('a:not([href^="#/"])').count()).toBe(0);
}
