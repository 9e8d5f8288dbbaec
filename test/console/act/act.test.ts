// Acting from the console, without a mouse, in a real browser at a real hub: opening, speaking, answering, closing, hiding.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { governedRun } from '../governed/run-in-hand.ts';
import { AXE, faults } from '../support/axe.ts';
import { type ConsoleWorld, consoleWorld, overhear } from '../support/console-world.ts';
import { hasFocus, press, reach, write } from '../support/keyboard.ts';
import { type Grants, goTo, joined, person as somebody } from '../support/people.ts';

const POLL = { timeout: 10_000 };

describe.skipIf(chromium === null && !required('chromium'))(`acting from the console${whyNoChromium}`, () => {
  let world: ConsoleWorld;
  let alice: AgentClient;

  beforeAll(async () => {
    world = await consoleWorld();
    alice = await world.hub.agent('alice');
    await world.hub.agent('bob');
  }, 60_000);
  afterAll(() => world?.end());

  const person = (grants?: Grants, to?: string, context?: Parameters<typeof somebody>[3]) =>
    somebody(world, grants, to, context);
  /** Who is a person takes their time to accept. */
  const opened = (type: string, participants: readonly string[], more: object = {}) =>
    alice.open(type, { participants: [...participants], wait: 'created', ...more });
  const words = (page: Page) => page.getByLabel('Your words');
  const logOf = async (sessionId: string) =>
    (await alice.call('read_log', { session_id: sessionId, limit: 1000 })).envelopes;

  describe('opening a session', () => {
    it('[UI80] what the hub says against it is at its field; opened, it leads to the session', async () => {
      const { page, name } = await person();
      await press(page, page.getByRole('link', { name: 'Open a session' }));
      await reach(page, page.getByLabel('Type', { exact: true }));
      await page.getByLabel('Type', { exact: true }).selectOption('conversation');
      // A session is opened with the view of its type: there is none to choose, and the form says so.
      await page.locator('.create', { hasText: 'default view windowed_summary' }).waitFor();
      const who = page.getByLabel('Participant 1: name or id');
      await write(page, who, 'nobody-of-that-name');
      await press(page, page.getByRole('button', { name: 'Open the session' }));
      await page.locator('.create-participant .form-error', { hasText: 'nobody-of-that-name' }).waitFor();
      expect(await who.getAttribute('aria-invalid')).toBe('true');
      await write(page, who, 'bob');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.session-head >> text=bob');
      await page.locator('.person', { hasText: name }).waitFor();
      await page.context().close();
    });

    it('[UI80] a workflow is drawn while it is typed, its errors are told, and its session shows it', async () => {
      const { page } = await person();
      await page.evaluate(`location.hash = '#/open'`);
      await page.getByLabel('Type', { exact: true }).selectOption('workflow');
      await write(page, page.getByLabel('Participant 1: name or id'), 'bob');
      await press(page, page.getByRole('button', { name: 'Sequential' }));
      await page.locator('.graph-editor-picture text', { hasText: 'bob' }).first().waitFor();
      const area = page.locator('.graph-editor-area');
      const good = await area.inputValue();
      await write(page, area, good.replace('"bob"', '"nobody"'));
      await press(page, page.getByRole('button', { name: 'Open the session' }));
      await page.locator('.graph-editor', { hasText: /nobody/ }).waitFor();
      await expect.poll(() => area.getAttribute('aria-invalid'), POLL).toBe('true');
      // What the hub said is of the text that it was asked about.
      await page.locator('.create [role=alert]', { hasText: '1 problem above' }).waitFor();
      await write(page, area, good);
      await page.locator('.graph-problem-error').waitFor({ state: 'detached' });
      expect(await page.locator('.create .form-error').count()).toBe(0);
      await press(page, page.getByRole('button', { name: 'Open the session' }));
      await page.waitForSelector('.panel-graph svg');
      await page.context().close();
    });
  });

  describe('speaking', () => {
    it('[UI81] out of turn it is refused with the reason and the text stays; in turn it is said once', async () => {
      const ann = await person();
      const session = await opened('discussion', [ann.name]);
      await joined(ann, session.id);
      const { page } = ann;
      // Why not is said once: it is the turn of another.
      await page.locator('.composer-turn', { hasText: /^It is the turn of alice\.$/ }).waitFor();
      await write(page, words(page), 'Too early.\nStill here.');
      await page.keyboard.press('Control+Enter');
      await page.locator('.composer .refusal', { hasText: 'alice' }).waitFor();
      expect(await words(page).inputValue()).toBe('Too early.\nStill here.');
      expect(await hasFocus(words(page))).toBe(true);
      await session.send('Now you.');
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      // What was against it is over; the text is not.
      await page.locator('.composer .refusal').waitFor({ state: 'detached' });
      expect(await words(page).inputValue()).toBe('Too early.\nStill here.');
      await page.keyboard.press('Control+Enter');
      await page.locator('.said-row', { hasText: 'Too early.' }).waitFor();
      await expect.poll(() => words(page).inputValue(), POLL).toBe('');
      expect(await hasFocus(words(page))).toBe(true);
      const said = (await logOf(session.id)).filter(({ event_type }) => event_type === 'msg.text');
      expect(said.map(({ event_data }) => event_data.text)).toEqual(['Now you.', 'Too early.\nStill here.']);
      await page.context().close();
    });

    it('[UI81] what was typed is there again after a look elsewhere', async () => {
      const { page, name } = await person();
      const session = await opened('conversation', [name]);
      await joined({ page }, session.id);
      await write(page, words(page), 'Half a thought');
      await press(page, page.getByRole('link', { name: 'Sessions' }));
      await page.waitForSelector('.sessions-page');
      await goTo(page, session.id);
      expect(await words(page).inputValue()).toBe('Half a thought');
      await page.context().close();
    });

    it('[UI81] what was typed is not for who signs in after them', async () => {
      const [ann, ben] = [await person(), await person()];
      await ben.page.context().close();
      const session = await opened('discussion', [ann.name, ben.name]);
      await ann.page.evaluate(`location.hash = '#/sessions/${session.id}'`);
      const { page } = ann;
      await press(page, page.getByRole('button', { name: 'Accept' }));
      await press(page, page.getByRole('button', { name: 'Sign out' }));
      await write(page, page.getByLabel('Your name'), ben.name);
      await write(page, page.getByLabel('Token'), ben.token);
      await page.keyboard.press('Enter');
      await joined({ ...ben, page }, session.id);
      await write(page, words(page), 'Half a secret');
      for (const [one, typed] of [
        [ann, ''],
        [ben, 'Half a secret'],
      ] as const) {
        await press(page, page.getByRole('button', { name: 'Sign out' }));
        await write(page, page.getByLabel('Your name'), one.name);
        await write(page, page.getByLabel('Token'), one.token);
        await page.keyboard.press('Enter');
        // Where the one before was is not where this one is.
        await page.locator('.me', { hasText: one.name }).waitFor();
        expect(new URL(page.url()).hash).toBe('#/sessions');
        await goTo(page, session.id);
        await words(page).waitFor();
        expect(await words(page).inputValue()).toBe(typed);
      }
      await page.context().close();
    }, 60_000);

    it('[UI82] where a turn may be handed on, it is chosen with what is said', async () => {
      const { page, name } = await person();
      const graph = { initial_speaker: name, transitions: [], default_target: null, max_turns: 9 };
      const session = await opened('workflow', [name, 'bob'], { knobs: { graph } });
      await joined({ page }, session.id);
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      const then = page.getByLabel('Then');
      await reach(page, then);
      await then.selectOption('handoff bob');
      await write(page, words(page), 'Over to you.');
      await press(page, page.getByRole('button', { name: 'Send' }));
      await page.locator('.composer-turn', { hasText: 'It is the turn of bob' }).waitFor();
      const packet = (await logOf(session.id)).find(({ event_type }) => event_type === 'msg.packet');
      expect(packet?.event_data).toMatchObject({ body: 'Over to you.', routing: { kind: 'handoff', target: 'bob' } });
      await page.context().close();
    });

    it('[UI81] two people in two browsers talk', async () => {
      const [ann, ben] = [await person(), await person()];
      await ann.page.evaluate(`location.hash = '#/open'`);
      await ann.page.getByLabel('Type', { exact: true }).selectOption('discussion');
      await write(ann.page, ann.page.getByLabel('Participant 1: name or id'), ben.name);
      await press(ann.page, ann.page.getByRole('button', { name: 'Open the session' }));
      await ann.page.waitForSelector('.session-head');
      await press(ben.page, ben.page.locator('.invites-bar a'));
      await press(ben.page, ben.page.getByRole('button', { name: 'Accept' }));
      for (const [speaker, listener, text] of [
        [ann, ben, 'Hello from here.'],
        [ben, ann, 'And from there.'],
        [ann, ben, 'Well then.'],
      ] as const) {
        await speaker.page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
        await write(speaker.page, words(speaker.page), text);
        await speaker.page.keyboard.press('Control+Enter');
        await listener.page.locator('.said-row', { hasText: text }).waitFor();
      }
      const all = ['Hello from here.', 'And from there.', 'Well then.'];
      for (const { page } of [ann, ben]) {
        await expect.poll(() => page.locator('.said-row .text').allInnerTexts(), POLL).toEqual(all);
      }
      await ann.page.context().close();
      await ben.page.context().close();
    }, 60_000);
  });

  it('[UI83] an invite is told on every page, and declined with a reason', async () => {
    const { page, name } = await person([], '/sessions');
    const session = await opened('discussion', ['bob', name], { labels: { intent: 'Talk <i>it</i> over' } });
    await press(page, page.locator('.invites-bar a'));
    await page.locator('.invite-answer', { hasText: 'alice invites you to a session of type discussion' }).waitFor();
    await page.locator('.invite-answer', { hasText: 'Talk <i>it</i> over' }).waitFor();
    await write(page, page.getByLabel('Reason for declining'), 'no time <b>today</b>');
    await press(page, page.getByRole('button', { name: 'Decline' }));
    await page.locator('.invites-bar').waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await logOf(session.id)).map(({ event_data }) => event_data.reason ?? null), POLL)
      .toContain('no time <b>today</b>');
    await page.context().close();
  });

  it('[UI83] an invite to what is over does not wait any more, and looking at one asks for nothing that is refused', async () => {
    const { page, name } = await person([], '/sessions');
    const session = await opened('discussion', ['bob', name]);
    const refused: string[] = [];
    const stop = world.hub.on('operationRefused', ({ op, session_id }) => {
      if (session_id === session.id) refused.push(op);
    });
    await press(page, page.locator('.invites-bar a'));
    await page.locator('.invite-answer', { hasText: 'alice invites you' }).waitFor();
    expect(refused).toEqual([]);
    stop();
    await session.close('nobody came');
    await page.locator('.invites-bar').waitFor({ state: 'detached' });
    await page.locator('.invite-answer').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('[UI84] closing asks first and takes a reason; cancelled, the focus is back', async () => {
    const { page, name } = await person(['observe']);
    const session = await opened('conversation', [name]);
    await joined({ page }, session.id);
    const close = page.getByRole('button', { name: 'Close the session' });
    await press(page, close);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await hasFocus(close)).toBe(true);
    await page.keyboard.press('Enter');
    await write(page, page.getByLabel('Reason'), 'all is said');
    await press(page, page.getByRole('button', { name: 'Close it' }));
    await page.waitForSelector('.mark-close >> text=all is said');
    await page.waitForSelector('.silence >> text=It is over');
    expect(await close.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.context().close();
  });

  it('[UI85] an operator hides, returns and removes; what the hub refuses is told', async () => {
    const session = await alice.open('conversation', ['bob']);
    const { page, name } = await person(['observe'], `/sessions/${session.id}`);
    await page.waitForSelector('.session-head');
    expect(await page.getByRole('button', { name: 'Act on bob' }).count()).toBe(0);
    await world.hub.grant(name, ['operate']);
    await page.reload();
    const actOnBob = page.getByRole('button', { name: 'Act on bob' });
    await press(page, actOnBob);
    await write(page, page.getByLabel('Reason'), 'too loud');
    await press(page, page.getByRole('button', { name: 'Hide' }));
    await page.waitForSelector('.mark-hide >> text=bob is hidden: too loud');
    expect(await hasFocus(actOnBob)).toBe(true);
    await page.locator('.person.status-hidden').waitFor();
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'Return' }));
    await page.waitForSelector('.mark-hide >> text=bob is back');
    await page.locator('.person.status-hidden').waitFor({ state: 'detached' });
    await world.hub.revoke(name, ['operate']);
    await press(page, actOnBob);
    await press(page, page.getByRole('button', { name: 'Remove' }));
    await page.locator('dialog .refusal', { hasText: 'The hub refused:' }).waitFor();
    await world.hub.grant(name, ['operate']);
    await press(page, page.getByRole('button', { name: 'Remove' }));
    await page.waitForSelector('.mark-hide >> text=bob was removed');
    await page.context().close();
  });

  it('[UI85] who is hidden is told so, and comes back', async () => {
    const ann = await person();
    const session = await opened('discussion', ['bob', ann.name]);
    await joined(ann, session.id);
    const { page } = ann;
    await world.hub.hideParticipant(session.id, ann.name, 'a pause');
    await page.waitForSelector('.silence >> text=You are hidden');
    await press(page, page.getByRole('button', { name: 'Come back' }));
    await words(page).waitFor();
    await page.context().close();
  });

  describe('a governed run', () => {
    it('[UI86] a gate is refused with a reason, then approved, by who may approve', async () => {
      const ann = await person(['observe', 'approve']);
      const run = await governedRun(alice, [ann.name], { join: (id) => joined(ann, id) });
      const { page } = ann;
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { phase_transition_request: 'building' });
      await press(page, page.getByRole('button', { name: 'Refuse' }));
      await page.locator('.form-error', { hasText: 'Enter a reason' }).waitFor();
      await write(page, page.getByLabel('Note or reason'), 'the plan is thin');
      await press(page, page.getByRole('button', { name: 'Refuse' }));
      await page.locator('.run-notice', { hasText: 'the plan is thin' }).waitFor();
      expect(await run.status()).toBe('paused');
      await write(page, page.getByLabel('Note or reason'), 'better now');
      await press(page, page.getByRole('button', { name: 'Approve' }));
      await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
      expect(await run.status()).toBe('active');
      await page.context().close();
    }, 60_000);

    it('[UI86, UI88] who may not approve any more is told so, and who may not is not offered it', async () => {
      const [ann, ben] = [await person(['observe']), await person(['observe'])];
      await world.hub.grant(ann.name, ['approve']);
      await ann.page.reload();
      const join = async (id: string) => {
        for (const one of [ann, ben]) await joined(one, id);
      };
      const run = await governedRun(alice, [ann.name, ben.name], { join });
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { phase_transition_request: 'building' });
      for (const { page } of [ann, ben]) await page.locator('.run-notice', { hasText: 'waits for approval' }).waitFor();
      expect(await ben.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await world.hub.revoke(ann.name, ['approve']);
      await press(ann.page, ann.page.getByRole('button', { name: 'Approve' }));
      await ann.page.locator('.notice.refused', { hasText: 'The grant "approve" was taken from you' }).waitFor();
      await ann.page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
      expect(await run.status()).toBe('paused');
      await ann.page.context().close();
      await ben.page.context().close();
    }, 60_000);

    it('[UI87] a turn that needs a person is answered, and the run goes on', async () => {
      const ann = await person(['observe', 'approve']);
      const run = await governedRun(alice, [ann.name], { join: (id) => joined(ann, id) });
      const { page } = ann;
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { status: 'needs_human', needs_human_reason: 'Which shop is meant?' });
      await page.locator('.run-notice', { hasText: 'Which shop is meant?' }).waitFor();
      await press(page, page.getByRole('button', { name: 'Answer', exact: true }));
      await page.locator('.form-error', { hasText: 'Enter an answer' }).waitFor();
      await write(page, page.getByLabel('Your answer'), 'the one at the corner');
      await page.keyboard.press('Enter');
      await page.getByLabel('Your answer').waitFor({ state: 'detached' });
      expect(await run.status()).toBe('active');
      const answered = (await logOf(run.id)).find(({ event_type }) => event_type === 'run.answered');
      expect(answered?.event_data).toEqual({ note: 'the one at the corner', action: 'resume' });
      await page.context().close();
    }, 60_000);

    it('[UI87] who holds a role hands its result in as JSON; what is no JSON is told with its place', async () => {
      const ann = await person(['observe']);
      const roles = { dev: ann.name };
      const run = await governedRun(alice, [ann.name], { roles, join: (id) => joined(ann, id) });
      const { page } = ann;
      await run.out('turn_d', 'dev');
      const area = page.getByLabel('Result, as JSON');
      await area.waitFor();
      const begun = await area.inputValue();
      await write(page, area, `${begun},`);
      await press(page, page.getByRole('button', { name: 'Hand in' }));
      await page.locator('.turn-result .refusal', { hasText: /^Line \d+, column \d+/ }).waitFor();
      await write(page, area, begun.replace('"summary": ""', '"summary": "done by hand"'));
      await press(page, page.getByRole('button', { name: 'Hand in' }));
      await area.waitFor({ state: 'detached' });
      const claim = (await logOf(run.id)).find(({ event_type }) => event_type === 'turn.result');
      expect(claim?.event_data).toMatchObject({ turn_id: 'turn_d', attempt: 1, result: { summary: 'done by hand' } });
      await page.context().close();
    }, 60_000);
  });

  it('[UI3, UI88] in read-only mode nothing to act with is there, and nothing that acts is sent', async () => {
    const ann = await person(['observe', 'operate', 'approve']);
    const roles = { dev: ann.name };
    const run = await governedRun(alice, [ann.name], { roles, join: (id) => joined(ann, id) });
    const { page } = ann;
    await run.out('turn_d', 'dev');
    await page.getByLabel('Result, as JSON').waitFor();
    const waiting = await opened('discussion', ['bob', ann.name]);
    await page.getByLabel('Read-only').check();
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    await page.reload();
    await page.waitForSelector('.panel-governed >> text=turn_d');
    for (const [role, name] of [
      ['button', /Send|Hand in|Close the session|Act on|Approve|Answer|Accept|Decline/],
      ['textbox', /Your words|Result/],
      ['link', /Open a session/],
    ] as const) {
      expect(await page.getByRole(role, { name }).count(), String(name)).toBe(0);
    }
    await page.evaluate(`location.hash = '#/sessions/${waiting.id}'`);
    await page.waitForSelector('.refusal >> text=The hub shows nothing of it');
    expect(await page.getByRole('button', { name: /Accept|Decline/ }).count()).toBe(0);
    await page.evaluate(`location.hash = '#/open'`);
    await page.waitForSelector('text=Nothing is opened in read-only mode');
    const acting =
      /"op":"(?!whoami|list_|search_|describe_|get_|read_|find_|hub_|check_|can_send|health|subscribe|unsubscribe)/;
    expect(sent.some((frame) => frame.includes('"op":"read_state"'))).toBe(true);
    expect(sent.filter((frame) => acting.test(frame) || frame.includes('"kind":"receipt"'))).toEqual([]);
    await page.context().close();
  }, 60_000);

  it.each(['light', 'dark'] as const)(
    '[UI9] axe finds nothing serious where one acts, and a phone is wide enough: %s',
    async (colorScheme) => {
      const ann = await person(['observe', 'operate', 'approve'], '/', { colorScheme, bypassCSP: true });
      const { page } = ann;
      const waiting = await opened('discussion', ['bob', ann.name]);
      const run = await governedRun(alice, [ann.name], { roles: { dev: ann.name }, join: (id) => joined(ann, id) });
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { phase_transition_request: 'building' });
      const looks: readonly (readonly [string, () => Promise<unknown>])[] = [
        [
          'an invite',
          () =>
            page
              .evaluate(`location.hash = '#/sessions/${waiting.id}'`)
              .then(() => page.waitForSelector('.invite-answer')),
        ],
        ['a gate', () => goTo(page, run.id).then(() => page.getByRole('button', { name: 'Approve' }).waitFor())],
        ['a dialog', () => page.getByRole('button', { name: 'Act on alice' }).click()],
        [
          'the form',
          async () => {
            await page.keyboard.press('Escape');
            await page.evaluate(`location.hash = '#/open'`);
            await page.getByLabel('Type', { exact: true }).selectOption('workflow');
            await page.getByRole('button', { name: 'Loop' }).click();
            await page.locator('.graph-editor-picture svg').first().waitFor();
            await page.getByLabel('Participant 1: name or id').fill('nobody-there');
            await page.getByRole('button', { name: 'Open the session' }).click();
            await page.locator('.create-participant .form-error').waitFor();
          },
        ],
      ];
      await page.addScriptTag({ content: AXE });
      for (const [what, look] of looks) {
        await look();
        for (const [width, height] of [
          [1280, 800],
          [360, 740],
        ] as const) {
          await page.setViewportSize({ width, height });
          expect(await faults(page), `${what} ${width}`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what} ${width}`).toBe(
            true,
          );
        }
      }
      await page.context().close();
    },
    60_000,
  );

  it('[UI8, UI81] hostile words are said, refused and shown as text', async () => {
    const ann = await person(['observe', 'operate']);
    const { page } = ann;
    const heard = overhear(page);
    const evil = '<img src=x onerror="window.hit=1;alert(1)">';
    const session = await opened('discussion', [ann.name], { labels: { intent: evil } });
    await joined(ann, session.id);
    await write(page, words(page), evil);
    await page.keyboard.press('Control+Enter');
    await page.locator('.composer .refusal').waitFor();
    await session.send(evil);
    await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.locator('.said-row', { hasText: evil }).count(), POLL).toBe(2);
    await press(page, page.getByRole('button', { name: 'Act on alice' }));
    await write(page, page.getByLabel('Reason'), evil);
    await press(page, page.getByRole('button', { name: 'Hide' }));
    await page.locator('.mark-hide', { hasText: evil }).waitFor();
    expect(await page.evaluate('window.hit ?? null')).toBeNull();
    expect(heard.dialogs).toEqual([]);
    expect(heard.complaints).toEqual([]);
    expect(heard.requests.filter((url) => !url.startsWith(world.origin))).toEqual([]);
    await page.context().close();
  });
});
