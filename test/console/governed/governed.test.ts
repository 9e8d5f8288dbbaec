// A governed run and a long workflow in the page: panels show the whole log, and past states show nothing later.

import type { AgentClient } from 'parley-hub';
import type { JsonObject } from 'parley-hub/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPROVE_PLAN, decision, PLAN, said } from '../../adapters/governed/governed-scene.ts';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { allOf, ending, from, says, target, to } from '../parts/rules.ts';
import { AXE, faults } from '../support/axe.ts';
import { type ConsoleWorld, consoleWorld, openConsole, overhear } from '../support/console-world.ts';
import { type GovernedRun, governedRun } from './governed-run.ts';

describe.skipIf(chromium === null && !required('chromium'))(`long logs in the page${whyNoChromium}`, () => {
  let world: ConsoleWorld;
  let run: GovernedRun;
  let gateSeq = 0;
  let approvedSeq = 0;

  beforeAll(async () => {
    world = await consoleWorld();
    run = await governedRun(world.hub);
    const { alice, dave } = run;
    await run.turn('turn_p1', 'pm', { decisions: [decision('DEC-001')] });
    await run.post(
      alice,
      said('run.blocked', { blocked_on: 'human:key', detail: 'A key is missing.', category: 'needs_human' }),
    );
    await run.post(alice, said('run.resolved', { action: 'resume', note: 'Here it is.' }));
    gateSeq = await run.turn(
      'turn_p2',
      'pm',
      { decisions: [decision('DEC-002', { overrides: 'DEC-001' })], phase_transition_request: 'building' },
      [PLAN],
    );
    const approval = { ...APPROVE_PLAN.event_data, note: 'Good plan.' };
    approvedSeq = await run.post(dave, { ...APPROVE_PLAN, event_data: approval });
    // More messages than the page holds.
    for (let at = 0; at < 1_300; at += 1) await run.post(alice, said('msg.text', { text: `Talk ${at}` }));
    await run.turn('turn_b1', 'dev');
    await run.out('turn_b2', 'dev');
  }, 60_000);
  afterAll(() => world?.end());

  async function opened(to: string, name: string, context: Parameters<typeof openConsole>[2] = {}) {
    return openConsole(world, { name, token: await world.tokenFor(name), to }, context);
  }

  it('[UI50] the history of a run includes entries before the held part of the log, and updates live', async () => {
    const page = await opened(`/sessions/${run.id}`, 'ann');
    const heard = overhear(page);
    const panel = page.locator('.panel-governed');
    await panel.locator('text=Reading the log').waitFor({ state: 'detached' });
    await panel.locator('.run-list >> text=pm: turn_p1').waitFor();
    await panel.locator('text=decide DEC-001').waitFor();
    await panel.locator('text=Good plan.').waitFor();
    await panel.locator('text=A key is missing.').waitFor();
    // The clock must be running.
    expect(await panel.locator('.time-ago').first().textContent()).toMatch(/now|ago/);
    expect(await page.locator('.timeline .mark-gate').count()).toBe(1);
    await page.waitForSelector('.quiet-row.mark-turn >> text=turn_b1 is accepted: dev has done turn_b1');
    expect(await page.locator('.transcript [data-seq]').count()).toBeLessThan(60);
    await run.post(
      run.alice,
      said('turn.rejected', { turn_id: 'turn_b2', reason: 'Try again.', errors: ['nothing was done'] }),
    );
    await panel.locator('.run-list li', { hasText: 'turn_b2 rejected' }).waitFor();
    expect(heard.complaints).toEqual([]);
    await page.context().close();
  }, 30_000);

  it('[UI7, UI50] a past state shows only what happened until then', async () => {
    const page = await opened(`/sessions/${run.id}?at=${gateSeq}`, 'ben');
    const panel = page.locator('.panel-governed');
    await panel.locator('text=Reading the log').waitFor({ state: 'detached' });
    await panel.locator('.run-list >> text=pm: turn_p2').waitFor();
    await panel.locator('text=plan_ok').first().waitFor();
    expect(await panel.locator('text=Good plan.').count()).toBe(0);
    expect(await panel.locator('text=turn_b1').count()).toBe(0);
    await page.evaluate(`location.hash = '#/sessions/${run.id}?at=${approvedSeq}'`);
    await panel.locator('text=Good plan.').waitFor();
    await page.context().close();
  }, 30_000);

  it('[UI42, UI7] the path through a workflow counts from its first turn, also in a past state', async () => {
    const { alice } = run;
    const graph = { initial_speaker: 'alice', default_target: target('stay') };
    const workflow = await alice.open('workflow', { participants: ['bob'], knobs: { graph } });
    const { id } = workflow;
    for (let turn = 1; turn <= 1_300; turn += 1) await workflow.send(`Turn ${turn}`);
    const page = await opened(`/sessions/${id}`, 'cleo');
    const panel = page.locator('.panel-graph');
    await panel.locator('text=/1 … 1300/').first().waitFor({ state: 'attached' });
    const first = await seqOf(alice, id, 'Turn 1');
    await page.evaluate(`location.hash = '#/sessions/${id}?at=${first + 1}'`);
    await panel.locator('text=/^1 2$/').first().waitFor({ state: 'attached' });
    await page.context().close();
  }, 60_000);

  it('[UI42, UI7] draws participants without a node, steps without a rule, and the reached end', async () => {
    const [alice, bob, dan] = await Promise.all(['al', 'bo', 'dan'].map((name) => world.hub.agent(name)));
    if (alice === undefined || bob === undefined || dan === undefined) throw new Error('expected three agents');
    const rule = (text: string, then: JsonObject) => ({ when: allOf(from('al'), says(text)), then });
    const graph = {
      initial_speaker: 'al',
      transitions: [rule('ROUND', target('round_robin')), rule('DONE', ending('published'))],
      default_target: to('al'),
    };
    const { id } = await alice.open('workflow', { participants: ['bo', 'dan'], knobs: { graph } });
    const say = (by: AgentClient, draft: ReturnType<typeof said>) => by.call('post', { session_id: id, ...draft });
    const page = await opened(`/sessions/${id}`, 'dora');
    const panel = page.locator('.panel-graph');
    const lit = (words: string) => panel.locator(`.graph-node-current[aria-label^="${words}"]`).waitFor();
    const words = (text: string) => panel.locator('.graph-words li', { hasText: text }).waitFor({ state: 'attached' });
    await lit('al, begins, has the turn');
    await say(alice, said('msg.text', { text: 'ROUND' }));
    await lit('the next in order, bo has the turn');
    await words('al → the next in order: says "ROUND" (taken after turn 1)');
    await say(bob, said('msg.packet', { body: 'You.', routing: { kind: 'handoff', target: 'dan' } }));
    await lit('dan, not in the rules, has the turn');
    await words('the next in order → dan: handoff without a rule (taken after turn 2)');
    await say(dan, said('msg.text', { text: 'Back.' }));
    await say(alice, said('msg.text', { text: 'DONE' }));
    await panel.locator('.graph-node-reached[aria-label^="end: published"]').waitFor();
    await words('al → end: published: says "DONE" (taken after turn 4)');
    expect(await panel.locator('.graph-node-current').count()).toBe(0);
    await page.evaluate(`location.hash = '#/sessions/${id}?at=${await seqOf(alice, id, 'ROUND')}'`);
    await lit('the next in order, bo has the turn');
    expect(await panel.locator('.graph-node-reached, .graph-node-stranger, .graph-edge-extra').count()).toBe(0);
    expect(await panel.locator('.graph-edge-taken').count()).toBe(1);
    await page.context().close();
  }, 30_000);

  it.each(['light', 'dark'] as const)(
    '[UI9] axe finds nothing serious in a governed run: %s',
    async (colorScheme) => {
      for (const [width, height] of [
        [1280, 900],
        [360, 740],
      ] as const) {
        const context = { colorScheme, bypassCSP: true, viewport: { width, height } };
        const page = await opened(`/sessions/${run.id}`, `axe-${colorScheme}-${width}`, context);
        await page.addScriptTag({ content: AXE });
        for (const at of [null, gateSeq]) {
          await page.evaluate(`location.hash = '#/sessions/${run.id}${at === null ? '' : `?at=${at}`}'`);
          await page.waitForSelector(at === null ? '.said-row' : '.badge.then');
          await page.locator('.panel-governed >> text=Reading the log').waitFor({ state: 'detached' });
          expect(await faults(page), `${at} ${width}`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        }
        await page.context().close();
      }
    },
    60_000,
  );
});

async function seqOf(by: AgentClient, session_id: string, text: string): Promise<number> {
  const { envelopes } = await by.call('read_log', { session_id, from_seq: 1, limit: 50 });
  return envelopes.find(({ event_data }) => event_data.text === text)?.seq ?? 0;
}
