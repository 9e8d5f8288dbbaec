/** A share of the histories, for every test run. */

import { expect, it } from 'vitest';
import { isDeep } from '../support/size.ts';
import { simOperations } from './operations.ts';
import { runHistory } from './run-history.ts';

/** Consequences that must occur, beside the operations. */
const consequences = [
  'joined late, joined after it was added, asked again, asked when back, operated, late answer',
  'quorum of less than all, took over, repeat answered, create repeated, seen again, redelivered after nack',
  'delivery failed, gap expired, end told to an invitee, synced in part, loaded from a snapshot',
  'refused session_closed, refused conflict, refused duplicate, refused not_found, refused not_your_turn',
  'refused forbidden, refused protocol_error, refused unavailable, refused unauthenticated',
  'ended consulting_complete, ended panel_done, ended rounds_complete, ended sequence_complete, ended max_turns',
  'ended finished_early, ended all_done, session.participant.hidden, session.participant.returned',
  'session.participant.removed, saw a view again, ended no_active_participants, ended creator_removed',
  'ended ttl_expired, ended orphaned, ended invite_timeout, violated acks_within, violated reply_within',
  'violated turn_within, violated max_silence, violated max_turns, violated budget_within, violated no_progress',
  'ended panel_over, delegation replied, delegation rejected, delegation timed_out, delegation parent_closed',
  'ended invite_rejected, ended below_minimum, ended parent_closed, ended closed_elsewhere, ended race, tasks done',
  'tasks failed, tasks cancelled, tasks expired, schedule opened, schedule ran: opened, schedule ran: overlap',
  'schedule ran: missed, fired in its sweep, task.progress, task.failed, fired on a failure',
  'fired late for progress, inbox high water, gap overflow, refused inbox_full, refused rate_limited',
].flatMap((row) => row.split(', '));

const LEAST_STEPS = 150;
/** Of 1,000 histories. */
const LEAST_EACH = 60;

export function describeHistories(from: number, count: number): void {
  it(`[L1, L2, L3, L4, L5, L6, L8, L9, L10] every law holds after every step of ${count} random histories, from seed ${from}`, {
    timeout: 600_000,
  }, async () => {
    const counts = new Map<string, number>();
    const steps: number[] = [];
    for (let seed = from; seed < from + count; seed++) {
      const report = await runHistory({ seed });
      steps.push(report.steps);
      for (const [kind, n] of report.counts) counts.set(kind, (counts.get(kind) ?? 0) + n);
    }
    const kinds = [...simOperations.map(({ name }) => name), ...consequences];
    console.log(
      `${count} histories from seed ${from}:\n${kinds.map((kind) => `${String(counts.get(kind) ?? 0).padStart(8)}  ${kind}`).join('\n')}`,
    );
    // Only many histories meet every kind often enough.
    if (isDeep) expect(kinds.filter((kind) => (counts.get(kind) ?? 0) < (LEAST_EACH * count) / 1000)).toEqual([]);
    expect(kinds.filter((kind) => (counts.get(kind) ?? 0) > 0).length).toBeGreaterThan(kinds.length / 2);
    expect(steps.sort((a, b) => a - b)[Math.floor(count / 2)]).toBeGreaterThanOrEqual(LEAST_STEPS);
  });
}
