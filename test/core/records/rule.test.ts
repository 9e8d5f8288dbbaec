import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/core/protocol/operations/operations.ts';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import type { Rule, RuleChange } from '../../../src/core/records/access/rule.ts';
import { applyRuleChange, defaultRule, findLooserField } from '../../../src/core/records/access/rule-schema.ts';
import { refused } from '../refused.ts';

const RUNS = { numRuns: 3000 };
const OPEN = defaultRule(DEFAULT_LIMITS);

// Few values, so that comparable rules are common.
const globs = fc.array(fc.constantFrom('*', 'a*', 'ab', '?b', 'b'), { maxLength: 2 });
const most = fc.constantFrom(null, 0, 3);
const time = fc.constantFrom<string | number>(0, '0s', '15m', 900, '2h');
const change: fc.Arbitrary<RuleChange> = fc.record(
  {
    access: fc.record(
      {
        inbound_from: globs,
        outbound_to: globs,
        session_types: fc.record({ initiate: globs, accept: globs }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    limits: fc.record(
      {
        max_concurrent_sessions: most,
        max_concurrent_tasks: most,
        session_ttl_default: time,
        task_ttl_default: time,
        rate: fc.constantFrom(
          null,
          { per_minute: 1, burst: 2 },
          { per_minute: 2, burst: 1 },
          { per_minute: 1, burst: 1 },
        ),
        delegation_depth: fc.nat({ max: 2 }),
        inbox: fc.record(
          {
            max_pending: fc.constantFrom(1, 2),
            overflow: fc.constantFrom('reject' as const, 'drop_oldest' as const, 'drop_newest' as const),
            high_water: fc.constantFrom(null, 1, 2),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const isAsStrict = (next: Rule, before: Rule): boolean => findLooserField(next, before) === null;
const rule = change.map((one) => applyRuleChange(OPEN, one));

describe('strictness', () => {
  it('[RU3] every rule is as strict as itself', () => {
    fc.assert(
      fc.property(rule, (one) => isAsStrict(one, one)),
      RUNS,
    );
  });

  it('[RU3] is transitive, and rules that are as strict as each other are equal', () => {
    // Except for the notation of times.
    const plain = ({ access, limits }: Rule) => ({
      access,
      limits: { ...limits, session_ttl_default: 0, task_ttl_default: 0 },
    });
    // Counts the relevant cases, so that the test cannot pass without any.
    let chains = 0;
    let pairs = 0;
    fc.assert(
      fc.property(rule, change, change, (one, more, most) => {
        const second = applyRuleChange(one, more);
        const third = applyRuleChange(second, most);
        if (isAsStrict(second, one) && isAsStrict(third, second)) {
          chains += 1;
          expect(isAsStrict(third, one)).toBe(true);
        }
        if (isAsStrict(second, one) && isAsStrict(one, second)) {
          pairs += 1;
          expect(plain(second)).toEqual(plain(one));
        }
      }),
      { numRuns: 8_000 },
    );
    expect(chains).toBeGreaterThan(20);
    expect(pairs).toBeGreaterThan(20);
  });

  const looser: readonly (readonly [string, RuleChange, RuleChange])[] = [
    ['access.inbound_from', { access: { inbound_from: ['a*'] } }, { access: { inbound_from: ['a*', 'b'] } }],
    ['access.outbound_to', { access: { outbound_to: [] } }, { access: { outbound_to: ['b'] } }],
    [
      'access.session_types.initiate',
      { access: { session_types: { initiate: ['a'] } } },
      { access: { session_types: { initiate: ['?'] } } },
    ],
    [
      'access.session_types.accept',
      { access: { session_types: { accept: ['a'] } } },
      { access: { session_types: { accept: ['*'] } } },
    ],
    [
      'limits.max_concurrent_sessions',
      { limits: { max_concurrent_sessions: 2 } },
      { limits: { max_concurrent_sessions: null } },
    ],
    ['limits.max_concurrent_tasks', { limits: { max_concurrent_tasks: 2 } }, { limits: { max_concurrent_tasks: 3 } }],
    ['limits.session_ttl_default', { limits: { session_ttl_default: '1d' } }, { limits: { session_ttl_default: 0 } }],
    ['limits.task_ttl_default', { limits: { task_ttl_default: '15m' } }, { limits: { task_ttl_default: 901 } }],
    [
      'limits.rate',
      { limits: { rate: { per_minute: 5, burst: 5 } } },
      { limits: { rate: { per_minute: 4, burst: 6 } } },
    ],
    ['limits.rate', { limits: { rate: { per_minute: 5, burst: 5 } } }, { limits: { rate: null } }],
    ['limits.delegation_depth', {}, { limits: { delegation_depth: 6 } }],
    ['limits.inbox.max_pending', {}, { limits: { inbox: { max_pending: 1001 } } }],
    ['limits.inbox.overflow', {}, { limits: { inbox: { overflow: 'drop_oldest' } } }],
    [
      'limits.inbox.overflow',
      { limits: { inbox: { overflow: 'drop_oldest' } } },
      { limits: { inbox: { overflow: 'drop_newest' } } },
    ],
    ['limits.inbox.high_water', {}, { limits: { inbox: { high_water: null } } }],
  ];

  it.each(looser)('[RU3] finds that %s allows more after %j with %j', (field, first, second) => {
    const before = applyRuleChange(OPEN, first);
    expect(findLooserField(applyRuleChange(before, second), before)).toBe(field);
  });
});

describe('the shape of a rule', () => {
  const parse = (rule: unknown) => OPERATIONS.set_rule.params.parse({ rule }, 'params');

  it('[RU1] a change may contain a whole rule', () => {
    expect(parse(OPEN)).toEqual({ rule: OPEN });
    expect(applyRuleChange(OPEN, OPEN)).toEqual(OPEN);
  });

  it.each([
    ['rule', 7],
    ['rule.excess', { excess: {} }],
    ['rule.access.inbound', { access: { inbound: ['*'] } }],
    ['rule.access.inbound_from', { access: { inbound_from: '*' } }],
    ['rule.access.inbound_from.0', { access: { inbound_from: [''] } }],
    ['rule.access.outbound_to.1', { access: { outbound_to: ['*', 'x'.repeat(65)] } }],
    ['rule.access.outbound_to', { access: { outbound_to: Array(257).fill('a') } }],
    ['rule.access.session_types.begin', { access: { session_types: { begin: [] } } }],
    ['rule.limits.max_concurrent_sessions', { limits: { max_concurrent_sessions: -1 } }],
    ['rule.limits.max_concurrent_tasks', { limits: { max_concurrent_tasks: 1.5 } }],
    ['rule.limits.session_ttl_default', { limits: { session_ttl_default: '2 hours' } }],
    ['rule.limits.session_ttl_default', { limits: { session_ttl_default: -1 } }],
    ['rule.limits.task_ttl_default', { limits: { task_ttl_default: null } }],
    ['rule.limits.rate.burst', { limits: { rate: { per_minute: 1 } } }],
    ['rule.limits.rate.per_minute', { limits: { rate: { per_minute: 0, burst: 1 } } }],
    ['rule.limits.delegation_depth', { limits: { delegation_depth: null } }],
    ['rule.limits.inbox.max_pending', { limits: { inbox: { max_pending: 0 } } }],
    ['rule.limits.inbox.overflow', { limits: { inbox: { overflow: 'drop' } } }],
    ['rule.limits.inbox.high_water', { limits: { inbox: { high_water: 0 } } }],
  ])('[RU1, RE1, RE9] rejects %s by name: %j', (field, rule) => {
    expect(refused(() => parse(rule))).toMatchObject({ code: 'bad_frame', details: { field: `params.${field}` } });
  });
});
