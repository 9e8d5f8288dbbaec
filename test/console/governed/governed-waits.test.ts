// Pages show what a governed run waits for, and ask the person who must take a turn or answer.

import type { AgentClient } from 'parley-hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG, said } from '../../adapters/governed/governed-scene.ts';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { AXE, faults } from '../support/axe.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import { press, reach, write } from '../support/keyboard.ts';
import { goTo, joined, person } from '../support/people.ts';
import { governedRun } from './run-in-hand.ts';

const ASKED = { status: 'needs_human', needs_human_reason: 'Which colour is the door?' };
const REQUEST = { phase_transition_request: 'building' };

describe.skipIf(chromium === null && !required('chromium'))(`waits of a governed run${whyNoChromium}`, () => {
  let world: ConsoleWorld;
  let alice: AgentClient;

  beforeAll(async () => {
    world = await consoleWorld();
    alice = await world.hub.agent('alice');
    await world.hub.agent('bob');
  }, 60_000);
  afterAll(() => world?.end());

  it('[UI86] the list, session head, transcript and waits show a pending question or gate', async () => {
    const ann = await person(world, ['observe', 'approve']);
    const { page } = ann;
    const run = await governedRun(alice, [ann.name], { intent: 'Doors', join: (id) => joined(ann, id) });
    const isShown = async (words: string) => {
      await page.evaluate(`location.hash = '#/hub'`);
      await page
        .locator('.waits li', { hasText: words })
        .filter({ hasText: run.id.slice(-8) })
        .waitFor();
      await page.locator('.waits li', { hasText: 'by anyone with the "approve" grant' }).first().waitFor();
      await page.evaluate(`location.hash = '#/'`);
      await page
        .locator('.row', { hasText: run.id.slice(-8) })
        .locator('.cell.turn', { hasText: words })
        .waitFor();
      await goTo(page, run.id);
      await page.locator('.session-head .facts', { hasText: words }).waitFor();
      expect(await page.locator('.session-head .facts').textContent()).not.toContain('Nobody has the turn');
      await page.locator('.quiet-row', { hasText: words }).waitFor();
    };
    await run.out('turn_1', 'pm');
    await run.accept('turn_1', ASKED);
    await isShown('a question waits for an answer');
    await page.locator('.quiet-row.mark-stop', { hasText: 'Which colour is the door?' }).waitFor();
    await run.say(said('run.resolved', { note: 'green' }));
    await page.locator('.session-head .facts', { hasText: 'Nobody has the turn' }).waitFor();
    await run.out('turn_2', 'pm');
    await run.accept('turn_2', REQUEST);
    await isShown('gate plan_ok waits for approval');
    // The list shows all of it, and leaves room for the name of the session.
    await page.evaluate(`location.hash = '#/'`);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const row = page.locator('.row', { hasText: run.id.slice(-8) });
      await row.locator('.awaited').waitFor();
      for (const part of ['.awaited', '.cell.turn']) {
        const rest = await row
          .locator(part)
          .evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]);
        expect(Math.max(...rest), `${part} ${width}`).toBeLessThanOrEqual(1);
      }
      const name = await row.locator('.cell.session').evaluate((one) => one.getBoundingClientRect().width);
      expect(name).toBeGreaterThan(150);
    }
    await goTo(page, run.id);
    await page
      .locator('.quiet-row', { hasText: 'turn_2 is accepted' })
      .filter({ hasText: 'asks for building' })
      .waitFor();
    await page.context().close();
  }, 60_000);

  it('[UI87] the turn holder sees the prompt, one notice of the turn, and the transcript', async () => {
    const ann = await person(world, ['observe'], '/', { viewport: { width: 1280, height: 800 }, bypassCSP: true });
    const { page } = ann;
    const run = await governedRun(alice, [ann.name], { roles: { dev: ann.name }, join: (id) => joined(ann, id) });
    const long = `# You are Dev\n\n${'Build the door, and say why it holds.\n'.repeat(60)}<b>Never</b> paint it \u202eder\u202c.`;
    await run.say(said('turn.assigned', { turn_id: 'turn_d', role: 'dev' }));
    await run.say(said('turn.dispatched', { turn_id: 'turn_d', prompt: long, context: 'Gate ship_ok is ahead.' }));
    const asked = page.getByRole('region', { name: 'Prompt' });
    const summary = page.locator('.turn-result summary', { hasText: 'Prompt' });
    await summary.waitFor();
    // A long prompt is collapsed and opens with the keyboard.
    expect(await asked.isVisible()).toBe(false);
    await press(page, summary);
    await asked.waitFor();
    const words = (await asked.textContent()) ?? '';
    expect(words).toContain('Build the door, and say why it holds.');
    expect(words).toContain('<b>Never</b> paint it \u27e8U+202E\u27e9der');
    expect(words).toContain('Gate ship_ok is ahead.');
    expect(
      await page
        .locator('.talk')
        .getByText(/your turn/i)
        .count(),
    ).toBe(1);
    const height = (selector: string) => page.locator(selector).evaluate((one) => one.getBoundingClientRect().height);
    expect(await height('.transcript')).toBeGreaterThan(160);
    const hidden = 'getComputedStyle(document.querySelector(".turn-asked-text")).overflowY';
    expect(await page.evaluate(hidden)).toBe('auto');
    await page.addScriptTag({ content: AXE });
    expect(await faults(page)).toEqual([]);
    // The box collapses, and a message beside the turn is still possible.
    await press(page, page.locator('.turn-result > summary'));
    expect(await page.getByLabel('Result (JSON)').isVisible()).toBe(false);
    await press(page, page.locator('.beside > summary'));
    await write(page, page.getByLabel('Message'), 'One moment.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.said-row', { hasText: 'One moment.' }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.reload();
    await page.getByLabel('Result (JSON)').waitFor();
    await page.addScriptTag({ content: AXE });
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.context().close();
  }, 60_000);

  it('[UI87] a short prompt is open immediately, even if it is far before the held part of the log', async () => {
    const ann = await person(world, ['observe']);
    const run = await governedRun(alice, [ann.name], { roles: { dev: ann.name }, join: (id) => joined(ann, id) });
    await run.out('turn_d', 'dev');
    for (let at = 0; at < 450; at += 1) await run.say(said('msg.text', { text: `Talk ${at}` }));
    await ann.page.reload();
    await ann.page.getByRole('region', { name: 'Prompt' }).getByText('Do turn_d.').waitFor();
    await ann.page.context().close();
  }, 60_000);

  it('[UI51, UI86] clears the note after the hub accepted an answer', async () => {
    const ann = await person(world, ['observe', 'approve']);
    const { page } = ann;
    const run = await governedRun(alice, [ann.name], { join: (id) => joined(ann, id) });
    await run.out('turn_p', 'pm');
    await run.accept('turn_p', REQUEST);
    const note = page.getByLabel('Note or reason');
    await write(page, note, 'the plan is thin');
    await press(page, page.getByRole('button', { name: 'Refuse' }));
    await page.locator('.run-notice', { hasText: 'Refused by' }).waitFor();
    await expect.poll(() => note.inputValue()).toBe('');
    await press(page, page.getByRole('button', { name: 'Approve' }));
    await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    const { envelopes } = await alice.call('read_log', { session_id: run.id, limit: 1000 });
    const approved = envelopes.find(({ event_type }) => event_type === 'gate.approved');
    expect(approved?.event_data).toEqual({ gate_type: 'phase_transition', gate: 'plan_ok' });
    await page.context().close();
  }, 60_000);

  it('[UI87, UI88] an approver outside the session sees the question and how to answer it', async () => {
    const [ann, ben] = [await person(world, ['observe', 'approve']), await person(world, ['observe'])];
    const run = await governedRun(alice, ['bob']);
    await run.out('turn_1', 'pm');
    await run.accept('turn_1', ASKED);
    for (const { page } of [ann, ben]) {
      await goTo(page, run.id);
      const notice = page.locator('.run-notice', { hasText: 'Which colour is the door?' });
      await notice.waitFor();
      expect(await page.locator('.panel-governed').getByText('human:').count()).toBe(0);
      expect(await notice.getByText('Which colour is the door?').count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Answer', exact: true }).count()).toBe(0);
    }
    const why = ann.page.locator('.panel-governed', { hasText: 'only participants can answer' });
    await why.getByText(/alice/).first().waitFor();
    expect(await ben.page.getByText('answering takes a place').count()).toBe(0);
    await ann.page.context().close();
    await ben.page.context().close();
  }, 60_000);

  it('[UI80, UI50] the form and an idle run say that a run needs a runner program', async () => {
    const ann = await person(world, ['observe']);
    const { page } = ann;
    await page.evaluate(`location.hash = '#/open'`);
    await reach(page, page.getByLabel('Type', { exact: true }));
    await page.getByLabel('Type', { exact: true }).selectOption('governed');
    await page.locator('.create', { hasText: 'parley up --run' }).waitFor();
    await page.getByLabel('Type', { exact: true }).selectOption('discussion');
    await page.locator('.create', { hasText: 'parley up --run' }).waitFor({ state: 'detached' });
    const idle = await alice.open('governed', { participants: ['bob'], knobs: { config: CONFIG } });
    await goTo(page, idle.id);
    await page.locator('.panel-governed .run-notice', { hasText: 'parley up --run' }).waitFor();
    await alice.call('post', { session_id: idle.id, event_type: 'run.initialized', event_data: { run_id: 'run_9' } });
    await page.locator('.panel-governed .run-notice', { hasText: 'parley up --run' }).waitFor({ state: 'detached' });
    await page.context().close();
  }, 60_000);
});
