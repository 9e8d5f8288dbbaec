/** A hub full of hostile texts, labels, knobs, graphs, reasons, profiles and errors. */

import type { LocalHub } from 'parley-hub';
import { handoff, type JsonObject } from 'parley-hub/core';
import { CONFIG, decision, said } from '../../adapters/governed/governed-scene.ts';
import { governedRun } from '../governed/governed-run.ts';

/** Each would show as a dialog, a property of window, a request to another host or an element. */
export const CORPUS: readonly string[] = [
  '<script>window.hit=1;alert(1)</script>',
  '<img src=x onerror="window.hit=2;alert(2)">',
  '<svg onload="window.hit=3"><animate onbegin="window.hit=3" attributeName=x dur=1s></svg>',
  '"><iframe srcdoc="<script>parent.hit=4</script>"></iframe>',
  '<a href="javascript:window.hit=5">click</a>',
  '[click](javascript:window.hit=6) ![x](https://evil.example/pixel.png)',
  '<style>@import url(https://evil.example/x.css)</style><link rel=stylesheet href=https://evil.example/y.css>',
  '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<form action=https://evil.example/><button autofocus onfocus="window.hit=7">x</button></form>',
  `$\{window.hit=8} {{constructor.constructor("window.hit=9")()}}`,
  '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=window.hit=10>">',
  '\u202Eevil\u202C \u0000\u001b[2J \u{E0041}',
  'W'.repeat(3000),
  '__proto__',
];

/** Short enough for every field. */
export const IMG = '<img src=x onerror="window.hit=2;alert(2)">';
export const SCRIPT = '<script>window.hit=1;alert(1)</script>';

export interface HostileScene {
  /** Contains the whole corpus and a hidden participant. */
  readonly talk: string;
  readonly workflow: string;
  readonly governed: string;
  /** Ended with a hostile reason. */
  readonly ended: string;
}

export async function hostileScene(hub: LocalHub): Promise<HostileScene> {
  hub.registerEvaluator({
    name: 'polite',
    version: 1,
    checkParams: () => null,
    fold: () => null,
    violators: ({ envelope }) => [envelope.sender_id],
    describe: () => IMG,
  });
  const mallory = await hub.agent('mallory', { register: { model: IMG } });
  const bob = await hub.agent('bob');
  await mallory.setResume({ summary: SCRIPT, claimedCapabilities: [IMG], examples: [IMG], domains: [SCRIPT] });
  await mallory.setSkill(`---\nname: mallory\ndescription: x\n---\n${IMG}`);
  for (const [at, intent] of CORPUS.slice(0, 11).entries()) {
    await mallory.open('conversation', { participants: ['bob'], labels: { intent, [`key${at}`]: intent } });
  }
  const session = await mallory.open('conversation', {
    participants: ['bob'],
    labels: { intent: IMG, [SCRIPT]: IMG },
    expectations: [{ name: 'polite', params: { [IMG]: SCRIPT }, on_violation: 'notify_session' }],
  });
  for (const text of CORPUS) await session.send(text);
  await hub.hideParticipant(session.id, 'bob', SCRIPT);
  // The refusal is in the feed of the hub.
  await mallory.call('read_view', { session_id: session.id, view: { name: IMG } }).catch(() => {});
  const ended = await mallory.open('conversation', { participants: ['bob'] });
  await ended.send('Bye.');
  await ended.close(IMG);
  const workflow = await mallory.open('workflow', { participants: ['bob'], knobs: { graph: GRAPH } });
  await workflow.send(IMG);
  await bob.session(workflow.id).send(handoff('mallory', { body: IMG, reason: SCRIPT }));
  return { talk: session.id, ended: ended.id, workflow: workflow.id, governed: await hostileRun(hub) };
}

const GRAPH: JsonObject = {
  initial_speaker: 'mallory',
  transitions: [
    { when: { name: 'text_contains', args: { any: [IMG] } }, then: { name: 'agent', args: { agent_id: 'bob' } } },
    {
      when: { name: 'context_equals', args: { key: SCRIPT, value: IMG } },
      then: { name: 'terminate', args: { reason: IMG } },
    },
  ],
};

async function hostileRun(hub: LocalHub): Promise<string> {
  const { roles } = CONFIG;
  const run = await governedRun(hub, {
    ...CONFIG,
    roles: { ...roles, pm: { ...roles.pm, title: IMG, mandate: SCRIPT } },
  });
  await run.turn('turn_p1', 'pm', {
    summary: `Done: ${IMG}`,
    decisions: [decision('DEC-001', { statement: `So: ${IMG}`, rationale: `For: ${SCRIPT}` })],
  });
  await run.out('turn_p2', 'pm');
  await run.post(run.alice, said('turn.rejected', { turn_id: 'turn_p2', reason: IMG, errors: [SCRIPT] }));
  await run.post(
    run.alice,
    said('run.blocked', { blocked_on: `human:${IMG}`, detail: IMG, category: 'needs_human', owner: IMG }),
  );
  return run.id;
}
