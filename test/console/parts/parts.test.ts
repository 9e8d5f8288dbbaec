// The parts of the console in a real browser: content, keyboard access, and hostile texts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectGraph } from '../../../adapters/graph/inspect-graph.ts';
import { BUILT_IN } from '../../../adapters/graph/vocabulary.ts';
import { chromium, whyNoChromium } from '../../client/web/chromium.ts';
import { required } from '../../package/repository.ts';
import { AXE, faults } from '../support/axe.ts';
import { type PartsPage, partsPage, type Theme } from './parts-page.ts';
import { from, target, to } from './rules.ts';
import { governedGiven, HOSTILE_SCENES, runScene, SCENES, type Scene } from './scenes.ts';

const THEMES: readonly Theme[] = ['light', 'dark'];

describe.skipIf(chromium === null && !required('chromium'))(`parts in Chromium${whyNoChromium}`, () => {
  let parts: PartsPage;

  beforeAll(async () => {
    if (chromium === null) throw new Error('PARLEY_REQUIRE asks for Chromium');
    parts = await partsPage(chromium);
    // Through the driver's protocol, because the page's policy forbids a script tag.
    await parts.page.evaluate(AXE);
  }, 60_000);
  afterAll(async () => await parts?.close());

  const show = async (scene: Scene, theme?: Theme) => {
    await parts.show(scene.name, scene.given, theme);
    if (scene.name === 'editor') await parts.page.waitForSelector('.graph-node');
  };
  /** Shows an honest scene, and returns the page. */
  const shown = async (name: string) => {
    await show({ name, given: SCENES.find((scene) => scene.name === name)?.given });
    return parts.page;
  };

  it.each(SCENES)('[UI70] $name: axe finds nothing serious, in both themes', async (scene) => {
    for (const theme of THEMES) {
      await show(scene, theme);
      expect(await faults(parts.page)).toEqual([]);
    }
    expect(parts.faults).toEqual([]);
  });

  it.each(HOSTILE_SCENES)(
    '[UI41] $name: hostile texts stay texts, nothing runs and nothing is fetched',
    async (scene) => {
      await show(scene);
      const elements = `document.querySelectorAll('#page img, #page script, #page iframe, #page a').length`;
      expect(await parts.page.evaluate(elements)).toBe(0);
      const handlers = `[...document.querySelectorAll('#page *')].flatMap((one) => one.getAttributeNames()).filter((name) => /^on|^style$/.test(name))`;
      expect(await parts.page.evaluate(handlers)).toEqual([]);
      const text = scene.name === 'time' ? /at an unknown time/ : /<img src=x onerror=al/;
      expect(await parts.page.locator('#page').textContent()).toMatch(text);
      expect(parts.faults).toEqual([]);
    },
  );

  it('[UI70] on a phone no part is wider than the page', async () => {
    await parts.page.setViewportSize({ width: 360, height: 740 });
    for (const scene of [...SCENES, ...HOSTILE_SCENES]) {
      await show(scene);
      expect(await parts.page.evaluate('document.documentElement.scrollWidth'), scene.name).toBe(360);
    }
    await parts.page.setViewportSize({ width: 1100, height: 800 });
  });

  it('[UI42] a graph: highlights the turn holder and the path, and arrow keys move between nodes', async () => {
    const page = await shown('graph');
    expect(await page.locator('.graph-node-current').getAttribute('aria-label')).toBe(
      'critic, has the turn, spoke in turns 4 and 7, 2 transitions leaving',
    );
    expect(await page.locator('.graph-edge-taken').count()).toBe(5);
    expect(await page.locator('svg[role=group]').getAttribute('aria-label')).toMatch(
      /lead begins\. critic has the turn/,
    );
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

  it('[UI42] a graph: shows participants without a node, steps without a rule and the end, in both themes', async () => {
    const path = ['ag_lead', 'ag_coder', 'ag_grace'];
    const names = { ag_lead: 'lead', ag_coder: 'coder', ag_grace: 'grace', ag_ken: '<b>ken' };
    const graph = inspectGraph(
      {
        initial_speaker: 'ag_lead',
        transitions: [{ when: from('ag_lead'), then: to('ag_coder') }],
        default_target: target('round_robin'),
      },
      BUILT_IN,
    );
    const { page } = parts;
    await show({ name: 'graph', given: { graph, path, current: 'ag_ken', names } });
    expect(await page.locator('.graph-node-current').getAttribute('aria-label')).toBe(
      'the next in order, <b>ken has the turn, spoke in turn 3, stood for grace, <b>ken',
    );
    const texts = await page.locator('.graph-node-current text').allTextContents();
    expect(texts).toEqual(['the next in order', '<b>ken', '3']);
    expect(await page.locator('.graph-edge-taken').count()).toBe(2);
    expect(await page.locator('.graph-now').textContent()).toBe('<b>ken has the turn.');
    const ends = inspectGraph({ initial_speaker: 'ag_lead' }, BUILT_IN);
    for (const theme of THEMES) {
      await show({ name: 'graph', given: { graph, path, current: 'ag_ken', names } }, theme);
      expect(await faults(page)).toEqual([]);
      const ended = { graph: ends, path: ['ag_lead', 'ag_ken'], end: 'after_work', names };
      await show({ name: 'graph', given: ended }, theme);
      expect(await faults(page)).toEqual([]);
      const label = (selector: string) => page.locator(selector).getAttribute('aria-label');
      expect(await label('.graph-node-stranger')).toMatch(/^<b>ken, not in the rules/);
      expect(await page.locator('.graph-edge-extra').count()).toBe(1);
      expect(await label('.graph-node-reached')).toMatch(/^end: after_work, .*reached/);
      expect(await page.locator('.graph-now').textContent()).toBe('Session ended: after_work');
    }
    expect(parts.faults).toEqual([]);
  });

  it('[UI60] a form: reads numbers, choices and lists, and ties each error to its field', async () => {
    const page = await shown('form');
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

  it('[UI63] a graph editor: draws the graph while it is typed, and links an error to its place', async () => {
    const page = await shown('editor');
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

  it('[UI63] a graph editor: shows problems beside the text, and marks a drawing of an earlier text', async () => {
    const { page } = parts;
    const earlier = page.locator('.graph-editor-earlier');
    for (const [width, height] of [
      [1100, 800],
      [360, 740],
    ] as const) {
      await page.setViewportSize({ width, height });
      await shown('create');
      await page.getByLabel('Type').selectOption('workflow');
      await page.getByRole('button', { name: 'Sequential' }).click();
      await page.waitForSelector('.graph-node[aria-label^="me"]');
      expect(await earlier.count()).toBe(0);
      const area = page.locator('.graph-editor-area');
      const good = await area.inputValue();
      await page.evaluate(`document.querySelector('.graph-editor-area').scrollIntoView({ block: 'end' })`);
      await area.fill(good.replace(/}$/, ''));
      await page.waitForSelector('.graph-problem-error');
      const problem = await page.locator('.graph-problem-error').first().boundingBox();
      const typed = await area.boundingBox();
      if (problem === null || typed === null) throw new Error('the problem or the text is not visible');
      expect(problem.y).toBeGreaterThanOrEqual(0);
      expect(problem.y + problem.height).toBeLessThanOrEqual(typed.y);
      expect(typed.y + typed.height / 2).toBeLessThan(height);
      expect(await earlier.textContent()).toBe('This drawing shows an earlier text.');
      expect(await page.locator('.graph-node').count()).toBeGreaterThan(1);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await faults(page)).toEqual([]);
      await area.fill('');
      await earlier.waitFor();
      await area.fill(good);
      await earlier.waitFor({ state: 'detached' });
    }
    await page.setViewportSize({ width: 1100, height: 800 });
    expect(parts.faults).toEqual([]);
  });

  it('[UI63] a graph editor: reports an unknown participant with its place while it is typed', async () => {
    const page = await shown('create');
    await page.getByLabel('Type').selectOption('workflow');
    await page.getByLabel('Participant 1: name or id').fill('ada');
    await page.locator('.graph-editor-area').fill('{\n  "initial_speaker": "adda"\n}');
    const problem = page.locator('.graph-problem-error');
    await problem.waitFor();
    expect(await problem.textContent()).toBe('line 2, column 22error: expected a participant (me, ada), got "adda"');
    await page.getByLabel('Participant 1: name or id').fill('adda');
    await problem.waitFor({ state: 'detached' });
    expect(await page.evaluate('told')).toEqual([]);
  });

  it('[UI61] a new session: reports missing values on submit, and sends the typed ones', async () => {
    const page = await shown('create');
    const open = page.getByRole('button', { name: 'Open the session' });
    expect(await page.locator('.form-error').count()).toBe(0);
    await open.click();
    expect(await page.locator('.form-error').allTextContents()).toEqual([
      'expected at least 2 including you, got 1',
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

  it("[UI51] a pending gate: requires a reason to refuse, sends the gate with the answer, and shows the hub's error", async () => {
    await show({ name: 'governed', given: { ...governedGiven(runScene()), refusal: 'you may not approve' } });
    const { page } = parts;
    expect(await page.locator('[aria-current=step]').textContent()).toMatch(/^planning \(now\)gate plan_ok waiting/);
    await page.getByRole('button', { name: 'Refuse' }).click();
    expect(await page.evaluate('told')).toEqual([]);
    await page.waitForSelector('text=Enter a reason.');
    await page.getByLabel('Note or reason').fill('no dates');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.waitForSelector('text=you may not approve');
    await page.getByRole('button', { name: 'Approve' }).click();
    const gate = { gate_type: 'phase_transition', gate: 'plan_ok' };
    expect(await page.evaluate('told')).toEqual([
      { event_type: 'gate.refused', event_data: { ...gate, reason: 'no dates' } },
      { event_type: 'gate.approved', event_data: { ...gate, note: 'no dates' } },
    ]);
    expect(await page.locator('.run-overridden').allTextContents()).toEqual(['DEC-001 decide DEC-001']);
  });

  it('[UI65] times update with one shared clock', async () => {
    const page = await shown('time');
    const texts = () => page.locator('time.countdown').allTextContents();
    expect(await texts()).toEqual(['in 5s', 'in 2m 5s', 'in 3h', '2m over']);
    await page.evaluate('tick(7000)');
    await page.waitForSelector('text=2s over');
    expect(await texts()).toEqual(['2s over', 'in 1m 58s', 'in 2h 59m', '2m 7s over']);
  });
});
