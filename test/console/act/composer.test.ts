// The composer: messages, recipients, routes and raised hands, in a real browser with a real hub.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeConsole, POLL } from '../support/console-world.ts';
import { hasFocus, press, reach, write } from '../support/keyboard.ts';
import { goTo, joined, person as somebody, visit } from '../support/people.ts';

describeConsole('the composer', (world) => {
  let alice: AgentClient;
  let bob: AgentClient;

  beforeAll(async () => {
    alice = await world.hub.agent('alice');
    bob = await world.hub.agent('bob');
    await world.hub.agent('carol');
  }, 60_000);

  const opened = (type: string, participants: readonly string[], knobs: object = {}) =>
    alice.open(type, { participants: [...participants], knobs: { ...knobs }, wait: 'created' });
  const words = (page: Page) => page.getByLabel('Message');
  const toWhom = (page: Page) => page.locator('.to-whom summary');
  const logOf = async (sessionId: string, reader = alice) =>
    (await reader.call('read_log', { session_id: sessionId, limit: 1000 })).envelopes;

  describe('sending messages', () => {
    it('[UI81] a message out of turn is refused and its text stays; in turn it is sent once', async () => {
      const ann = await somebody(world);
      const session = await opened('discussion', [ann.name]);
      await joined(ann, session.id);
      const { page } = ann;
      // The text does not repeat that it is alice's turn.
      await page.locator('.composer-turn', { hasText: /^It is the turn of alice\.$/ }).waitFor();
      await write(page, words(page), 'Too early.\nStill here.');
      await page.keyboard.press('Control+Enter');
      await page.locator('.composer .refusal', { hasText: 'alice' }).waitFor();
      expect(await words(page).inputValue()).toBe('Too early.\nStill here.');
      expect(await hasFocus(words(page))).toBe(true);
      await session.send('Now you.');
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      // The refusal disappears; the text stays.
      await page.locator('.composer .refusal').waitFor({ state: 'detached' });
      expect(await words(page).inputValue()).toBe('Too early.\nStill here.');
      await page.keyboard.press('Control+Enter');
      await page.locator('.said-row', { hasText: 'Too early.' }).waitFor();
      await expect.poll(() => words(page).inputValue(), POLL).toBe('');
      expect(await hasFocus(words(page))).toBe(true);
      const said = (await logOf(session.id)).filter(({ event_type }) => event_type === 'msg.text');
      expect(said.map(({ event_data }) => event_data.text)).toEqual(['Now you.', 'Too early.\nStill here.']);
    });

    it('[UI81] a draft is kept while another page is shown', async () => {
      const { page, name } = await somebody(world);
      const session = await opened('conversation', [name]);
      await joined({ page }, session.id);
      await write(page, words(page), 'Half a thought');
      await press(page, page.getByRole('link', { name: 'Sessions' }));
      await page.waitForSelector('.sessions-page');
      await goTo(page, session.id);
      expect(await words(page).inputValue()).toBe('Half a thought');
    });

    it('[UI81] a draft is not shown to the next identity that signs in', async () => {
      const [ann, ben] = [await somebody(world), await somebody(world)];
      await ben.page.context().close();
      const session = await opened('discussion', [ann.name, ben.name]);
      await visit(ann.page, `#/sessions/${session.id}`);
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
        // The page of the previous identity is not opened.
        await page.locator('.me', { hasText: one.name }).waitFor();
        expect(new URL(page.url()).hash).toBe('#/sessions');
        await goTo(page, session.id);
        await words(page).waitFor();
        expect(await words(page).inputValue()).toBe(typed);
      }
    }, 60_000);

    it('[UI82] a route that passes the turn is chosen with the message', async () => {
      const { page, name } = await somebody(world);
      const graph = { initial_speaker: name, transitions: [], default_target: null, max_turns: 9 };
      const session = await opened('workflow', [name, 'bob'], { graph });
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
    });

    it('[UI81] two people talk in two browsers', async () => {
      const [ann, ben] = [await somebody(world), await somebody(world)];
      await visit(ann.page, '#/open');
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
    }, 60_000);
  });

  describe('recipients', () => {
    it('[UI89] default to everyone; passing the turn to a non-recipient is refused and the text stays', async () => {
      const ann = await somebody(world, ['observe']);
      const { page, name } = ann;
      const graph = { initial_speaker: name, transitions: [], default_target: null, max_turns: 9 };
      const session = await opened('workflow', [name, 'bob', 'carol'], { graph });
      await joined(ann, session.id);
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      await expect.poll(() => toWhom(page).textContent(), POLL).toBe('To everyone');
      await press(page, toWhom(page));
      await press(page, page.getByRole('checkbox', { name: 'carol' }), 'Space');
      await expect.poll(() => toWhom(page).textContent(), POLL).toBe('To carol');
      await reach(page, page.getByLabel('Then'));
      await page.getByLabel('Then').selectOption('handoff bob');
      await write(page, words(page), 'Between us.');
      await page.keyboard.press('Control+Enter');
      await page.locator('.composer .refusal', { hasText: "'bob', who is not in its audience" }).waitFor();
      expect(await words(page).inputValue()).toBe('Between us.');
      await press(page, page.getByRole('checkbox', { name: 'bob' }), 'Space');
      await press(page, page.getByRole('button', { name: 'Send' }));
      await page.locator('.said-row', { hasText: 'Between us.' }).locator('.audience', { hasText: 'bob' }).waitFor();
      expect(JSON.stringify(await logOf(session.id))).not.toContain('Between us.');
      const said = (await logOf(session.id, bob)).find(({ event_type }) => event_type === 'msg.packet');
      const { participants } = (await session.info()).session;
      const idOf = (who: string) => participants.find((one) => one.name === who)?.agent_id;
      expect([...(said?.audience ?? [])].sort()).toEqual([idOf('bob'), idOf('carol')].sort());
    });

    it('[UI89] a draft stays a whisper while another page is shown; "everyone" clears the recipients', async () => {
      const ann = await somebody(world);
      const { page } = ann;
      const session = await opened('discussion', ['bob', ann.name]);
      await joined(ann, session.id);
      await press(page, toWhom(page));
      await press(page, page.getByRole('checkbox', { name: 'bob' }), 'Space');
      await write(page, words(page), 'Half a secret');
      await press(page, page.getByRole('link', { name: 'Sessions' }));
      await page.waitForSelector('.sessions-page');
      await goTo(page, session.id);
      expect(await words(page).inputValue()).toBe('Half a secret');
      expect(await toWhom(page).textContent()).toBe('To bob');
      await session.send('First.');
      await bob.session(session.id).send('Second.');
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      await press(page, toWhom(page));
      await press(page, page.getByRole('checkbox', { name: 'everyone' }), 'Space');
      expect(await toWhom(page).textContent()).toBe('To everyone');
      await press(page, page.getByRole('button', { name: 'Send' }));
      await page.locator('.said-row', { hasText: 'Half a secret' }).waitFor();
      const said = (await logOf(session.id)).find(({ event_data }) => event_data.text === 'Half a secret');
      expect(said?.audience).toBeNull();
    });

    it('[UI89] a whisper to a participant that left never reaches everyone; a single recipient needs no choice', async () => {
      const ann = await somebody(world);
      const { page } = ann;
      const two = await opened('conversation', [ann.name]);
      await joined(ann, two.id);
      expect(await toWhom(page).count()).toBe(0);
      const session = await opened('discussion', [ann.name, 'bob', 'carol']);
      await joined(ann, session.id);
      await press(page, toWhom(page));
      await press(page, page.getByRole('checkbox', { name: 'carol' }), 'Space');
      await world.hub.removeParticipant(session.id, 'carol');
      await page.locator('.to-whom', { hasText: 'carol (left)' }).waitFor();
      await session.send('Go on.');
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      await write(page, words(page), 'For carol alone');
      await page.keyboard.press('Control+Enter');
      await page.locator('.composer .refusal', { hasText: 'audience' }).waitFor();
      expect(await words(page).inputValue()).toBe('For carol alone');
      expect(JSON.stringify(await logOf(session.id))).not.toContain('For carol alone');
    });
  });

  describe('raised hands and routes', () => {
    it('[UI82] a hand is raised, changed and lowered out of turn, as quiet marks', async () => {
      const ann = await somebody(world);
      const { page, name } = ann;
      const session = await opened('discussion', ['bob', name], { ordering: 'raise_hand' });
      await joined(ann, session.id);
      await page.locator('.composer-turn', { hasText: 'It is the turn of alice' }).waitFor();
      await reach(page, page.getByLabel('How urgent'));
      await page.getByLabel('How urgent').selectOption('7');
      await press(page, page.getByRole('button', { name: 'Raise hand' }));
      await page.locator('.quiet-row.mark-hand', { hasText: `${name} raises a hand: 7 of 9` }).waitFor();
      await page.locator('.person', { hasText: name }).locator('.hand', { hasText: '7' }).waitFor();
      await press(page, page.getByRole('button', { name: 'Lower hand' }));
      await page.locator('.quiet-row.mark-hand', { hasText: `${name} lowers the hand` }).waitFor();
      await page.getByRole('button', { name: 'Lower hand' }).waitFor({ state: 'detached' });
      await press(page, page.getByRole('button', { name: 'Raise hand' }));
      await page.getByRole('button', { name: 'Lower hand' }).waitFor();
      // A press during a pending post counts too.
      await page.evaluate(`for (const name of ['Lower hand', 'Raise hand']) {
        [...document.querySelectorAll('button')].find((one) => one.textContent === name).click();
      }`);
      await page
        .locator('.quiet-row.mark-hand', { hasText: `${name} raises a hand: 7 of 9` })
        .nth(2)
        .waitFor();
      await session.send('Who wants to go on?');
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      const bids = (await logOf(session.id)).filter(({ event_type }) => event_type === 'hand.raise');
      expect(bids.map(({ event_data }) => event_data.bid)).toEqual([7, 0, 7, 0, 7]);
      expect(await page.locator('.said-row', { hasText: 'hand.raise' }).count()).toBe(0);
    });

    it('[UI82, UI88] without raised hands there is no button; a refusal of the hub is shown', async () => {
      const ann = await somebody(world);
      const { page, name } = ann;
      const plain = await opened('discussion', ['bob', name]);
      await joined(ann, plain.id);
      await page.locator('.composer-turn', { hasText: 'It is the turn of alice' }).waitFor();
      expect(await page.getByRole('button', { name: 'Raise hand' }).count()).toBe(0);
      const session = await opened('discussion', ['bob', name], { ordering: 'raise_hand' });
      await joined(ann, session.id);
      await page.getByRole('button', { name: 'Raise hand' }).waitFor();
      await world.hub.setRule(name, { access: { outbound_to: [] } });
      await press(page, page.getByRole('button', { name: 'Raise hand' }));
      await page.locator('.hand-part .refusal', { hasText: 'The hub refused:' }).waitFor();
    });

    it('[UI82] only a moderator names the next speaker and ends the session early with a reason', async () => {
      const [mod, ann] = [await somebody(world), await somebody(world)];
      await visit(mod.page, '#/open');
      await mod.page.getByLabel('Type', { exact: true }).selectOption('discussion');
      await write(mod.page, mod.page.getByLabel('Participant 1: name or id'), ann.name);
      await mod.page.getByRole('button', { name: 'Add a participant' }).click();
      await write(mod.page, mod.page.getByLabel('Participant 2: name or id'), 'bob');
      await mod.page.getByLabel('ordering').selectOption('moderated');
      await press(mod.page, mod.page.getByRole('button', { name: 'Open the session' }));
      await mod.page.waitForSelector('.session-head');
      await joined(ann, mod.page.url().split('/').at(-1) ?? '');
      const then = mod.page.getByLabel('Then');
      await reach(mod.page, then);
      await then.selectOption(`handoff ${ann.name}`);
      await press(mod.page, mod.page.getByRole('button', { name: 'Send' }));
      await ann.page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      expect(await ann.page.getByLabel('Then').count()).toBe(0);
      await write(ann.page, words(ann.page), 'My view.');
      await ann.page.keyboard.press('Control+Enter');
      await mod.page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      await reach(mod.page, then);
      await then.selectOption('finish');
      await write(mod.page, mod.page.getByLabel('Because'), 'all is said');
      await press(mod.page, mod.page.getByRole('button', { name: 'Send' }));
      await mod.page.locator('.quiet-row.mark-close', { hasText: 'all is said' }).first().waitFor();
    }, 60_000);
  });
});
