/** The built-in expectations by name, as manifests and `create_session` take them. */

import type { ExpectationEntry, JsonObject, ViolationAction } from 'parley-hub/core';
import { checkEntry, checkOptions, checkTimes, refusal } from './parts/check-entry.ts';

export interface EntryOptions {
  /** Role names or agent ids; absent = everyone. */
  readonly appliesTo?: readonly string[];
}

export interface TurnWithinOptions extends EntryOptions {
  /** `task.progress` extends the turn; true unless told. */
  readonly heartbeat?: boolean;
  /** A reported failure of the turn fires it at once; false unless told. */
  readonly onFailure?: boolean;
}

/** While INVITED: every invitee answers in time. */
export function acksWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  return timed('acks_within', seconds, onViolation, options);
}

/** Whoever was addressed says something in time. */
export function replyWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  return timed('reply_within', seconds, onViolation, options);
}

/** Whoever has the turn takes it in time. */
export function turnWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: TurnWithinOptions = {},
): ExpectationEntry {
  checkOptions('turn_within', options, ['appliesTo', 'heartbeat', 'onFailure']);
  const { heartbeat, onFailure, ...others } = options;
  for (const [name, flag] of Object.entries({ heartbeat, onFailure })) {
    if (flag !== undefined && typeof flag !== 'boolean') throw refusal(`turn_within: ${name}`, 'true or false', flag);
  }
  const entry = timed('turn_within', seconds, onViolation, others);
  const flags = {
    ...(heartbeat === undefined ? {} : { heartbeat }),
    ...(onFailure === undefined ? {} : { on_failure: onFailure }),
  };
  return { ...entry, params: { ...entry.params, ...flags } };
}

/** Somebody says something in time. It takes no options: the violator is the session. */
export function maxSilence(
  seconds: number,
  onViolation: ViolationAction,
  options: Readonly<Record<string, never>> = {},
): ExpectationEntry {
  checkOptions('max_silence', options, []);
  return timed('max_silence', seconds, onViolation, {});
}

export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
}

/** Only so many texts and packets; with `appliesTo`, of those. */
export function maxTurns(turns: number, onViolation: ViolationAction, options: EntryOptions = {}): ExpectationEntry {
  checkWhole('max_turns: turns', turns, 1);
  return counting('max_turns', onViolation, { turns }, options);
}

/** Only so much is spent; with `appliesTo`, by those. */
export function budgetWithin(
  budget: Budget,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  checkOptions('budget_within', budget, ['usd', 'tokens']);
  const { usd, tokens } = budget;
  if (usd === undefined && tokens === undefined) throw refusal('budget_within', 'usd, tokens or both', budget);
  if (usd !== undefined && !(Number.isFinite(usd) && usd >= 0)) {
    throw refusal('budget_within: usd', 'a number from 0 on', usd);
  }
  if (tokens !== undefined) checkWhole('budget_within: tokens', tokens, 0);
  const params = { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
  return counting('budget_within', onViolation, params, options);
}

/** Nobody says the same so many times in a row, or goes round in up to four texts so often. */
export function noProgress(
  repeats: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  checkWhole('no_progress: repeats', repeats, 2);
  return counting('no_progress', onViolation, { repeats }, options);
}

function checkWhole(what: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= least) return;
  throw refusal(what, `a whole number from ${least} on`, value);
}

function counting(
  name: string,
  on_violation: ViolationAction,
  params: JsonObject,
  options: EntryOptions,
): ExpectationEntry {
  checkOptions(name, options, ['appliesTo']);
  const { appliesTo } = options;
  checkEntry(name, on_violation, appliesTo);
  return { name, on_violation, params, ...(appliesTo === undefined ? {} : { applies_to: appliesTo }) };
}

function timed(name: string, seconds: number, on_violation: ViolationAction, options: EntryOptions): ExpectationEntry {
  checkOptions(name, options, ['appliesTo']);
  const { appliesTo } = options;
  checkTimes(name, seconds, on_violation, appliesTo);
  return {
    name,
    on_violation,
    params: { seconds },
    ...(appliesTo === undefined ? {} : { applies_to: appliesTo }),
  };
}
