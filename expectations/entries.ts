/** Builds entries of the built-in expectations for manifests and `create_session`. */

import { type ExpectationEntry, HubError, type JsonObject, type ViolationAction } from 'parley-hub/core';

export interface EntryOptions {
  /** Role names or agent ids; absent = everyone. */
  readonly appliesTo?: readonly string[];
}

export interface TurnWithinOptions extends EntryOptions {
  /** `task.progress` extends the turn; default true. */
  readonly heartbeat?: boolean;
  /** A reported failure of the turn fires the expectation immediately; default false. */
  readonly onFailure?: boolean;
}

/** Every invitee must answer while the session is INVITED. */
export function acksWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  return timed('acks_within', seconds, onViolation, options);
}

/** Participants addressed by content must post in time. */
export function replyWithin(
  seconds: number,
  onViolation: ViolationAction,
  options: EntryOptions = {},
): ExpectationEntry {
  return timed('reply_within', seconds, onViolation, options);
}

/** The holder of the turn must take it in time. */
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

/** Somebody must post in time. Takes no options, because the session is the violator. */
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

/** Limits the number of texts and packets; with `appliesTo`, only those of the listed participants. */
export function maxTurns(turns: number, onViolation: ViolationAction, options: EntryOptions = {}): ExpectationEntry {
  checkWhole('max_turns: turns', turns, 1);
  return counting('max_turns', onViolation, { turns }, options);
}

/** Limits spending; with `appliesTo`, only that of the listed participants. */
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

/** Limits repetition: the same text, or a loop of up to four texts, this many times in a row. */
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

function timed(name: string, seconds: number, onViolation: ViolationAction, options: EntryOptions): ExpectationEntry {
  checkOptions(name, options, ['appliesTo']);
  if (!Number.isFinite(seconds) || seconds <= 0) throw refusal(`${name}: seconds`, 'a number > 0', seconds);
  return counting(name, onViolation, { seconds }, options);
}

function refusal(what: string, expected: string, received: unknown): HubError {
  return new HubError('bad_value', `${what}: expected ${expected}, got ${shown(received)}`);
}

function checkOptions(name: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refusal(`${name}: options`, 'an object', options);
  }
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown === undefined) return;
  const expected = known.length === 0 ? 'no options' : `one of the options ${known.join(', ')}`;
  throw refusal(`${name}: ${unknown}`, expected, unknown);
}

function checkEntry(name: string, onViolation: unknown, appliesTo: unknown): void {
  if (!isName(onViolation)) throw refusal(`${name}: onViolation`, 'the name of a handler, such as "warn"', onViolation);
  const isList = Array.isArray(appliesTo) && appliesTo.length > 0 && appliesTo.every(isName);
  if (appliesTo !== undefined && !isList) {
    throw refusal(`${name}: appliesTo`, 'a list of at least one role or participant', appliesTo);
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'function') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
