/** The built-in timed expectations by name, as manifests and `create_session` take them. */

import type { ExpectationEntry, ViolationAction } from 'parley-hub/core';
import { checkOptions, checkTimes, refusal } from './parts/given.ts';

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
