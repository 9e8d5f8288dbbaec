// Actions in the console by keyboard, in a real browser with a real hub.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { governedRun } from '../governed/run-in-hand.ts';
import { AXE, faults } from '../support/axe.ts';
import { describeConsole, overhear, POLL } from '../support/console-world.ts';
import { hasFocus, press, reach, write } from '../support/keyboard.ts';
import { type Grants, goTo, joined, person as somebody, visit } from '../support/people.ts';

describeConsole('acting from the console', (world) => {
  let alice: AgentClient;

  beforeAll(async () => {
    alice = await world.hub.agent('alice');
    await world.hub.agent('bob');
  }, 60_000);

  const person = (grants?: Grants, to?: string, context?: Parameters<typeof somebody>[3]) =>
    somebody(world, grants, to, context);
  // Do not wait: people take their time to accept.
  const opened = (type: string, participants: readonly string[], more: object = {}) =>
    alice.open(type, { participants: [...participants], wait: 'created', ...more });
  const words = (page: Page) => page.getByLabel('Message');
  const logOf = async (sessionId: string) =>
    (await alice.call('read_log', { session_id: sessionId, limit: 1000 })).envelopes;

  describe('opening a session', () => {
    it('[UI80] shows errors of the hub at their fields, then leads to the new session', async () => {
      const { page, name } = await person();
      await press(page, page.getByRole('link', { name: 'Open a session' }));
      await reach(page, page.getByLabel('Type', { exact: true }));
      await page.getByLabel('Type', { exact: true }).selectOption('conversation');
      // The view cannot be chosen: the session gets the one of its type.
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
    });

    it('[UI80] draws a workflow while it is typed, shows its errors, and its session shows it', async () => {
      const { page } = await person();
      await visit(page, '#/open');
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
      // The error stays until the text it refers to changes.
      await page.locator('.create [role=alert]', { hasText: '1 problem above' }).waitFor();
      await write(page, area, good);
      await page.locator('.graph-problem-error').waitFor({ state: 'detached' });
      expect(await page.locator('.create .form-error').count()).toBe(0);
      await press(page, page.getByRole('button', { name: 'Open the session' }));
      await page.waitForSelector('.panel-graph svg');
    });
  });

  it('[UI83] an invite is shown on every page and declined with a reason', async () => {
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
  });

  it('[UI83] an invite to an ended session disappears, and viewing an invite causes no refused requests', async () => {
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
  });

  it('[UI84] closing asks first and takes a reason; cancelling restores the focus', async () => {
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
    await page.waitForSelector('.silence >> text=This session has ended');
    expect(await close.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('[UI85] an operator hides, returns and removes a participant, and sees refusals of the hub', async () => {
    const session = await alice.open('conversation', ['bob']);
    const { page, name } = await person(['observe'], `/sessions/${session.id}`);
    await page.waitForSelector('.session-head');
    expect(await page.getByRole('button', { name: 'Actions for bob' }).count()).toBe(0);
    await world.hub.grant(name, ['operate']);
    await page.reload();
    const actOnBob = page.getByRole('button', { name: 'Actions for bob' });
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
  });

  it('[UI85] a hidden participant is told and can come back', async () => {
    const ann = await person();
    const session = await opened('discussion', ['bob', ann.name]);
    await joined(ann, session.id);
    const { page } = ann;
    await world.hub.hideParticipant(session.id, ann.name, 'a pause');
    await page.waitForSelector('.silence >> text=You are hidden');
    await press(page, page.getByRole('button', { name: 'Come back' }));
    await words(page).waitFor();
  });

  describe('a governed run', () => {
    it('[UI86] an identity with the approve grant refuses a gate with a reason, then approves it', async () => {
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
    }, 60_000);

    it('[UI86, UI88] losing the approve grant is announced; without it, approving is not offered', async () => {
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
      await ann.page.locator('.notice.refused', { hasText: 'The grant "approve" was revoked' }).waitFor();
      await ann.page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
      expect(await run.status()).toBe('paused');
    }, 60_000);

    it('[UI87] a person answers a turn that needs one, and the run continues', async () => {
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
    }, 60_000);

    it('[UI87] the holder of a role submits a result as JSON; JSON errors show their position', async () => {
      const ann = await person(['observe']);
      const roles = { dev: ann.name };
      const run = await governedRun(alice, [ann.name], { roles, join: (id) => joined(ann, id) });
      const { page } = ann;
      await run.out('turn_d', 'dev');
      const area = page.getByLabel('Result (JSON)');
      await area.waitFor();
      const begun = await area.inputValue();
      await write(page, area, `${begun},`);
      await press(page, page.getByRole('button', { name: 'Submit' }));
      await page.locator('.turn-result .refusal', { hasText: /^Line \d+, column \d+/ }).waitFor();
      await write(page, area, begun.replace('"summary": ""', '"summary": "done by hand"'));
      await press(page, page.getByRole('button', { name: 'Submit' }));
      await area.waitFor({ state: 'detached' });
      const claim = (await logOf(run.id)).find(({ event_type }) => event_type === 'turn.result');
      expect(claim?.event_data).toMatchObject({ turn_id: 'turn_d', attempt: 1, result: { summary: 'done by hand' } });
    }, 60_000);
  });

  it('[UI3, UI88] read-only mode offers no actions and sends no writes', async () => {
    const ann = await person(['observe', 'operate', 'approve']);
    const roles = { dev: ann.name };
    const run = await governedRun(alice, [ann.name], { roles, join: (id) => joined(ann, id) });
    const { page } = ann;
    await run.out('turn_d', 'dev');
    await page.getByLabel('Result (JSON)').waitFor();
    const waiting = await opened('discussion', ['bob', ann.name]);
    await page.getByLabel('Read-only').check();
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    await page.reload();
    await page.waitForSelector('.panel-governed >> text=turn_d');
    for (const [role, name] of [
      ['button', /Send|Submit|Close the session|Actions for|Approve|Answer|Accept|Decline/],
      ['textbox', /Message|Result/],
      ['link', /Open a session/],
    ] as const) {
      expect(await page.getByRole(role, { name }).count(), String(name)).toBe(0);
    }
    await visit(page, `#/sessions/${waiting.id}`, '.refusal >> text=The hub refused to show this session');
    expect(await page.getByRole('button', { name: /Accept|Decline/ }).count()).toBe(0);
    await visit(page, '#/open', 'text=Read-only mode cannot open sessions');
    const acting =
      /"op":"(?!whoami|list_|search_|describe_|get_|read_|find_|hub_|check_|can_send|health|subscribe|unsubscribe)/;
    expect(sent.some((frame) => frame.includes('"op":"read_state"'))).toBe(true);
    expect(sent.filter((frame) => acting.test(frame) || frame.includes('"kind":"receipt"'))).toEqual([]);
  }, 60_000);

  it.each(['light', 'dark'] as const)(
    '[UI9] axe finds nothing serious in forms and dialogs, and they fit a phone: %s',
    async (colorScheme) => {
      const ann = await person(['observe', 'operate', 'approve'], '/', { colorScheme, bypassCSP: true });
      const { page } = ann;
      const waiting = await opened('discussion', ['bob', ann.name]);
      const run = await governedRun(alice, [ann.name], { roles: { dev: ann.name }, join: (id) => joined(ann, id) });
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { phase_transition_request: 'building' });
      const looks: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['an invite', () => visit(page, `#/sessions/${waiting.id}`, '.invite-answer')],
        ['a gate', () => goTo(page, run.id).then(() => page.getByRole('button', { name: 'Approve' }).waitFor())],
        ['a dialog', () => page.getByRole('button', { name: 'Actions for alice' }).click()],
        [
          'the form',
          async () => {
            await page.keyboard.press('Escape');
            await visit(page, '#/open');
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
    },
    60_000,
  );

  it('[UI8, UI81] hostile text is sent, refused and shown as text', async () => {
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
    await press(page, page.getByRole('button', { name: 'Actions for alice' }));
    await write(page, page.getByLabel('Reason'), evil);
    await press(page, page.getByRole('button', { name: 'Hide' }));
    await page.locator('.mark-hide', { hasText: evil }).waitFor();
    expect(await page.evaluate('window.hit ?? null')).toBeNull();
    expect(heard.dialogs).toEqual([]);
    expect(heard.complaints).toEqual([]);
    expect(heard.requests.filter((url) => !url.startsWith(world.origin))).toEqual([]);
  });
});
