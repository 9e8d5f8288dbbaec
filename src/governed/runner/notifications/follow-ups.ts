/** Performs the follow-ups listed in the log at least once, including those of a runner that crashed. */

import type { HookAudit } from '../../engine/hooks/hook.ts';
import { getOwn, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import type { HooksRun } from '../../hooks/run-hooks.ts';
import { type FollowUp, rulesOf } from '../../session/index.ts';
import { type OpenRun, type Running, stateOf } from '../log/runner-context.ts';
import { hooksOf } from '../project/load-context.ts';
import { notifyAll } from './notify.ts';

export async function followUp(run: OpenRun): Promise<readonly HookAudit[]> {
  const { current: log } = run.logs;
  if (log === null || !log.isOpen) return [];
  const running: Running = { ...run, log, config: rulesOf(log.metadata).config };
  const said: HookAudit[] = [];
  for (const one of log.record.state.follow_ups) {
    const entries = one.phase === 'notification' ? await notify(running, one) : await askHooks(running, one, said);
    await run.means.reached('hooks_run');
    await log.post('hook.results', { phase: one.phase, follow_up: one.id, entries });
    await run.means.reached('followed_up');
  }
  return said;
}

async function askHooks(running: Running, one: FollowUp, said: HookAudit[]): Promise<readonly object[]> {
  const payload = one.phase === 'after_acceptance' ? acceptedPayload(running, one) : escalatedPayload(running, one);
  const ran: HooksRun = await hooksOf(running, one.phase, payload);
  said.push(...ran.results);
  return ran.results;
}

function acceptedPayload(running: Running, { turn_id, seq }: FollowUp): UnknownRecord {
  const { log } = running;
  const state = stateOf(running);
  const entry: UnknownRecord = { ...log.addedAt(seq)?.history[0] };
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  return {
    turn_id,
    role_id: entry.role ?? null,
    history_entry_index: log.record.history.findIndex((one) => (one as UnknownRecord).turn_id === turn_id),
    accepted_integration_ref: state.accepted_integration_ref,
    decisions_count: count(entry.decisions),
    objections_count: count(entry.objections),
    run_status: state.status,
    phase: state.phase,
  };
}

function escalatedPayload(running: Running, { turn_id, seq }: FollowUp): UnknownRecord {
  const then = running.log.addedAt(seq)?.state.run ?? stateOf(running);
  const turn = turn_id === null ? undefined : getOwn(then.active_turns, turn_id);
  return {
    blocked_reason: then.blocked_reason,
    recovery_action: then.blocked_reason?.recovery.recovery_action ?? null,
    failed_turn_id: turn_id,
    failed_role: turn?.assigned_role ?? null,
    attempt_count: turn?.attempt ?? null,
    last_error: turn?.last_rejection?.reason ?? then.blocked_reason?.recovery.detail ?? null,
    run_id: then.run_id,
  };
}

async function notify(running: Running, { seq }: FollowUp): Promise<readonly object[]> {
  const added = running.log.addedAt(seq);
  const results: object[] = [];
  for (const event of added?.events ?? []) {
    const { event_id, event_type, payload, turn } = event;
    const notification = { event_id, event_type, payload, turn, state: added?.state.run ?? stateOf(running) };
    results.push(...(await notifyAll(running, notification)).map((one) => ({ event_id, event_type, ...one })));
  }
  return results;
}
