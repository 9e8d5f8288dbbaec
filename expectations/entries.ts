/** The built-in expectations by name, as manifests and `create_session` take them. */

import { type ExpectationEntry, HubError, type JsonObject, type ViolationAction } from 'parley-hub/core';
import { received } from './parts/received.ts';

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
  return timed('acks_within', onViolation, { seconds }, options);
}

/** Whoever was addressed says something in time. */
export function replyWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  return timed('reply_within', onViolation, { seconds }, options);
}

/** Whoever has the turn takes it in time. */
export function turnWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: TurnWithinOptions = {},
): ExpectationEntry {
  const { heartbeat, onFailure } = options;
  const params = {
    seconds,
    ...(heartbeat === undefined ? {} : { heartbeat }),
    ...(onFailure === undefined ? {} : { on_failure: onFailure }),
  };
  return timed('turn_within', onViolation, params, options);
}

/** Somebody says something in time. It has no `applies_to`: the violator is the session. */
export function maxSilence(seconds: number, onViolation: ViolationAction): ExpectationEntry {
  return timed('max_silence', onViolation, { seconds }, {});
}

export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
}

/** Only so many texts and packets; with `appliesTo`, of those. */
export function maxTurns(turns: number, onViolation: ViolationAction, options: EntryOptions = {}): ExpectationEntry {
  requireWhole('max_turns: turns', turns, 1);
  return counting('max_turns', onViolation, { turns }, options);
}

/** Only so much is spent; with `appliesTo`, by those. */
export function budgetWithin(
  budget: Budget,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  if (typeof budget !== 'object' || budget === null || Array.isArray(budget)) {
    throw new HubError('bad_value', `budget_within: expected an object {usd, tokens}, got ${received(budget)}`);
  }
  const { usd, tokens, ...others } = budget;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new HubError('bad_value', `budget_within: expected usd, tokens or both, got ${received(unknown)}`);
  }
  if (usd === undefined && tokens === undefined) {
    throw new HubError('bad_value', 'budget_within: expected usd, tokens or both, got neither');
  }
  if (usd !== undefined && !(Number.isFinite(usd) && usd >= 0)) {
    throw new HubError('bad_value', `budget_within: usd must be a number >= 0, got ${received(usd)}`);
  }
  if (tokens !== undefined) requireWhole('budget_within: tokens', tokens, 0);
  const params = { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
  return counting('budget_within', onViolation, params, options);
}

/** Nobody says the same so many times in a row, or goes round in up to four texts so often. */
export function noProgress(
  repeats: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  requireWhole('no_progress: repeats', repeats, 2);
  return counting('no_progress', onViolation, { repeats }, options);
}

function requireWhole(what: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new HubError('bad_value', `${what} must be a whole number >= ${least}, got ${received(value)}`);
}

function timed(
  name: string,
  on_violation: ViolationAction,
  params: JsonObject & { readonly seconds: number },
  options: EntryOptions,
): ExpectationEntry {
  const { seconds } = params;
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new HubError('bad_value', `${name}: seconds must be a number > 0, got ${received(seconds)}`);
  }
  return counting(name, on_violation, params, options);
}

function counting(
  name: string,
  on_violation: ViolationAction,
  params: JsonObject,
  { appliesTo }: EntryOptions,
): ExpectationEntry {
  return { name, on_violation, params, ...(appliesTo === undefined ? {} : { applies_to: appliesTo }) };
}
