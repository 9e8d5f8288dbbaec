/** A run is stopped until somebody resolves what is in its way. */

import { isFilled, isRecord } from '../../../../governed/engine/lib/unknown-record.ts';
import { badArgument } from '../../../../governed/runner/contract/failure.ts';
import { type OpenRun, stateOf } from '../open-run.ts';
import { requireRun } from '../../../../governed/runner/project/take-over.ts';
import type { BlockDetails, EscalateDetails, Escalated, RunChanged } from '../../../../governed/runner/contract/types.ts';

export async function markRunBlocked(run: OpenRun, { details }: { readonly details: unknown }): Promise<RunChanged> {
  if (!isRecord(details)) throw badArgument('details', 'an object with blockedOn and category', details);
  const { blockedOn, category, turnId = null, recovery } = details as Partial<BlockDetails>;
  if (!isFilled(blockedOn)) throw badArgument('details.blockedOn', 'what it is blocked on', blockedOn);
  if (!isFilled(category)) throw badArgument('details.category', 'the kind of blocker', category);
  if (!isRecord(recovery ?? {})) {
    throw badArgument('details.recovery', 'an object with owner, recovery_action and detail', recovery);
  }
  const running = await requireRun(run);
  await running.log.post('run.blocked', {
    blocked_on: blockedOn,
    category,
    turn_id: turnId,
    owner: recovery?.owner ?? null,
    recovery_action: recovery?.recovery_action ?? null,
    detail: recovery?.detail ?? null,
  });
  return { ok: true, state: stateOf(running) };
}

export interface EscalateArgs {
  readonly config: unknown;
  readonly details: unknown;
}

export async function escalate(run: OpenRun, { config, details }: EscalateArgs): Promise<Escalated> {
  if (!isRecord(details)) throw badArgument('details', 'an object with a reason', details);
  const { reason, detail = null, action = null, turnId = null } = details as unknown as EscalateDetails;
  if (!isFilled(reason)) throw badArgument('details.reason', 'why', reason);
  const running = await requireRun(run, config);
  const words = [detail, action].filter(isFilled).join('; ');
  await running.log.post('run.escalated', { reason, detail: words === '' ? null : words, turn_id: turnId });
  const state = stateOf(running);
  return { ok: true, state, escalation: state.escalation };
}
