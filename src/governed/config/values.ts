/** Numbers, switches and words of a config that only a few values fit. */

import { matches, ROLE_ID } from '../engine/lib/patterns.ts';
import { isFilled, isMissing, isOneOf, isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { RUNTIME_TYPES, WRITE_AUTHORITIES } from '../engine/config/config.ts';
import { type ConfigFault, invalid } from './fault.ts';
import { entriesOf } from './references.ts';

const MAX_CONCURRENT_TURNS = 4;

export function limitFaults(config: Unknowns): readonly ConfigFault[] {
  return entriesOf(config.routing).flatMap(([phase, { max_concurrent_turns: limit }]) => {
    if (isMissing(limit) || isWhole(limit, 1, MAX_CONCURRENT_TURNS)) return [];
    return [invalid(`routing.${phase}.max_concurrent_turns`, `a whole number from 1 to ${MAX_CONCURRENT_TURNS}`)];
  });
}

export function roleFaults(config: Unknowns): readonly ConfigFault[] {
  return [...entriesOf(config.roles).flatMap(([id, role]) => oneRole(id, role)), ...runtimeTypeFaults(config)];
}

function oneRole(id: string, { write_authority, decision_authority }: Unknowns): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (!matches(ROLE_ID, id)) faults.push(invalid(`roles.${id}`, 'a name of small letters, digits, "-" and "_"'));
  if (!isMissing(write_authority) && !isOneOf(WRITE_AUTHORITIES, write_authority)) {
    faults.push(invalid(`roles.${id}.write_authority`, `one of ${WRITE_AUTHORITIES.join(', ')}`));
  }
  if (!isMissing(decision_authority) && !isWhole(decision_authority, 0, 99)) {
    faults.push(invalid(`roles.${id}.decision_authority`, 'a whole number from 0 to 99'));
  }
  return faults;
}

function runtimeTypeFaults(config: Unknowns): readonly ConfigFault[] {
  const own = isRecord(config.adapters) ? Object.keys(config.adapters) : [];
  const types = [...RUNTIME_TYPES, ...own];
  return entriesOf(config.runtimes).flatMap(([id, { type }]) =>
    isMissing(type) || isOneOf(types, type) ? [] : [invalid(`runtimes.${id}.type`, `one of ${types.join(', ')}`)],
  );
}

const GATE_SWITCHES = ['requires_verification_pass', 'requires_human_approval', 'credentialed'];

export function gateFaults(config: Unknowns): readonly ConfigFault[] {
  return entriesOf(config.gates).flatMap(([id, gate]) => {
    const { requires_files: files } = gate;
    const isListed = isMissing(files) || (Array.isArray(files) && files.every(isFilled));
    return [
      ...(isListed ? [] : [invalid(`gates.${id}.requires_files`, 'an array of paths')]),
      ...GATE_SWITCHES.filter((name) => !isMissing(gate[name]) && typeof gate[name] !== 'boolean').map((name) =>
        invalid(`gates.${id}.${name}`, 'true or false'),
      ),
    ];
  });
}

export function ruleFaults({ rules, timeouts, budget }: Unknowns): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const { challenge_required, challenge, max_turn_retries, require_reproducible_verification } = isRecord(rules)
    ? rules
    : {};
  for (const [name, value] of Object.entries({ challenge_required, require_reproducible_verification })) {
    if (!isMissing(value) && typeof value !== 'boolean') faults.push(invalid(`rules.${name}`, 'true or false'));
  }
  if (!isMissing(challenge) && !isOneOf(['review_only', 'all'], challenge)) {
    faults.push(invalid('rules.challenge', 'one of review_only, all'));
  }
  if (!isMissing(max_turn_retries) && !isWhole(max_turn_retries, 1, 100)) {
    faults.push(invalid('rules.max_turn_retries', 'a whole number from 1 to 100'));
  }
  const minutes = isRecord(timeouts) ? timeouts.per_turn_minutes : undefined;
  if (!isMissing(minutes) && !isPositive(minutes))
    faults.push(invalid('timeouts.per_turn_minutes', 'a number above 0'));
  const usd = isRecord(budget) ? budget.per_run_max_usd : undefined;
  if (!isMissing(usd) && !isPositive(usd)) faults.push(invalid('budget.per_run_max_usd', 'a number above 0'));
  return faults;
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
