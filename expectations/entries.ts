/** The built-in timed expectations by name, as manifests and `create_session` take them. */

import { type ExpectationEntry, HubError, type JsonObject, type ViolationAction } from 'parley-hub/core';

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

function timed(
  name: string,
  on_violation: ViolationAction,
  params: JsonObject & { readonly seconds: number },
  { appliesTo }: EntryOptions,
): ExpectationEntry {
  const { seconds } = params;
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new HubError('bad_value', `${name}: seconds must be a number > 0, got ${seconds}`);
  }
  return { name, on_violation, params, ...(appliesTo === undefined ? {} : { applies_to: appliesTo }) };
}
