// Speaking from the console beyond plain words: to whom, why, and a raised hand; in a real browser at a real hub.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import { press, reach, write } from '../support/keyboard.ts';
import { goTo, joined, person as somebody } from '../support/people.ts';

const POLL = { timeout: 10_000 };

describe.skipIf(chromium === null && !required('chromium'))(`the composer${whyNoChromium}`, () => {
  let world: ConsoleWorld;
  let alice: AgentClient;
  let bob: AgentClient;

  beforeAll(async () => {
    world = await consoleWorld();
    alice = await world.hub.agent('alice');
    bob = await world.hub.agent('bob');
    await world.hub.agent('carol');
  }, 60_000);
  afterAll(() => world?.end());

  const opened = (type: string, participants: readonly string[], knobs: object = {}) =>
    alice.open(type, { participants: [...participants], knobs: { ...knobs }, wait: 'created' });
  const words = (page: Page) => page.getByLabel('Your words');
  const toWhom = (page: Page) => page.locator('.to-whom summary');
  const logOf = async (sessionId: string, reader = alice) =>
    (await reader.call('read_log', { session_id: sessionId, limit: 1000 })).envelopes;

  describe('to whom', () => {
    it('[UI89] everybody, unless others are named: what gives the turn to who does not hear it is refused, and stays', async () => {
      const ann = await somebody(world, ['observe']);
      const { page, name } = ann;
      const graph = { initial_speaker: name, transitions: [], default_target: null, max_turns: 9 };
      const session = await opened('workflow', [name, 'bob', 'carol'], { graph });
      await joined(ann, session.id);
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      await expect.poll(() => toWhom(page).textContent(), POLL).toBe('To everybody');
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
      await page.context().close();
    });

    it('[UI89] a whisper that is not said yet is still one after a look elsewhere; everybody takes the names away', async () => {
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
      await press(page, page.getByRole('checkbox', { name: 'everybody' }), 'Space');
      expect(await toWhom(page).textContent()).toBe('To everybody');
      await press(page, page.getByRole('button', { name: 'Send' }));
      await page.locator('.said-row', { hasText: 'Half a secret' }).waitFor();
      const said = (await logOf(session.id)).find(({ event_data }) => event_data.text === 'Half a secret');
      expect(said?.audience).toBeNull();
      await page.context().close();
    });

    it('[UI89] a whisper to who has left is never said to everybody; with one other alone there is nothing to choose', async () => {
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
      await page.locator('.to-whom', { hasText: 'carol (gone)' }).waitFor();
      await session.send('Go on.');
      await page.locator('.composer-turn', { hasText: 'It is your turn.' }).waitFor();
      await write(page, words(page), 'For carol alone');
      await page.keyboard.press('Control+Enter');
      await page.locator('.composer .refusal', { hasText: 'audience' }).waitFor();
      expect(await words(page).inputValue()).toBe('For carol alone');
      expect(JSON.stringify(await logOf(session.id))).not.toContain('For carol alone');
      await page.context().close();
    });
  });

  describe('small acts', () => {
    it('[UI82] where hands are raised one is raised, changed and taken down out of turn, as quiet marks', async () => {
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
      await press(page, page.getByRole('button', { name: 'Take it down' }));
      await page.locator('.quiet-row.mark-hand', { hasText: `${name} lowers the hand` }).waitFor();
      await page.getByRole('button', { name: 'Take it down' }).waitFor({ state: 'detached' });
      await press(page, page.getByRole('button', { name: 'Raise hand' }));
      await page.getByRole('button', { name: 'Take it down' }).waitFor();
      // What is pressed while another is still on its way counts as well.
      await page.evaluate(`for (const name of ['Take it down', 'Raise hand']) {
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
      await page.context().close();
    });

    it('[UI82, UI88] where none are, there is no hand; what the hub says against one is told', async () => {
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
      await page.context().close();
    });

    it('[UI82] a moderator names who is next, and ends it early with a reason; who is named does neither', async () => {
      const [mod, ann] = [await somebody(world), await somebody(world)];
      await mod.page.evaluate(`location.hash = '#/open'`);
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
      for (const { page } of [mod, ann]) await page.context().close();
    }, 60_000);
  });
});
