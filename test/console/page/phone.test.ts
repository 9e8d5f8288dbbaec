// Every page on a phone: nothing is cut off, overlaps, or is too small to touch.

import type { AgentClient } from 'parley-hub';
import { beforeAll, expect, it } from 'vitest';
import { governedRun } from '../governed/run-in-hand.ts';
import { describeConsole } from '../support/console-world.ts';
import { goTo, joined, person, visit } from '../support/people.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

/** Faults of touch targets. The label of a checkbox and the whole row of a list count as the target. */
const UNTOUCHABLE = `(() => {
  const LEAST = 40;
  const area = (one) => one.matches('input[type=checkbox]') ? one.closest('label') ?? one : one.matches('.row-link') ? one.closest('.row') : one;
  const all = [...document.querySelectorAll('a, button, select, input, textarea, summary')]
    .filter((one) => one.checkVisibility() && one.closest('svg, .skip') === null && (document.querySelector('dialog[open]') ?? document).contains(one))
    .map((one) => ({ one, box: area(one).getBoundingClientRect() }));
  const named = ({ one }) => one.tagName + ' ' + (one.textContent || one.getAttribute('aria-label') || one.id || one.className).trim().slice(0, 30);
  const isOver = (a, b) => !a.one.contains(b.one) && !b.one.contains(a.one) &&
    Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 1 &&
    Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 1;
  const small = all.filter(({ box }) => box.height < LEAST || box.width < LEAST).map((one) => 'small: ' + named(one) + ' ' + one.box.width + 'x' + one.box.height);
  const cut = all.filter(({ box }) => box.left < 0 || box.right > innerWidth).map((one) => 'cut off: ' + named(one));
  const over = all.flatMap((a, at) => all.slice(at + 1).filter((b) => a.one.closest('main, dialog') === b.one.closest('main, dialog') && !a.one.matches('.to-newest') && !b.one.matches('.to-newest') && isOver(a, b)).map((b) => 'on top of each other: ' + named(a) + ' / ' + named(b)));
  const wide = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the phone'] : [];
  return [...new Set([...small, ...cut, ...over, ...wide])];
})()`;

describeConsole('the console on a phone', (world) => {
  let alice: AgentClient;

  beforeAll(async () => {
    alice = await world.hub.agent('alice');
    await world.hub.agent('bob');
  }, 60_000);

  it.each(['light', 'dark'] as const)(
    '[UI93] everything is large enough to touch: %s',
    async (colorScheme) => {
      const ann = await person(world, ['observe', 'operate', 'approve'], '/', { ...PHONE, colorScheme });
      const { page, name } = ann;
      const open = (type: string, intent: string, knobs: object = {}) =>
        alice.open(type, { participants: ['bob', name], knobs: { ...knobs }, labels: { intent }, wait: 'created' });
      const waiting = await open('discussion', 'An invite that waits');
      const hands = await open('discussion', 'Who speaks, and when', { ordering: 'raise_hand' });
      const graph = { initial_speaker: name, transitions: [], default_target: null, max_turns: 9 };
      const workflow = await open('workflow', 'Hand it on', { graph });
      await joined(ann, hands.id);
      await hands.send('Something about an index.');
      await joined(ann, workflow.id);
      const run = await governedRun(alice, [name], { roles: { dev: name }, join: (id) => joined(ann, id) });
      await run.out('turn_p', 'pm');
      await run.accept('turn_p', { phase_transition_request: 'building' });
      const to = (hash: string, ready: string) => async () => {
        await visit(page, hash, ready);
      };
      const looks: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['the list', to('#/sessions', '.rows .row')],
        ['filters', () => page.locator('.folded-filters summary').click()],
        ['what was found', to('#/sessions?search=index', '.found li')],
        ['an invite', to(`#/sessions/${waiting.id}`, '.invite-answer')],
        ['hands', to(`#/sessions/${hands.id}`, '.hand-part')],
        ['to whom', () => page.locator('.to-whom summary').click()],
        ['who takes part', () => page.locator('.folded-people summary').click()],
        ['a dialog', () => page.getByRole('button', { name: 'Actions for bob' }).click()],
        ['the past', to(`#/sessions/${hands.id}?at=3`, '.badge.then')],
        ['a workflow', to(`#/sessions/${workflow.id}`, '.panel-graph svg')],
        ['where it goes', () => page.getByLabel('Then').selectOption('finish')],
        ['a run', () => goTo(page, run.id).then(() => page.getByRole('button', { name: 'Approve' }).waitFor())],
        ['the hub', to('#/hub', '.feed li')],
        ['what an agent says', () => page.getByRole('button', { name: 'bob' }).click()],
        [
          'the form',
          async () => {
            await visit(page, '#/open');
            await page.getByLabel('Type', { exact: true }).selectOption('workflow');
            await page.getByRole('button', { name: 'Loop' }).click();
            await page.locator('.graph-editor-picture svg').first().waitFor();
            await page.locator('.create summary', { hasText: 'Options' }).click();
            await page.getByRole('button', { name: /Add/ }).last().click();
          },
        ],
        ['nothing', to('#/nothing', 'h1')],
        ['what one chose', () => page.locator('.menu').click()],
        ['signing in', () => page.getByRole('button', { name: 'Sign out' }).click()],
      ];
      for (const [what, look] of looks) {
        await look();
        expect(await page.evaluate(UNTOUCHABLE), what).toEqual([]);
        if (what === 'a dialog') await page.keyboard.press('Escape');
      }
    },
    90_000,
  );
});
