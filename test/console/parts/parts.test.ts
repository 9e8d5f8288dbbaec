// The parts of the console in a real browser: what they show, what the keyboard reaches, and that every text stays text.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { required } from '../../package/repository.ts';
import { chromium, whyNoChromium } from '../../web/chromium.ts';
import { type PartsPage, partsPage, type Theme } from './parts-page.ts';
import { governedGiven, HOSTILE_SCENES, runScene, SCENES, type Scene } from './scenes.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const THEMES: readonly Theme[] = ['light', 'dark'];

describe.skipIf(chromium === null && !required('chromium'))(`parts in Chromium${whyNoChromium}`, () => {
  let parts: PartsPage;

  beforeAll(async () => {
    if (chromium === null) throw new Error('PARLEY_REQUIRE asks for Chromium');
    parts = await partsPage(chromium);
    // By the protocol of the driver: the policy of the page would not let it in.
    await parts.page.evaluate(AXE);
  }, 60_000);
  afterAll(async () => await parts?.close());

  const given = (name: string): unknown => SCENES.find((scene) => scene.name === name)?.given;
  const show = async (scene: Scene, theme?: Theme) => {
    await parts.show(scene.name, scene.given, theme);
    if (scene.name === 'editor') await parts.page.waitForSelector('.graph-node');
  };
  const grave = async (): Promise<readonly string[]> =>
    await parts.page.evaluate(`axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);

  for (const { name, given: scene } of SCENES) {
    it(`[UI70] ${name}: nothing serious is found for those who see or hear it otherwise, in both themes`, async () => {
      for (const theme of THEMES) {
        await show({ name, given: scene }, theme);
        expect(await grave()).toEqual([]);
      }
      expect(parts.faults).toEqual([]);
    });
  }

  for (const { name, given: scene } of HOSTILE_SCENES) {
    it(`[UI41] ${name}: hostile texts are shown as texts, nothing runs and nothing is fetched`, async () => {
      await show({ name, given: scene });
      expect(
        await parts.page.evaluate(`document.querySelectorAll('#page img, #page script, #page iframe, #page a').length`),
      ).toBe(0);
      const handlers = `[...document.querySelectorAll('#page *')].flatMap((one) => one.getAttributeNames()).filter((name) => /^on|^style$/.test(name))`;
      expect(await parts.page.evaluate(handlers)).toEqual([]);
      expect(await parts.page.locator('#page').textContent()).toMatch(
        name === 'time' ? /at an unknown time/ : /<img src=x onerror=al/,
      );
      expect(parts.faults).toEqual([]);
    });
  }

  it('[UI70] on a phone no part is wider than the page', async () => {
    await parts.page.setViewportSize({ width: 360, height: 740 });
    for (const scene of [...SCENES, ...HOSTILE_SCENES]) {
      await show(scene);
      expect([scene.name, await parts.page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        scene.name,
        360,
      ]);
    }
    await parts.page.setViewportSize({ width: 1100, height: 800 });
  });

  it('[UI42] a graph: who has the turn is lit, the way is marked, arrows lead from node to node', async () => {
    await show({ name: 'graph', given: given('graph') });
    const { page } = parts;
    expect(await page.locator('.graph-node-current').getAttribute('aria-label')).toBe(
      'critic, has the turn, spoke in turns 4 and 7, 2 transitions leaving',
    );
    expect(await page.locator('.graph-edge-taken').count()).toBe(4);
    expect(await page.locator('svg[role=group]').getAttribute('aria-label')).toMatch(/lead begins. Now it is critic/);
    expect(await page.locator('.graph-words li').allTextContents()).toContain(
      'critic \u2192 coder: verdict == "reject" (taken after turn 4)',
    );
    await page.locator('.graph-node[tabindex="0"]').focus();
    const focused = () => page.evaluate('document.activeElement.querySelector("title").textContent');
    expect(await focused()).toBe('critic');
    await page.keyboard.press('Home');
    expect(await focused()).toBe('start');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('lead');
    expect(await page.locator('.graph-node[tabindex="0"]').count()).toBe(1);
  });

  it('[UI60] a form: what is typed is a number, a choice, a list; each error is tied to its field', async () => {
    await show({ name: 'form', given: given('form') });
    const { page } = parts;
    await page.getByLabel('topic').fill('ab');
    const described = await page.getByLabel('topic').getAttribute('aria-describedby');
    const words = (described ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).textContent());
    expect(await Promise.all(words)).toEqual(['what it is about', 'expected at least 3 characters, got 2']);
    expect(await page.getByLabel('topic').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('topic').fill('ships');
    await page.getByLabel('rounds').fill('3');
    await page.getByLabel('loud').selectOption('yes');
    await page.getByRole('button', { name: 'Add an entry to tags' }).click();
    await page.getByLabel('tags 1').fill('red');
    await page.getByLabel('usd').fill('0.5');
    await page.getByLabel('odd').fill('{"a": [1]}');
    expect(await page.evaluate('value')).toEqual({
      topic: 'ships',
      rounds: 3,
      loud: true,
      tags: ['red'],
      limits: { usd: 0.5 },
      odd: { a: [1] },
    });
    await page.getByRole('button', { name: 'Remove tags 1' }).click();
    await page.getByLabel('usd').fill('');
    expect(await page.evaluate('value')).toEqual({ topic: 'ships', rounds: 3, loud: true, odd: { a: [1] } });
  });

  it('[UI63] an editor of graphs: drawn while it is typed, and an error leads to its place', async () => {
    await show({ name: 'editor', given: given('editor') });
    const { page } = parts;
    await page.getByRole('button', { name: 'Hub and spoke' }).click();
    await page.waitForSelector('.graph-node[aria-label^="end: answered"]');
    const text = String(await page.evaluate('text'));
    const area = page.getByLabel('Graph', { exact: true });
    await area.fill(text.replace('"from_speaker"', '"from_nobody"'));
    const problem = page.locator('.graph-problem-error').first();
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/line 10, column \d+error: .*from_nobody/);
    await problem.getByRole('button').press('Enter');
    const at = Number(await page.evaluate('document.activeElement.selectionStart'));
    expect(String(await page.evaluate('text')).slice(at)).toMatch(/^"from_nobody"/);
    await area.fill('{"initial_speaker": }');
    await page.waitForSelector('text=expected a value, got "}"');
    expect(await page.locator('.graph-node').count()).toBeGreaterThan(3);
    expect(parts.faults).toEqual([]);
  });

  it('[UI61] a session to be opened: what is missing is told when it is tried, what is sent is what was typed', async () => {
    await show({ name: 'create', given: given('create') });
    const { page } = parts;
    const open = page.getByRole('button', { name: 'Open the session' });
    expect(await page.locator('.form-error').count()).toBe(0);
    await open.click();
    expect(await page.locator('.form-error').allTextContents()).toEqual([
      'expected at least 2 with you, got 1',
      '1 problem above',
    ]);
    await page.getByLabel('Participant 1: name or id').fill('bob');
    await page.getByLabel('rounds').fill('2');
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Time to live').fill('2h');
    await open.press('Enter');
    expect(await page.evaluate('told')).toEqual([
      { type: 'discussion', version: 1, participants: ['bob'], knobs: { rounds: 2 }, ttl: '2h' },
    ]);
    await page.getByLabel('Type').selectOption('workflow');
    await page.getByRole('button', { name: 'Sequential' }).click();
    await page.waitForSelector('.graph-node[aria-label^="bob"]');
    await open.click();
    const sent: { knobs: { graph: { initial_speaker: string } }; ttl: string }[] = await page.evaluate('told');
    expect([sent[1]?.knobs.graph.initial_speaker, sent[1]?.ttl]).toEqual(['me', '2h']);
  });

  it('[UI51] a gate that waits: a refusal needs a reason, the answer names the gate, and what the hub says is shown', async () => {
    await show({ name: 'governed', given: { ...governedGiven(runScene()), refusal: 'you may not approve' } });
    const { page } = parts;
    expect(await page.locator('[aria-current=step]').textContent()).toMatch(/^planning \(now\)gate plan_ok waiting/);
    await page.getByRole('button', { name: 'Refuse' }).click();
    expect(await page.evaluate('told')).toEqual([]);
    await page.waitForSelector('text=A refusal needs a reason.');
    await page.getByLabel('Note or reason').fill('no dates');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.waitForSelector('text=you may not approve');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await page.evaluate('told')).toEqual([
      {
        event_type: 'gate.refused',
        event_data: { gate_type: 'phase_transition', gate: 'plan_ok', reason: 'no dates' },
      },
      { event_type: 'gate.approved', event_data: { gate_type: 'phase_transition', gate: 'plan_ok', note: 'no dates' } },
    ]);
    expect(await page.locator('.run-overridden').allTextContents()).toEqual(['DEC-001 decide DEC-001']);
  });

  it('[UI65] times go on by themselves, all with one clock', async () => {
    await show({ name: 'time', given: given('time') });
    const { page } = parts;
    const texts = () => page.locator('time.countdown').allTextContents();
    expect(await texts()).toEqual(['in 5s', 'in 2m 5s', 'in 3h', '2m over']);
    await page.evaluate('tick(7000)');
    await page.waitForSelector('text=2s over');
    expect(await texts()).toEqual(['2s over', 'in 1m 58s', 'in 2h 59m', '2m 7s over']);
  });
});
