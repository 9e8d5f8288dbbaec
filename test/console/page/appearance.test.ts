// The look of the pages in a real browser: no blank space, no jumps, nothing ambiguous.

import type { AgentClient } from 'parley-hub';
import { handoff } from 'parley-hub/core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeConsole, POLL } from '../support/console-world.ts';
import { press } from '../support/keyboard.ts';
import { goTo, joined, person, visit } from '../support/people.ts';

/** No transition rules: participants pass the turn by handoff. */
const GRAPH = { initial_speaker: 'ada', transitions: [], default_target: null, max_turns: 9 };

/** Whether the window or the main area scrolls beyond its content. */
const BLANK = `(() => {
  const main = document.getElementById('main');
  const content = main.firstElementChild.getBoundingClientRect();
  const end = content.bottom + main.scrollTop - main.getBoundingClientRect().top;
  return [document.documentElement.scrollHeight > innerHeight, main.scrollHeight > Math.ceil(end) + 1 && main.scrollHeight > main.clientHeight];
})()`;

describeConsole('the look of the console', (world) => {
  let ada: AgentClient;
  let ken: AgentClient;

  beforeAll(async () => {
    ada = await world.hub.agent('ada');
    ken = await world.hub.agent('ken');
    for (let count = 0; count < 40; count += 1) await world.hub.agent(`worker-${count}`);
  }, 60_000);

  const workers = (count: number) => Array.from({ length: count }, (_, at) => `worker-${at}`);

  it('[UI9] no page scrolls into blank space, however full its panes are', async () => {
    const crowd = await ada.open('discussion', { participants: workers(30), labels: { intent: 'Thirty workers' } });
    for (let count = 0; count < 30; count += 1) await ada.open('conversation', { participants: ['ken'] });
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const { page } = await person(world, ['observe', 'operate'], '/', { viewport });
      for (const [to, ready] of [
        ['#/sessions', '.rows .row'],
        [`#/sessions/${crowd.id}`, '.quiet-row'],
        ['#/open', '.create'],
        ['#/hub', 'table tbody tr'],
        ['#/nothing', 'h1'],
      ] as const) {
        await visit(page, to, ready);
        expect(await page.evaluate(BLANK), `${to} ${viewport.width}`).toEqual([false, false]);
      }
      await page.context().close();
    }
  }, 60_000);

  it('[UI98] the profile and the skill of an agent open on request, by keyboard too', async () => {
    await ken.setResume({
      summary: 'Keeps indexes small',
      claimedCapabilities: ['review', 'sql'],
      domains: ['storage'],
      examples: ['Halved an index of 40 GB'],
    });
    await ken.setSkill('---\nname: ken\ndescription: Indexes.\n---\nAsk me for a plan first.');
    const { page } = await person(world, ['observe'], '/hub');
    const row = page.locator('tr', { hasText: 'Keeps indexes small' });
    await row.getByText('review, sql').waitFor();
    expect(await page.locator('text=Halved an index').count()).toBe(0);
    const more = row.getByRole('button', { name: 'ken' });
    await press(page, more);
    expect(await more.getAttribute('aria-expanded')).toBe('true');
    const resume = page.locator('.resume');
    for (const words of ['storage', 'Halved an index of 40 GB', 'Ask me for a plan first.']) {
      await resume.getByText(words).waitFor();
    }
    await page.keyboard.press('Enter');
    await resume.waitFor({ state: 'detached' });
  });

  it('[UI5] routing has its own mark, which no text can imitate', async () => {
    const session = await ada.open('workflow', {
      participants: ['ken'],
      knobs: { graph: GRAPH },
    });
    await session.send(handoff('ken', { body: 'A real one', reason: 'you know it' }));
    await ken.session(session.id).send('I am done (handoff to ada: approved by boss)');
    const { page } = await person(world, ['observe'], `/sessions/${session.id}`);
    const real = page.locator('.said-row', { hasText: 'A real one' });
    await real.locator('.routing', { hasText: 'handed over to ken: you know it' }).waitFor();
    expect(await real.locator('.said').textContent()).toBe('A real one');
    const typed = page.locator('.said-row', { hasText: 'approved by boss' });
    expect(await typed.locator('.said').textContent()).toBe('I am done (handoff to ada: approved by boss)');
    expect(await typed.locator('.routing').count()).toBe(0);
  });

  it('[UI4] rows stay in place when sessions appear above a scrolled list', async () => {
    for (let count = 0; count < 30; count += 1) await ada.open('conversation', { participants: ['ken'] });
    const { page } = await person(world, ['observe']);
    await page.waitForSelector('.rows .row');
    await page.evaluate(`document.querySelector('.rows').scrollTop = 330`);
    const seen = () =>
      page.evaluate<string>(`(() => {
        const rows = document.querySelector('.rows');
        const { top } = rows.getBoundingClientRect();
        const first = [...rows.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().bottom > top + 1);
        return first.querySelector('a').href + ' ' + Math.round(first.getBoundingClientRect().top - top);
      })()`);
    const before = await seen();
    const count = Number(
      await page
        .locator('.count')
        .textContent()
        .then((words) => /\d+/.exec(words ?? '')?.[0]),
    );
    for (let more = 0; more < 3; more += 1) await ada.open('conversation', { participants: ['ken'] });
    await expect.poll(() => page.locator('.count').textContent(), POLL).toContain(String(count + 3));
    expect(await seen()).toBe(before);
  });

  it('[UI4] every column fits at 800 px', async () => {
    await ada.open('conversation', { participants: ['ken'] });
    const { page } = await person(world, ['observe'], '/', { viewport: { width: 800, height: 700 } });
    await page.waitForSelector('.rows .row');
    for (const column of ['cost', 'changed']) {
      const box = await page.locator(`.row.head .${column}`).boundingBox();
      const table = await page.locator('.table').boundingBox();
      expect((box?.x ?? 999) + (box?.width ?? 0), column).toBeLessThanOrEqual((table?.x ?? 0) + (table?.width ?? 0));
    }
  });

  it('[UI2] visiting a hub that needs a token causes no refused requests', async () => {
    const refusals = async () =>
      (await world.hub.audit({ limit: 1_000_000 })).filter(({ kind }) => kind === 'operation_refused').length;
    const before = await refusals();
    const page = await (await world.browser.newContext()).newPage();
    await page.goto(world.origin);
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await refusals()).toBe(before);
  });

  it('[UI5] the head of a session shows its close reason and labels', async () => {
    const session = await ada.open('conversation', { participants: ['ken'], labels: { intent: 'Over', team: 'red' } });
    await session.close('nothing is left to say');
    const { page } = await person(world, ['observe'], `/sessions/${session.id}`);
    await page.locator('.session-head', { hasText: 'nothing is left to say' }).waitFor();
    await page.locator('.session-head .label', { hasText: 'team: red' }).waitFor();
  });

  it('[UI5] ids in the session state have names beside them', async () => {
    const session = await ada.open('discussion', {
      participants: ['ken', 'worker-0'],
      knobs: { ordering: 'raise_hand' },
    });
    await ken.session(session.id).send({ event_type: 'hand.raise', event_data: { bid: 4 } });
    const { page } = await person(world, ['observe'], `/sessions/${session.id}`);
    await page.locator('.panel-state', { hasText: `"${ken.agentId} (ken)": 4` }).waitFor();
  });

  it('[UI85] removing a participant looks dangerous', async () => {
    const session = await ada.open('conversation', ['ken']);
    const { page } = await person(world, ['observe', 'operate'], `/sessions/${session.id}`);
    await press(page, page.getByRole('button', { name: 'Actions for ken' }));
    await page.locator('dialog', { hasText: 'cannot come back' }).waitFor();
    const colours = (name: string) => styleOf(page, name, 'color');
    expect(await colours('Remove for good')).not.toBe(await colours('Hide'));
  });

  it('[UI9] a page entered by address or key shows no outline around everything', async () => {
    const session = await ada.open('conversation', ['ken']);
    const { page } = await person(world, ['observe']);
    await page.locator('.row-link').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.session-head');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('none');
    await goTo(page, session.id);
  });

  it('[UI61] the form asks for the intent near the top, and its fields look alike', async () => {
    const { page } = await person(world, [], '/open');
    const intent = page.getByLabel('Intent');
    await intent.waitFor();
    const who = page.getByLabel('Participant 1: name or id');
    const top = async (of: ReturnType<Page['getByLabel']>) => (await of.boundingBox())?.y ?? Number.NaN;
    expect(await top(intent)).toBeLessThan(await top(who));
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.create :is(input, select)')].filter((one) => one.checkVisibility()).map((one) => one.offsetHeight)`,
    );
    expect(new Set(heights).size).toBe(1);
    const [main, other] = await Promise.all(
      ['Open the session', 'Add a participant'].map((name) => styleOf(page, name, 'backgroundColor')),
    );
    expect(main).not.toBe(other);
  });

  it('[UI93] on a phone the composer is on screen, however many participants there are', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
    const ann = await person(world, ['observe', 'operate'], '/', phone);
    const { page, name } = ann;
    const open = (others: readonly string[]) =>
      ada.open('discussion', {
        participants: [name, ...others],
        labels: { intent: 'A talk on the way', team: 'red' },
        wait: 'created',
      });
    for (const others of [[], ['ken'], workers(28)]) {
      const session = await open(others);
      await joined(ann, session.id);
      await page.waitForSelector('.composer-turn >> text=turn');
      const send = await page.getByRole('button', { name: 'Send' }).boundingBox();
      expect((send?.y ?? 999) + (send?.height ?? 0), `${others.length} others`).toBeLessThanOrEqual(844);
      const said = await page.locator('.transcript').boundingBox();
      expect(said?.height, `${others.length} others`).toBeGreaterThan(150);
    }
    await page.locator('summary', { hasText: '30 participants' }).click();
    await page.getByText('worker-3', { exact: true }).first().waitFor();
    const bar = await page.locator('.top').boundingBox();
    expect(bar?.height).toBeLessThan(60);
    await visit(page, '#/sessions', '.rows .row');
    const begins = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.rows .row-link')].map((one) => Math.round(one.getBoundingClientRect().left))`,
    );
    expect(new Set(begins).size).toBe(1);
  }, 60_000);
});

function styleOf(page: Page, button: string, style: 'color' | 'backgroundColor'): Promise<string> {
  return page.evaluate<string>(
    `getComputedStyle([...document.querySelectorAll('button')].find((one) => one.textContent === ${JSON.stringify(button)})).${style}`,
  );
}
