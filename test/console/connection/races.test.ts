// Late and reordered answers: the page shows what the current identity asked for last.

import type { AgentClient } from 'parley-hub';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeConsole, POLL } from '../support/console-world.ts';
import { joined, person as somebody } from '../support/people.ts';

interface Asked {
  readonly op: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A connection that can hold back some answers. */
interface SlowWire {
  /** Holds back answers to matching requests from now on. */
  hold(fits: (asked: Asked) => boolean): void;
  /** The number of answers held back. */
  waiting(): number;
  letGo(): void;
}

async function slowWire(page: Page): Promise<SlowWire> {
  let isHeld: (asked: Asked) => boolean = () => false;
  let kept: (() => void)[] = [];
  await page.routeWebSocket(/^ws:/, (route) => {
    const asked = new Map<string, Asked>();
    const hub = route.connectToServer();
    route.onMessage((text) => {
      const frame = JSON.parse(String(text)) as Asked & { kind: string; request_id: string };
      if (frame.kind === 'request') asked.set(frame.request_id, frame);
      hub.send(text);
    });
    hub.onMessage((text) => {
      const { request_id } = JSON.parse(String(text)) as { request_id?: string };
      const question = asked.get(request_id ?? '');
      if (question !== undefined && isHeld(question)) kept.push(() => route.send(text));
      else route.send(text);
    });
  });
  return {
    hold: (fits) => {
      isHeld = fits;
    },
    waiting: () => kept.length,
    letGo() {
      isHeld = () => false;
      for (const send of kept) send();
      kept = [];
    },
  };
}

describeConsole('answers that come late', (world) => {
  let alice: AgentClient;
  let bob: AgentClient;

  beforeAll(async () => {
    alice = await world.hub.agent('alice');
    bob = await world.hub.agent('bob');
    bob.handle({ onMessage: () => {} });
  }, 60_000);

  /** A page at a session with that many lines, over a slow wire. */
  async function atSession(lines: number) {
    const session = await alice.open('conversation', ['bob']);
    // Sequentially, so that the inbox of bob never fills.
    for (let at = 1; at <= lines; at += 1) await session.send(`line ${at}`);
    const name = `late-${session.id.slice(-6)}`;
    const token = await world.tokenFor(name, ['observe']);
    const page = await (await world.browser.newContext()).newPage();
    page.setDefaultTimeout(8000);
    const wire = await slowWire(page);
    await page.goto(`${world.origin}/#token=${token}&name=${name}&to=/sessions/${session.id}`);
    await page.waitForSelector('.said-row');
    return { session, page, wire };
  }
  const scrollTo = (page: Page, top: number | 'end') =>
    page.evaluate(`(() => {
      const talk = document.querySelector('.transcript');
      talk.scrollTop = ${top === 'end' ? 'talk.scrollHeight' : top};
      // Even if the position is the same.
      talk.dispatchEvent(new Event('scroll'));
    })()`);
  const lastLine = (page: Page) => page.locator('.said-row .text').last().textContent();

  const firstLine = async (page: Page) => Number(await page.locator('[data-seq]').first().getAttribute('data-seq'));
  /** Scrolls up until a line before this seq is shown. */
  const upTo = (page: Page, seq: number) =>
    expect
      .poll(
        async () => {
          const first = await firstLine(page);
          if (first >= seq) await scrollTo(page, 0);
          return first;
        },
        { timeout: 20_000 },
      )
      .toBeLessThan(seq);

  it('[UI5] a late page of another part of the log does not change the newest part', async () => {
    const { session, page, wire } = await atSession(1400);
    // Up, until the newest are not held any more.
    await upTo(page, 100);
    wire.hold(({ op, params }) => op === 'read_log' && params.reverse !== true);
    await scrollTo(page, 'end');
    await expect.poll(wire.waiting, POLL).toBeGreaterThan(0);
    await page.getByRole('button', { name: /latest/ }).click();
    await expect.poll(() => lastLine(page), POLL).toBe('line 1400');
    wire.letGo();
    await session.send('and one more');
    await expect.poll(() => lastLine(page), POLL).toBe('and one more');
  }, 60_000);

  it('[UI5] a late earlier page leaves no gap in the loaded part', async () => {
    const { page, wire } = await atSession(1800);
    // Up, until the newest are not held any more.
    await upTo(page, 420);
    wire.hold(({ op, params }) => op === 'read_log' && params.reverse === true && params.from_seq !== undefined);
    await scrollTo(page, 0);
    await expect.poll(wire.waiting, POLL).toBeGreaterThan(0);
    await page.getByRole('button', { name: /latest/ }).click();
    await expect.poll(() => lastLine(page), POLL).toBe('line 1800');
    wire.letGo();
    await scrollTo(page, 0);
    await expect.poll(() => firstLine(page), POLL).toBeLessThan(1700);
    expect(await firstLine(page)).toBeGreaterThan(1300);
  }, 60_000);

  it('[UI5, UI30] a participant that polls misses nothing new while reading earlier pages', async () => {
    const ann = await somebody(world);
    const session = await alice.open('conversation', { participants: [ann.name], wait: 'created' });
    await joined(ann, session.id);
    for (let at = 1; at <= 300; at += 1) await session.send(`line ${at}`);
    await ann.page.reload();
    await ann.page.locator('.said-row', { hasText: 'line 300' }).waitFor();
    // A hidden page learns the newest seq without reading the envelopes.
    await ann.page.evaluate('Object.defineProperty(document, "hidden", { configurable: true, get: () => true })');
    for (let at = 301; at <= 310; at += 1) await session.send(`line ${at}`);
    await upTo(ann.page, 100);
    await ann.page.evaluate('delete document.hidden');
    await expect
      .poll(async () => {
        await scrollTo(ann.page, 'end');
        return lastLine(ann.page);
      }, POLL)
      .toBe('line 310');
  }, 60_000);

  it('[UI5] scrolling down through a long session shows every line', async () => {
    const { page } = await atSession(1800);
    await upTo(page, 420);
    const seen = new Set<number>();
    await expect
      .poll(
        async () => {
          const seqs = await page.evaluate<number[]>(`(() => {
            const talk = document.querySelector('.transcript');
            const { top, bottom } = talk.getBoundingClientRect();
            const rows = [...talk.querySelectorAll('[data-seq]')].filter((row) => {
              const box = row.getBoundingClientRect();
              return box.bottom > top && box.top < bottom;
            });
            talk.scrollTop += talk.clientHeight * 0.5;
            return rows.map(({ dataset }) => Number(dataset.seq));
          })()`);
          for (const seq of seqs) seen.add(seq);
          return Math.max(...seqs);
        },
        { timeout: 40_000, interval: 60 },
      )
      .toBe(1804);
    const [first = 0] = [...seen].sort((a, b) => a - b);
    expect([...Array(1804 - first).keys()].map((at) => first + at).filter((seq) => !seen.has(seq))).toEqual([]);
  }, 90_000);

  it('[UI7] the later of two replay requests wins, whichever is answered first', async () => {
    const { session, page, wire } = await atSession(20);
    wire.hold(({ op, params }) => op === 'read_state' && params.at_seq === 5);
    await page.evaluate(`location.hash += '?at=5'`);
    await expect.poll(wire.waiting, POLL).toBe(1);
    await page.evaluate(`location.hash = location.hash.replace('at=5', 'at=9')`);
    await page.locator('.then', { hasText: 'as of #9' }).waitFor();
    wire.letGo();
    // The page has processed the late answer when a later one is shown.
    await session.send('later');
    await page.locator('.at', { hasText: 'of 25' }).waitFor();
    expect(await page.locator('.then').textContent()).toBe('as of #9');
  });

  it('[UI2, UI30] the next identity sees nothing of the previous one, signed out or not', async () => {
    const [mia, zoe] = ['mia', 'zoe'];
    const token = await world.tokenFor(mia, ['observe']);
    const page = await (await world.browser.newContext()).newPage();
    page.setDefaultTimeout(8000);
    await alice.open('conversation', { participants: ['bob'], labels: { intent: 'for mia alone' } });
    await page.goto(`${world.origin}/#token=${token}&name=${mia}`);
    await page.locator('.rows .row', { hasText: 'for mia alone' }).waitFor();
    await world.hub.revokeToken(world.hub.tokens().find(({ name }) => name === mia)?.token_id ?? '');
    await page.getByRole('button', { name: 'Connect again' }).click();
    await page.getByLabel('Name').fill(zoe);
    await page.getByLabel('Token').fill(await world.tokenFor(zoe, []));
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.locator('.me', { hasText: zoe }).waitFor();
    await page.locator('.empty', { hasText: 'No sessions yet.' }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('for mia alone');
    // A token in the address of an open page also changes the identity.
    await page.evaluate(`location.hash = 'token=${await world.tokenFor('ida', ['observe'])}&name=ida'`);
    await page.locator('.me', { hasText: 'ida' }).waitFor();
    await page.locator('.rows .row', { hasText: 'for mia alone' }).waitFor();
    expect(page.url()).not.toContain('token');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Name').fill(zoe);
    await page.getByLabel('Token').fill(await world.tokenFor(zoe, []));
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.locator('.empty', { hasText: 'No sessions yet.' }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('for mia alone');
  }, 60_000);

  it('[UI3] read-only mode registers no name', async () => {
    const token = await world.tokenFor('never-here', ['observe']);
    const page = await (await world.browser.newContext()).newPage();
    await page.goto(`${world.origin}/?read-only#token=${token}&name=never-here`);
    await page.locator('.refusal, [role=alert]', { hasText: 'never-here' }).first().waitFor();
    expect((await alice.call('list_agents', {})).agents.map(({ name }) => name)).not.toContain('never-here');
  });

  it('[UI83] the invite of a removed participant disappears', async () => {
    const { page, name } = await somebody(world, [], '/sessions');
    const session = await alice.open('discussion', { participants: ['bob', name], wait: 'created' });
    await page.locator('.invites-bar').waitFor();
    await world.hub.removeParticipant(session.id, name, 'a mistake');
    await page.locator('.invites-bar').waitFor({ state: 'detached' });
  });

  it('[UI6] a replaced connection keeps showing what it has read', async () => {
    const ann = await somebody(world);
    const session = await alice.open('conversation', { participants: [ann.name], wait: 'created' });
    await joined(ann, session.id);
    await session.send('Still there');
    await ann.page.waitForSelector('.said-row >> text=Still there');
    const other = await (await world.browser.newContext()).newPage();
    await other.goto(`${world.origin}/#token=${ann.token}&name=${ann.name}`);
    await other.locator('.me').waitFor();
    await ann.page.getByRole('button', { name: 'Connect again' }).waitFor();
    await ann.page.waitForTimeout(1500);
    expect(await ann.page.locator('.said-row', { hasText: 'Still there' }).count()).toBe(1);
  });
});
