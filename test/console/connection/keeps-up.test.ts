// An open page follows changes of grants, redactions and the past of a long session.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { governedRun } from '../governed/run-in-hand.ts';
import { type ConsoleWorld, describeConsole } from '../support/console-world.ts';
import { press } from '../support/keyboard.ts';
import { type Grants, goTo, joined, type Person, person as somebody, visit } from '../support/people.ts';

describeConsole('a page that stays open', (world) => {
  let alice: AgentClient;
  let bob: AgentClient;

  beforeAll(async () => {
    alice = await world.hub.agent('alice');
    bob = await world.hub.agent('bob');
    // Ack everything, so that the inbox never fills.
    bob.handle({ onMessage: () => {} });
  }, 60_000);

  /** A person with grants of the identity, which can be revoked, besides those of the token. */
  async function granted(at: ConsoleWorld, own: Grants, ofToken: Grants = []): Promise<Person> {
    const ann = await somebody(at, ofToken);
    await at.hub.grant(ann.name, [...own]);
    await ann.page.reload();
    await ann.page.waitForSelector('.me');
    return ann;
  }
  const notice = (page: Page, text: string) => page.locator('.notice', { hasText: text });

  describe('messages', () => {
    it('[UI5] a participant without the observe grant sees deltas and messages', async () => {
      const ann = await somebody(world);
      const session = await alice.open('conversation', { participants: [ann.name], wait: 'created' });
      await joined(ann, session.id);
      await ann.page.getByLabel('Message').fill('What is it?');
      await ann.page.keyboard.press('Control+Enter');
      const { envelope_id: causationId } = await session.waitFor('msg.text');
      await session.delta('Half of', { causationId });
      await ann.page.waitForSelector('.said-row.writing >> text=Half of');
      await session.send('A whole answer.', { causationId });
      await ann.page.waitForSelector('.said-row:not(.writing) >> text=A whole answer.');
      await ann.page.locator('.said-row.writing').waitFor({ state: 'detached' });
    });

    it('[UI5, UI7] a participant with the observe grant sees everything, after a reload and in replay too', async () => {
      const ann = await somebody(world, ['observe']);
      const carol = await world.hub.agent('carol');
      const session = await alice.open('discussion', { participants: ['carol', ann.name], wait: 'created' });
      await joined(ann, session.id);
      await session.send('In your ear.', { to: ['carol'] });
      await carol.session(session.id).send('Aloud.');
      const { page } = ann;
      const seen = async (): Promise<(string | null)[]> => {
        await page.locator('.said-row', { hasText: 'Aloud.' }).waitFor();
        return page.locator('[data-seq]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-seq')));
      };
      await page.locator('.said-row', { hasText: 'In your ear.' }).waitFor();
      const all = ['1', '2', '3', '4', '5', '6', '7', '8'];
      await expect.poll(seen).toEqual(all);
      await page.reload();
      await expect.poll(seen).toEqual(all);
      await page.evaluate(`location.hash += '?at=9999'`);
      await page.locator('.then').waitFor();
      await expect.poll(seen).toEqual(all);
      expect(await page.locator('.at').textContent()).toBe('#8 of 8');
    });

    it("[UI7, UI88] without the observe grant only one's own view is offered; it shows time and audience", async () => {
      const ann = await somebody(world);
      const session = await alice.open('discussion', { participants: ['bob', ann.name], wait: 'created' });
      await joined(ann, session.id);
      await session.send('In your ear.', { to: [ann.name, 'bob'] });
      const { page } = ann;
      await page.locator('.said-row', { hasText: 'In your ear.' }).waitFor();
      const eyes = page.getByLabel('As seen by');
      expect(await eyes.locator('option').allInnerTexts()).toEqual(['everything I can read', ann.name]);
      await eyes.selectOption(ann.name);
      const line = page.locator('.view-of .said-row', { hasText: 'In your ear.' });
      await line.locator('.audience', { hasText: `to ${ann.name}, bob` }).waitFor();
      await line.locator('time').waitFor();
    });
  });

  describe('grants', () => {
    it('[UI88] are read again after a refusal: a lost grant is announced and its actions disappear', async () => {
      const ann = await granted(world, ['operate'], ['observe']);
      const { page, name } = ann;
      const session = await alice.open('conversation', ['bob']);
      await goTo(page, session.id);
      await page.getByRole('button', { name: 'Actions for bob' }).waitFor();
      await world.hub.revoke(name, ['operate']);
      await press(page, page.getByRole('button', { name: 'Close the session' }));
      await press(page, page.getByRole('button', { name: 'Close it' }));
      await page.locator('dialog .refusal', { hasText: 'The hub refused:' }).waitFor();
      await notice(page, '"operate"').waitFor();
      await page.keyboard.press('Escape');
      for (const gone of ['Close the session', 'Actions for bob']) {
        await page.getByRole('button', { name: gone }).waitFor({ state: 'detached' });
      }
    });

    it('[UI88] are read again on reconnect, lost and new ones', async () => {
      const { hub, page: built } = world;
      let again: Awaited<ReturnType<typeof hub.listen>> | undefined;
      const first = await hub.listen({ port: 0, console: { folder: built.folder } });
      const origin = `http://127.0.0.1:${first.port}`;
      const ann = await granted({ ...world, origin }, ['operate'], ['observe']);
      const { page, name } = ann;
      const session = await alice.open('conversation', ['bob']);
      await goTo(page, session.id);
      await page.getByRole('button', { name: 'Actions for bob' }).waitFor();
      await page.evaluate('window.marker = "still here"');
      for (const [change, text, count] of [
        [hub.revoke, 'was revoked', 0],
        [hub.grant, 'was granted to you', 1],
      ] as const) {
        await page.evaluate('document.querySelectorAll(".notice button").forEach((one) => one.click())');
        const serving = change === hub.revoke ? first : again;
        await serving?.close();
        await page.waitForSelector('[data-connection=away]');
        await change(name, ['operate']);
        again = await hub.listen({ port: first.port, console: { folder: built.folder } });
        await notice(page, text).waitFor();
        await expect.poll(() => page.getByRole('button', { name: 'Actions for bob' }).count()).toBe(count);
      }
      expect(await page.evaluate('window.marker')).toBe('still here');
      await page.context().close();
      await again?.close();
    }, 60_000);

    it('[UI30, UI88] losing observe keeps only sessions one participates in and envelopes addressed to one', async () => {
      const ann = await granted(world, ['observe']);
      const { page, name } = ann;
      const intent = (words: string) => ({ labels: { intent: words } });
      const own = await alice.open('discussion', {
        participants: ['bob', name],
        wait: 'created',
        ...intent('With ann'),
      });
      await alice.open('conversation', { participants: ['bob'], ...intent('Not with ann') });
      await page.locator('.rows .row', { hasText: 'Not with ann' }).waitFor();
      await joined(ann, own.id);
      await own.send('Between us.', { to: ['bob'] });
      await page.locator('.said-row', { hasText: 'Between us.' }).waitFor();
      await world.hub.revoke(name, ['observe']);
      await notice(page, '"observe"').waitFor();
      await page.waitForSelector('.session-head >> text=addressed to you');
      await bob.session(own.id).send('To all.');
      await page.locator('.said-row', { hasText: 'To all.' }).waitFor();
      expect(await page.locator('.said-row', { hasText: 'Between us.' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Sessions' }).click();
      await page.locator('.rows .row', { hasText: 'With ann' }).first().waitFor();
      await page.locator('.rows .row', { hasText: 'Not with ann' }).waitFor({ state: 'detached' });
    });
  });

  describe('redacted text', () => {
    const SECRET = 'The code is 4711.';
    const seqOf = async (sessionId: string, words: string) =>
      (await alice.call('read_log', { session_id: sessionId, limit: 1000 })).envelopes.find((one) =>
        JSON.stringify(one.event_data).includes(words),
      )?.seq ?? 0;

    it('[UI91] disappears from the transcripts of observers and participants, and nothing else changes', async () => {
      const session = await alice.open('discussion', { participants: ['bob'] });
      const [ann, ben] = [await somebody(world, ['observe']), await somebody(world)];
      const own = await alice.open('discussion', { participants: ['bob', ben.name], wait: 'created' });
      await joined(ben, own.id);
      await goTo(ann.page, session.id);
      for (const [{ page }, { id }] of [
        [ann, session],
        [ben, own],
      ] as const) {
        await alice.session(id).send(SECRET);
        await bob.session(id).send('Thank you.');
        await page.locator('.said-row', { hasText: SECRET }).waitFor();
        await page.locator('.said-row', { hasText: 'Thank you.' }).waitFor();
        await world.hub.redact(id, await seqOf(id, SECRET), 'a code');
        await page.locator('.said-row', { hasText: '[redacted]' }).waitFor();
        expect(await page.evaluate('document.body.innerHTML')).not.toContain(SECRET);
        expect(await page.locator('.said-row', { hasText: 'Thank you.' }).count()).toBe(1);
        await page.context().close();
      }
    }, 60_000);

    it('[UI91] disappears from replay and from views', async () => {
      const session = await alice.open('discussion', { participants: ['bob'] });
      await session.send(SECRET);
      await bob.session(session.id).send('More.');
      const seq = await seqOf(session.id, SECRET);
      const { page } = await somebody(world, ['observe', 'operate'], `/sessions/${session.id}?at=${seq}`);
      await page.locator('.said-row', { hasText: SECRET }).waitFor();
      await world.hub.redact(session.id, seq);
      await page.locator('.said-row', { hasText: '[redacted]' }).waitFor();
      await page.waitForSelector('.panel-state .refusal');
      expect(await page.evaluate('document.body.innerHTML')).not.toContain(SECRET);

      const other = await alice.open('discussion', { participants: ['bob'] });
      await other.send(SECRET);
      const { session: metadata } = await other.info();
      const bobId = metadata.participants.find(({ name }) => name === 'bob')?.agent_id;
      await visit(page, `#/sessions/${other.id}?at=${seq}&as=${bobId}`);
      await page.locator('.view-of .said-row', { hasText: SECRET }).waitFor();
      await world.hub.redact(other.id, await seqOf(other.id, SECRET));
      await page.locator('.view-of .said-row', { hasText: '[redacted]' }).waitFor();
    }, 60_000);

    it('[UI91] disappears from the row of a session without an intent', async () => {
      const ben = await somebody(world);
      const session = await alice.open('conversation', { participants: [ben.name], wait: 'created' });
      await joined(ben, session.id);
      await session.send(SECRET);
      await ben.page.getByRole('link', { name: 'Sessions' }).click();
      await ben.page.locator('.rows .row', { hasText: SECRET }).waitFor();
      await world.hub.redact(session.id, await seqOf(session.id, SECRET));
      await ben.page.locator('.rows .row', { hasText: '[redacted]' }).waitFor({ timeout: 15_000 });
      expect(await ben.page.locator('.rows .row', { hasText: SECRET }).count()).toBe(0);
    }, 60_000);

    it('[UI91] disappears from the panels of a governed run', async () => {
      const ann = await somebody(world, ['observe', 'approve']);
      const { page } = ann;
      const run = await governedRun(alice, [ann.name], { join: (id) => joined(ann, id) });
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { status: 'needs_human', needs_human_reason: 'Which shop is meant?' });
      await page.getByLabel('Your answer').fill(SECRET);
      await page.getByRole('button', { name: 'Answer', exact: true }).click();
      const stop = page.locator('.panel-governed .run-list li', { hasText: 'Which shop is meant?' });
      await page.locator('.panel-governed .run-list li', { hasText: SECRET }).waitFor();
      await world.hub.redact(run.id, await seqOf(run.id, SECRET));
      await expect.poll(() => page.evaluate('document.body.innerHTML')).not.toContain(SECRET);
      await expect.poll(() => stop.count()).toBe(1);
    }, 60_000);
  });

  describe('the timeline', () => {
    /** A session with early marks and many messages, created on first use. */
    let made: Promise<string> | null = null;
    const longSession = (): Promise<string> => {
      made ??= (async () => {
        const session = await alice.open('conversation', ['bob']);
        await world.hub.hideParticipant(session.id, 'bob', 'long ago');
        await world.hub.returnParticipant(session.id, 'bob');
        for (let count = 0; count < 700; count += 1) await session.send(`Text ${count}`);
        return session.id;
      })();
      return made;
    };

    it('[UI92] has the marks of the whole session, also of unloaded parts, and leads to them', async () => {
      const id = await longSession();
      const { page } = await somebody(world, ['observe'], `/sessions/${id}`);
      await page.locator('.said-row', { hasText: 'Text 699' }).waitFor();
      await page.locator('.timeline .mark-hide').waitFor({ state: 'attached' });
      await page.locator('.replay', { hasText: 'Marks from' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '‹ Mark' }).click();
      await page.locator('.quiet-row', { hasText: 'bob is back' }).waitFor();
    }, 60_000);

    it('[UI92] says where its marks begin while the log is still loading', async () => {
      const id = await longSession();
      const { page } = await somebody(world, ['observe']);
      await page.routeWebSocket(/.*/, (socket) => {
        const server = socket.connectToServer();
        // Withhold everything before the newest page.
        socket.onMessage((frame) => {
          if (!/"op":"read_log".*"limit":500/.test(String(frame))) server.send(frame);
        });
      });
      await page.reload();
      await goTo(page, id);
      await page.locator('.said-row', { hasText: 'Text 699' }).waitFor();
      await page.locator('.replay', { hasText: /Marks from #\d+ on/ }).waitFor();
    }, 60_000);
  });
});
