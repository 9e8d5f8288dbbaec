// Valid hook configs, and the verdict from the end of a hook. Pure.

import { checkConfig } from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { validateHooks } from '../../../src/governed/engine/hooks/check.ts';
import { decideHook, type HookEnd, tamperCode } from '../../../src/governed/engine/hooks/decide.ts';

const GOOD = { name: 'watch', type: 'process', command: ['true'], timeout_ms: 100, mode: 'blocking' };
const CALL = { name: 'call', type: 'http', url: 'https://a.example/x', timeout_ms: 30_000, mode: 'advisory' };
const of = (hook: object, phase = 'before_gate'): object => ({ [phase]: [hook] });

it('[GH1] accepts valid hooks', () => {
  const eight = Array.from({ length: 8 }, (_, at) => ({ ...GOOD, name: `watch-${at}` }));
  expect(validateHooks({ before_gate: eight, after_acceptance: [CALL], on_escalation: [] })).toEqual([]);
  expect(validateHooks(undefined)).toEqual([]);
});

it.each([
  ['hooks', 'a non-object', []],
  ['hooks.before_lunch', 'an unknown phase', { before_lunch: [] }],
  ['hooks.before_gate', 'a non-list', { before_gate: {} }],
  [
    'hooks.before_gate',
    'nine hooks',
    { before_gate: Array.from({ length: 9 }, (_, n) => ({ ...GOOD, name: `w${n}` })) },
  ],
  ['hooks.before_gate', 'a duplicate name', { before_gate: [GOOD, GOOD] }],
  ['hooks.before_gate[0]', 'a text', { before_gate: ['true'] }],
  ['hooks.before_gate[0].name', 'a name with capitals', of({ ...GOOD, name: 'Watch' })],
  ['hooks.before_gate[0].mode', 'an unknown mode', of({ ...GOOD, mode: 'strict' })],
  ['hooks.after_acceptance[0].mode', 'blocking after the fact', of(GOOD, 'after_acceptance')],
  ['hooks.on_escalation[0].mode', 'blocking an escalation', of(GOOD, 'on_escalation')],
  ['hooks.before_gate[0].timeout_ms', 'a short timeout', of({ ...GOOD, timeout_ms: 99 })],
  ['hooks.before_gate[0].timeout_ms', 'a long timeout', of({ ...GOOD, timeout_ms: 30_001 })],
  ['hooks.before_gate[0].timeout_ms', 'a fractional timeout', of({ ...GOOD, timeout_ms: 100.5 })],
  ['hooks.before_gate[0].type', 'an unknown type', of({ ...GOOD, type: 'shell' })],
  ['hooks.before_gate[0].command', 'a command line', of({ ...GOOD, command: 'true' })],
  ['hooks.before_gate[0].command', 'an empty command', of({ ...GOOD, command: [] })],
  ['hooks.before_gate[0].env.N', 'a variable that is not text', of({ ...GOOD, env: { N: 1 } })],
  ['hooks.before_gate[0].url', 'another scheme', of({ ...CALL, url: 'file:///etc/passwd' })],
  ['hooks.before_gate[0].method', 'another method', of({ ...CALL, method: 'GET' })],
  ['hooks.before_gate[0].headers', 'headers that are a list', of({ ...CALL, headers: [] })],
])('[GH1] at %s, rejects %s', (place, _, hooks) => {
  expect(validateHooks(hooks).map(({ error_field }) => error_field)).toEqual([place]);
});

it('[GH1] reports an unset variable if asked to check', () => {
  const hooks = of({ ...CALL, headers: { authorization: 'Bearer ${' + 'KEY}' } });
  expect(validateHooks(hooks)).toEqual([]);
  expect(validateHooks(hooks, (name) => name !== 'KEY').map(({ message }) => message)).toEqual([
    'hooks.before_gate[0].headers.authorization: expected the variable KEY to be set',
  ]);
});

it('[GH1] rejects a config with an invalid hook', () => {
  const config = { schema_version: '1.0', roles: { lead: {} }, hooks: of({ ...GOOD, mode: 'strict' }) };
  expect(checkConfig(config)).toMatchObject({ ok: false, faults: [{ error_field: 'hooks.before_gate[0].mode' }] });
});

describe('[GH2] decides in this order', () => {
  const said = (answer: unknown): HookEnd => ({ kind: 'answered', text: JSON.stringify(answer) });
  it.each<[what: string, HookEnd, blocking: string, advisory: string]>([
    ['tampering', { kind: 'tampered', paths: ['x'] }, 'null aborted_tamper', 'null aborted_tamper'],
    ['timeout', { kind: 'timed_out', problem: 'p' }, 'block blocked_timeout', 'warn warned_timeout'],
    ['failure', { kind: 'failed', problem: 'p' }, 'block blocked_failure', 'warn warned_failure'],
    ['empty output', { kind: 'answered', text: '' }, 'block blocked_invalid_output', 'warn warned_invalid_output'],
    ['missing verdict', said({}), 'block blocked_invalid_output', 'warn warned_invalid_output'],
    ['block', said({ verdict: 'block' }), 'block blocked', 'warn downgraded_block_to_warn'],
    ['warn', said({ verdict: 'warn' }), 'warn warned', 'warn warned'],
    ['allow', said({ verdict: 'allow' }), 'allow continued', 'allow continued'],
  ])('%s', (_, end, blocking, advisory) => {
    const told = (mode: 'blocking' | 'advisory'): string => {
      const { verdict, action } = decideHook(mode, end);
      return `${verdict} ${action}`;
    };
    expect([told('blocking'), told('advisory')]).toEqual([blocking, advisory]);
  });
});

it.each([
  [['.agentxchain/history.jsonl', '.agentxchain/state.json'], 'hook_state_tamper'],
  [['.agentxchain/decision-ledger.jsonl', '.agentxchain/history.jsonl'], 'hook_history_tamper'],
  [['.agentxchain/decision-ledger.jsonl'], 'hook_ledger_tamper'],
  [['.agentxchain/hook-audit.jsonl'], 'hook_audit_tamper'],
  [['.agentxchain/dispatch/turns/turn_a/PROMPT.md'], 'hook_bundle_tamper'],
  [['package.json'], 'hook_protected_tamper'],
])('[GH4] reports the most severe tamper code: %j is %s', (paths, code) => {
  expect(tamperCode(paths)).toBe(code);
});
