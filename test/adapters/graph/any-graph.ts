/** Random graphs over alice, bob and carol, with all built-in conditions and targets. */

import fc from 'fast-check';
import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import type { Json, RuleRef } from 'parley-hub/core';

export const NAMES = ['alice', 'bob', 'carol'] as const;
export const KEYS = ['stage', 'score'] as const;

const name = fc.constantFrom(...NAMES);
const key = fc.constantFrom(...KEYS);
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
export const value: fc.Arbitrary<Json> = fc.constantFrom<Json>(null, true, 0, 1, 2, 'draft', 'done', [1], { a: 1 });

const ref = <Args extends RuleRef['args']>(name: string, args: fc.Arbitrary<Args>): fc.Arbitrary<RuleRef> =>
  args.map((made) => ({ name, args: made }));
const plain = (name: string): fc.Arbitrary<RuleRef> => fc.constant({ name, args: {} });

const { condition } = fc.letrec<{ condition: RuleRef }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    plain('always'),
    ref('from_speaker', fc.record({ agent_id: name })),
    ref('from_speaker', fc.record({ agent_id: name })),
    ref('tool_called', fc.record({ tool_name: fc.constantFrom('search', 'ask') })),
    ref('context_equals', fc.record({ key, value })),
    ref('context_compare', fc.record({ key, op: operator, value })),
    ref(
      'text_contains',
      fc.record({
        any: fc.array(fc.constantFrom('yes', 'urgent', 'DONE'), { minLength: 1, maxLength: 2 }),
        case_insensitive: fc.boolean(),
      }),
    ),
    ref('turn_count', fc.record({ op: operator, value: fc.integer({ min: 0, max: 8 }) })),
    ref('all_of', fc.record({ conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 2 }) })),
    ref('any_of', fc.record({ conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 2 }) })),
    ref('not', fc.record({ condition: tie('condition') })),
  ),
}));

const target = fc.oneof(
  { arbitrary: ref('agent', fc.record({ agent_id: name })), weight: 5 },
  plain('round_robin'),
  ref('next_in', fc.record({ agents: fc.shuffledSubarray([...NAMES], { minLength: 1 }), wrap: fc.boolean() })),
  plain('stay'),
  plain('revert_to_initiator'),
  plain('random'),
  ref('terminate', fc.record({ reason: fc.constantFrom('done', 'escalated') })),
);

export const anyGraph: fc.Arbitrary<TransitionGraph> = fc.record({
  initial_speaker: name,
  transitions: fc.array(fc.record({ when: condition, then: target, priority: fc.constantFrom(0, 0, 1, 2, -1) }), {
    maxLength: 5,
  }),
  default_target: fc.option(target, { nil: null, freq: 4 }),
  max_turns: fc.option(fc.integer({ min: 1, max: 9 }), { nil: null }),
});
