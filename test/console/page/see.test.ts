// Reading with the console in a real browser with a real hub: sign-in, the live list, a live session, replay.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { AXE, faults } from '../support/axe.ts';
import { consoleWorld, describeConsole, openConsole, overhear, POLL } from '../support/console-world.ts';
import { scrollThrough } from '../support/long-list.ts';
import { person, visit } from '../support/people.ts';

const MUTATING =
  /"op":"(?!whoami|list_|search_|describe_|get_|read_|find_|hub_|check_|can_send|health|subscribe|unsubscribe)/;

describeConsole('the console', (world) => {
  let alice: AgentClient;
  let bob: AgentClient;

  beforeAll(async () => {
    alice = await world.hub.agent('alice');
    bob = await world.hub.agent('bob');
  }, 60_000);

  const signedIn = async (to = '/', context: Parameters<typeof person>[3] = {}): Promise<Page> =>
    (await person(world, ['observe', 'operate', 'enrol'], to, context)).page;

  /** More than two pages of sessions, created on first use. */
  let filling: Promise<void> | null = null;
  async function many(): Promise<void> {
    filling ??= (async () => {
      for (let count = 0; count < 250; count += 1) await alice.open('conversation', { participants: ['bob'] });
    })();
    await filling;
  }

  it('[UI2] a token from the form is kept for the tab, survives a reload, and is forgotten on sign-out', async () => {
    const page = await (await world.browser.newContext()).newPage();
    await page.goto(world.origin);
    await page.getByLabel('Your name').fill('fred');
    await page.getByLabel('Token').fill('parley_0000000000000000_wrong');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(await world.tokenFor('fred'));
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.waitForSelector('.me >> text=fred');
    await page.reload();
    await page.waitForSelector('.me >> text=fred');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('parley_');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate('sessionStorage.getItem("parley.token")')).toBeNull();
  });

  it('[UI2] a token is removed from the address and the history immediately', async () => {
    const page = await signedIn('/hub');
    expect(page.url()).toBe(`${world.origin}/#/hub`);
    await page.getByRole('heading', { name: 'Hub', exact: true }).waitFor();
  });

  it('[UI2] a visitor without a token is asked for one and sees no error', async () => {
    const page = await (await world.browser.newContext()).newPage();
    await page.goto(world.origin);
    await page.getByLabel('Token').waitFor();
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    expect(await page.locator('.refusal').count()).toBe(0);
  });

  it('[UI2] a hub that needs no token is opened immediately', async () => {
    const open = await consoleWorld({ none: true, beside: world });
    try {
      const page = await (await open.browser.newContext()).newPage();
      await page.goto(open.origin);
      await page.waitForSelector('.me >> text=visitor-');
      await page.context().close();
    } finally {
      await open.end();
    }
  }, 60_000);

  it('[UI2] a second connection of the same name takes over, and the page says so', async () => {
    const token = await world.tokenFor('twice');
    const first = await openConsole(world, { name: 'twice', token });
    await first.waitForSelector('.me');
    const second = await openConsole(world, { name: 'twice', token });
    await first.waitForSelector('[data-connection=ended] >> text=took over');
    await second.context().close();
    await first.getByRole('button', { name: 'Connect again' }).click();
    await first.waitForSelector('[data-connection=open]', { state: 'attached' });
    await first.context().close();
  });

  it('[UI3] read-only mode calls no operation that changes anything', async () => {
    const token = await world.tokenFor('looker');
    // Register the name first: read-only mode does not.
    const known = await openConsole(world, { name: 'looker', token });
    await known.waitForSelector('.me');
    await known.context().close();
    const page = await (await world.browser.newContext()).newPage();
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    // Read-only mode must not answer this invite.
    const invited = { type: 'discussion', participants: ['looker'], wait: 'created' } as const;
    const { session: waiting } = await alice.call('create_session', invited);
    const session = await alice.open('conversation', ['bob']);
    await page.goto(
      `${world.origin}/?read-only#token=${token}&name=looker&to=${encodeURIComponent(`/sessions/${session.id}`)}`,
    );
    await session.send('To be looked at.');
    await page.waitForSelector('.said-row >> text=To be looked at.');
    await page.getByRole('link', { name: 'Hub' }).click();
    await page.waitForSelector('.tile');
    expect(await page.getByRole('checkbox', { name: 'Read-only' }).isChecked()).toBe(true);
    const { session: unanswered } = await alice.call('get_session', { session_id: waiting.session_id });
    expect(unanswered.state).toBe('INVITED');
    expect(sent.some((frame) => frame.includes('"op":"read_state"'))).toBe(true);
    expect(sent.filter((frame) => MUTATING.test(frame) || frame.includes('"kind":"receipt"'))).toEqual([]);
  });

  it('[UI4] the list is live: sessions appear and change, and filters hold', async () => {
    const page = await signedIn();
    const session = await alice.open('conversation', {
      participants: ['bob'],
      labels: { intent: 'Plan the live list' },
    });
    const row = page.locator('.rows .row', { hasText: 'Plan the live list' });
    await row.waitFor();
    await row.locator('.participants >> text=bob').waitFor();
    await row.locator('.badge >> text=active').waitFor();
    await session.close();
    await row.locator('.badge >> text=closed').waitFor();
    await page.getByLabel('active').check();
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('active').uncheck();
    await page.getByLabel('Label or id').fill(session.id.slice(-8));
    await expect.poll(() => page.locator('.rows .row').count(), POLL).toBe(1);
    await row.locator('.next-deadline >> text=explicit_close').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Text').fill('no such words');
    await page.waitForSelector('.found >> text=0 found');
  });

  it('[UI4, UI9] only a screenful of rows is drawn, and arrows, End and Enter reach all sessions', async () => {
    await many();
    const page = await signedIn();
    await page.waitForSelector('.rows .row');
    await page.locator('.row-link').first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.dataset.row')).toBe('1');
    for (const length of [99, 199]) {
      await expect
        .poll(() => page.locator('.count').textContent(), POLL)
        .toMatch(length === 99 ? /[12]\d\d/ : /[23]\d\d/);
      await page.keyboard.press('End');
      const active = () => page.evaluate<string>('document.activeElement.dataset.row');
      await expect.poll(async () => Number(await active()), POLL).toBeGreaterThanOrEqual(length);
    }
    expect(await page.locator('.rows .row').count()).toBeLessThan(50);
    const row = await page.evaluate<string>('document.activeElement.href');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.session-head');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(await page.title()).toMatch(/^Session [0-9a-f]{8} · Parley$/);
    // Going back finds the row even when a screenful of sessions appeared above it.
    for (let count = 0; count < 60; count += 1) await alice.open('conversation', ['bob']);
    await page.goBack();
    await expect.poll(() => page.evaluate('document.activeElement.href'), POLL).toBe(row);
    expect(await page.title()).toBe('Sessions · Parley');
  }, 60_000);

  it('[UI4] a wheel reaches all sessions without adding elements to the page', async () => {
    await many();
    const page = await signedIn();
    const { rowsRead, mostNodes, mostRows } = await scrollThrough(page, 250, 1_500);
    expect(rowsRead).toBeGreaterThanOrEqual(250);
    expect(mostRows).toBeLessThan(50);
    expect(mostNodes).toBeLessThan(1_500);
  }, 60_000);

  it('[UI4] the list is requested and updated at most four times a second, however busy the hub is', async () => {
    await many();
    const page = await (await world.browser.newContext()).newPage();
    let looks = 0;
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const text = String(payload);
        // Further pages belong to the same sweep.
        if (text.includes('"changed_since"') && !text.includes('"after"')) looks += 1;
      }),
    );
    const token = await world.tokenFor('lil');
    await page.goto(`${world.origin}/#token=${token}&name=lil`);
    await page.waitForSelector('.rows .row');
    const began = performance.now();
    const before = looks;
    // New rows on screen trigger a sweep.
    await page.evaluate(
      `window.scrolling = setInterval(() => { const rows = document.querySelector('.rows'); rows.scrollTop = (rows.scrollTop + 700) % (rows.scrollHeight - 800); }, 20)`,
    );
    const lively = async (): Promise<number> => {
      const session = await alice.open('conversation', { participants: ['bob'], labels: { intent: 'Lively' } });
      await session.send('Quick.');
      return looks - before;
    };
    await expect.poll(lively, { ...POLL, interval: 20 }).toBeGreaterThanOrEqual(12);
    const seconds = (performance.now() - began) / 1000;
    expect(looks - before).toBeLessThanOrEqual(4 * seconds + 2);
    await page.evaluate(`clearInterval(scrolling); document.querySelector('.rows').scrollTop = 0`);
    await page.locator('.rows .row', { hasText: 'Lively' }).first().waitFor();
  }, 60_000);

  it("[UI30] without the observe grant only one's own sessions and envelopes are shown, live", async () => {
    const carl = await world.hub.agent('carl');
    const session = await alice.open('conversation', { participants: ['carl'], labels: { intent: 'With carl' } });
    const panel = await alice.open('discussion', { participants: ['bob', 'carl'], labels: { intent: 'All three' } });
    const other = await alice.open('conversation', { participants: ['bob'], labels: { intent: 'Without carl' } });
    await other.send('Not for carl.');
    carl.close();
    const token = (await world.hub.createToken({ name: 'carl', grants: [] })).token;
    const page = await openConsole(world, { name: 'carl', token });
    await page.locator('.rows .row', { hasText: 'With carl' }).waitFor();
    await page.locator('.rows .row', { hasText: 'All three' }).waitFor();
    expect(await page.locator('.rows .row').count()).toBe(2);
    await page.getByLabel('Text').fill('Not for carl');
    await page.getByLabel('Text').press('Enter');
    await page.waitForSelector('.found >> text=0 found');

    await visit(page, `#/sessions/${session.id}`, '.session-head >> text=addressed to you');
    await session.send('Live for carl.');
    await page.waitForSelector('.said-row >> text=Live for carl.');

    await visit(page, `#/sessions/${panel.id}`, '.session-head >> text=addressed to you');
    await panel.send('Whispered to bob.', { to: ['bob'] });
    await bob.session(panel.id).send('Said to all.');
    await page.waitForSelector('.said-row >> text=Said to all.');
    expect(await page.locator('text=Whispered to bob.').count()).toBe(0);
    await visit(page, `#/sessions/${panel.id}?at=9`, '.badge.then');
    expect(await page.locator('text=Whispered to bob.').count()).toBe(0);

    await visit(page, `#/sessions/${other.id}`, '.refusal >> text=no session');
    expect(await page.getByRole('link', { name: 'Hub' }).count()).toBe(0);
    await visit(page, '#/hub', 'main >> text=which you do not have');
    expect(await page.locator('.refusal, .tiles, .card').count()).toBe(0);
    const refused = (await world.hub.audit({ limit: 1_000_000 })).filter(
      ({ kind, detail }) => kind === 'operation_refused' && ['hub_figures', 'read_feed'].includes(String(detail.op)),
    );
    expect(refused).toEqual([]);
  }, 60_000);

  it('[UI5] a session is live: deltas first, then the message with its audience', async () => {
    const session = await alice.open('conversation', ['bob']);
    const page = await signedIn(`/sessions/${session.id}`);
    await page.waitForSelector('.talk');
    await session.send('Out loud.');
    await page.waitForSelector('.said-row >> text=Out loud.');
    const { envelope_id: causationId } = await bob.session(session.id).waitFor('msg.text');
    await bob.session(session.id).delta('Half of', { causationId });
    await page.waitForSelector('.said-row.writing >> text=Half of');
    await bob.session(session.id).delta(' an answer', { causationId });
    await page.waitForSelector('.said-row.writing >> text=Half of an answer');
    await bob.session(session.id).send('A whole answer.', { causationId });
    await page.waitForSelector('.said-row:not(.writing) >> text=A whole answer.');
    await page.locator('.said-row.writing').waitFor({ state: 'detached' });
    await session.send('In your ear.', { to: ['bob'] });
    await page.locator('.said-row', { hasText: 'In your ear.' }).locator('.audience >> text=to bob').waitFor();
    await world.hub.hideParticipant(session.id, 'bob', 'too loud');
    await page.waitForSelector('.quiet-row.mark-hide >> text=bob is hidden: too loud');
  });

  it('[UI5] a violation appears, and an expectation counts down', async () => {
    const session = await alice.open('discussion', {
      participants: ['bob'],
      expectations: [{ name: 'turn_within', params: { seconds: 2 }, on_violation: 'notify_session' }],
    });
    const page = await signedIn(`/sessions/${session.id}`);
    await page.waitForSelector('.panel-expectations >> text=turn_within');
    await page.waitForSelector('.mark-violation >> text=turn_within was violated');
    await page.getByRole('link', { name: 'Hub' }).click();
    await page.waitForSelector('.feed .violation >> text=turn_within');
  });

  it('[UI7] replay shows the state at that seq, and the view of a participant', async () => {
    const carol = await world.hub.agent('carol');
    const session = await alice.open('discussion', ['bob', 'carol']);
    await session.send('One.');
    await bob.session(session.id).send('Two.');
    const page = await signedIn(`/sessions/${session.id}`);
    await page.waitForSelector('.said-row >> text=Two.');
    const seq = Number((await page.locator('.said-row', { hasText: 'One.' }).getAttribute('data-seq')) ?? 0);
    const slider = page.getByRole('slider');
    await slider.focus();
    // One step at a time: a press before the page has drawn the last one could overshoot.
    for (let at = Number(await slider.inputValue()) - 1; at >= seq; at--) {
      await page.keyboard.press('ArrowLeft');
      await page.waitForSelector(`.badge.then >> text=as of #${at}`);
    }
    await page.waitForSelector('.panel-state >> text=/"turn_count": 1/');
    await page.locator('.said-row', { hasText: 'Two.' }).waitFor({ state: 'detached' });
    await page.getByLabel('As seen by').selectOption({ label: 'bob' });
    await page.waitForSelector('.view-of >> text=As bob saw it');
    await page.waitForSelector('.view-of .said-row >> text=One.');
    await page.getByRole('button', { name: 'Back to live' }).click();
    await page.waitForSelector('.said-row >> text=Two.');
    carol.close();
  });

  it('[UI10] the list shows after at most 100 KB', async () => {
    const page = await signedIn();
    await page.waitForSelector('.rows .row');
    const bytes = await page.evaluate<number>(
      `['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)).reduce((sum, { transferSize }) => sum + transferSize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(100_000);
  });

  it.each(['light', 'dark'] as const)(
    '[UI9] axe finds nothing serious on any page: %s',
    async (colorScheme) => {
      const session = await alice.open('discussion', { participants: ['bob'], labels: { intent: 'Look closely' } });
      await session.send('Something to look at.', { to: ['bob'] }).catch(() => session.send('Something to look at.'));
      for (const [width, height] of [
        [1280, 800],
        [360, 740],
      ] as const) {
        const page = await signedIn('/', { colorScheme, bypassCSP: true, viewport: { width, height } });
        await page.addScriptTag({ content: AXE });
        for (const [to, ready] of [
          ['#/sessions', '.rows .row'],
          ['#/sessions?search=look', '.found li'],
          [`#/sessions/${session.id}`, '.said-row'],
          [`#/sessions/${session.id}?at=3`, '.badge.then'],
          ['#/open', '.create'],
          ['#/hub', 'table tbody tr'],
          ['#/nothing', 'h1'],
        ] as const) {
          await visit(page, to, ready);
          if (to === '#/hub') await page.locator('.agent-name').first().click();
          if (to === '#/hub') await page.waitForSelector('.resume');
          expect(await faults(page), `${to} ${width}`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${to} ${width}`).toBe(
            true,
          );
        }
        if (width < 760) await page.locator('.menu').click();
        expect(await faults(page), 'what one chose').toEqual([]);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('Token').waitFor();
        expect(await faults(page), 'sign in').toEqual([]);
        await page.context().close();
      }
    },
    90_000,
  );

  it('[UI9] the colours follow the system unless a theme is chosen', async () => {
    const page = await signedIn();
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const seen: string[] = [];
    for (const chosen of ['system', 'light', 'dark'] as const) {
      await page.getByLabel('Colours').selectOption(chosen);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        seen.push(await ground());
      }
    }
    const [light = '', dark = ''] = seen;
    expect(light).not.toBe(dark);
    expect(seen).toEqual([light, dark, light, light, dark, dark]);
  });

  it('[UI1] the page logs no errors under its policy and contacts no other host', async () => {
    const page = await signedIn();
    const heard = overhear(page);
    await page.reload();
    await page.waitForSelector('.rows .row');
    await page.getByRole('link', { name: 'Hub' }).click();
    await page.waitForSelector('.tile');
    expect(heard.complaints).toEqual([]);
    expect(heard.requests.filter((url) => !url.startsWith(world.origin))).toEqual([]);
  });
});
