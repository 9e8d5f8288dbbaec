/** Tells of something by the word of the caller. */

import { isFilled, isRecord, type Unknowns } from '../../../../governed/engine/lib/unknown-record.ts';
import { badArgument } from '../../../../governed/runner/contract/failure.ts';
import { notifyAll } from '../notifications/notify.ts';
import type { RunnerMeans } from '../../../../governed/runner/log/runner-context.ts';
import { checkedConfig } from '../../../../governed/runner/project/take-over.ts';
import type { Notified } from '../../../../governed/runner/contract/types.ts';

export interface NotifyArgs {
  readonly config: unknown;
  readonly state: unknown;
  readonly event: unknown;
  readonly payload?: unknown;
  readonly turn?: unknown;
}

/** Needs no run, and takes no lock: whoever waits for an answer keeps nobody from working. */
export async function emitNotifications(root: string, means: RunnerMeans, args: NotifyArgs): Promise<Notified> {
  const { event, payload = {}, turn = null } = args;
  if (!isFilled(event)) throw badArgument('event', 'the type of an event', event);
  if (!isRecord(payload)) throw badArgument('payload', 'an object', payload);
  const config = checkedConfig(args.config);
  const event_id = `evt_${means.ids.hex32().slice(0, 16)}`;
  const about = isRecord(turn) ? briefly(turn) : null;
  // Only three texts of it are told.
  const state = isRecord(args.state) ? (args.state as never) : null;
  const told = { event_id, event_type: event, payload, turn: about, state };
  return { ok: true, event_id, results: await notifyAll({ root, config, means }, told) };
}

function briefly({ turn_id, assigned_role, attempt, assigned_sequence }: Unknowns): Unknowns {
  return { turn_id, role_id: assigned_role, attempt, assigned_sequence };
}
