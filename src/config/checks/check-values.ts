/** Checks that the values of a config fit together and that references exist. Pure. */

import { findNearest } from '../../cli/terminal/nearest.ts';
import { isObject } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import { checkTiming } from '../../hub/schedules/next-run.ts';
import type { Problem } from '../reading/location.ts';
import { displayValue } from '../shape/check-shape.ts';
import { checkAgent, checkPrices } from './check-agent.ts';
import { checkRole, checkSecondModel } from './check-role.ts';

/** Checks every part that has the right shape, to report all problems together. */
export function checkConfigValues(value: unknown, raw: unknown, env: NodeJS.ProcessEnv): readonly Problem[] {
  if (!isObject(value)) return [];
  const { agents, roles, rules, schedules, extract, prices } = value;
  return [
    ...entriesOf(agents).flatMap(([name, agent]) => checkAgent(['agents', name], agent, { raw, env, roles })),
    ...checkSecondModel(['extract'], extract, env),
    ...checkPrices(['prices'], prices),
    ...entriesOf(roles).flatMap(([id, role]) => checkRole(id, role, env)),
    ...entriesOf(rules).flatMap(([name]) => ruleProblems(name, agents)),
    ...entriesOf(schedules).flatMap(([name, schedule]) => scheduleProblems(name, schedule, raw)),
  ];
}

function entriesOf(part: unknown): readonly (readonly [string, Record<string, unknown>])[] {
  return isObject(part)
    ? Object.entries(part).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : []))
    : [];
}

/** Other participants get their rule with `set_rule`, which requires a grant. */
function ruleProblems(name: string, agents: unknown): readonly Problem[] {
  const names = isObject(agents) ? Object.keys(agents) : [];
  if (name === '*' || names.includes(name)) return [];
  const similar = findNearest(name, names);
  const text = `expected * or the name of one of agents${similar === null ? '' : `; did you mean ${similar}?`}`;
  return [{ path: ['rules', name], part: 'key', text }];
}

function scheduleProblems(
  name: string,
  { cron, zone = 'UTC' }: Record<string, unknown>,
  raw: unknown,
): readonly Problem[] {
  if (typeof cron !== 'string' || typeof zone !== 'string') return [];
  try {
    checkTiming(cron, zone);
    return [];
  } catch (thrown) {
    const { message } = asError(thrown);
    const key = message.startsWith('zone') ? 'zone' : 'cron';
    const path = ['schedules', name, key];
    const [expected = ''] = message.replace(/^\w+: /, '').split(', got ');
    return [{ path, text: `${expected}, got ${displayValue(path, raw)}` }];
  }
}
