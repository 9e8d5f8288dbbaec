/** L9 in a log: a violation was awaited, unmet, due, and not recorded before; only the holder reports on a turn. */

import type { Entry, Envelope } from 'parley-hub/core';
import type { SessionState } from '../../src/core/state/state.ts';
import { holds } from './law-broken.ts';
import { createdMs, hasFired, waitsOf } from './waits-model.ts';

interface Violated {
  readonly entry: number;
  readonly name: string;
  readonly violators: readonly { readonly agent_id: string | null; readonly since_seq: number }[];
}

/** `log` and `before`: everything before the violation. */
export function checkViolation(log: readonly Entry[], before: SessionState, envelope: Envelope): void {
  const { entry, name, violators } = envelope.event_data as unknown as Violated;
  const where = `${envelope.session_id} seq ${envelope.seq}`;
  const waits = waitsOf(log, before).filter((wait) => wait.entry === entry && wait.name === name);
  holds(violators.length > 0, 'L9', () => `${where}: nobody violated ${name}`);
  for (const { agent_id, since_seq } of violators) {
    const who = `${where}: ${agent_id} since ${since_seq}`;
    holds(!hasFired(log, { entry, agent_id, since_seq }), 'L9', () => `${who} fired twice`);
    const wait = waits.find((one) => one.agent_id === agent_id && one.since_seq === since_seq);
    holds(wait !== undefined, 'L9', () => `${who}: ${name} does not wait for that`);
    holds(Date.parse(envelope.created_at) >= wait.dueMs, 'L9', () => `${who} fired early`);
  }
}

/** Of one participant in one session. */
const PROGRESS_EVERY_MS = 10_000;

/** The times the wall clock was set back from and to. */
export interface SetBack {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Or half of the shortest time that it extends. */
function everyMs({ manifest }: SessionState['metadata']): number {
  const extended = manifest.expectations.filter(
    ({ name, params }) => name === 'turn_within' && params.heartbeat !== false,
  );
  return Math.min(PROGRESS_EVERY_MS, ...extended.map(({ params }) => Number(params.seconds) * 500));
}

/** Only the holder reports on a turn, to nobody, and progress is not logged too often. */
export function checkReport(
  log: readonly Entry[],
  { head, metadata }: SessionState,
  envelope: Envelope,
  setBacks: readonly SetBack[],
): void {
  const { session_id, seq, sender_id, event_type, event_data, audience, created_at } = envelope;
  const where = `${session_id} seq ${seq}`;
  holds(head.turn?.agent_id === sender_id, 'L4', () => `${where}: ${event_type} by ${sender_id}, who has no turn`);
  holds(event_data.since_seq === head.turn.since_seq, 'L4', () => `${where}: ${event_type} of another turn`);
  holds(audience?.length === 0, 'L4', () => `${where}: ${event_type} is for somebody`);
  if (event_type !== 'task.progress') return;
  const last = log.findLast((one) => one.envelope.event_type === event_type && one.envelope.sender_id === sender_id);
  if (last === undefined) return;
  const lastMs = createdMs(log, last.envelope.seq);
  // The hub may have been down while the clock was behind its log: then the wait begins there.
  if (setBacks.some(({ fromMs, toMs }) => toMs < lastMs && lastMs <= fromMs)) return;
  holds(
    Date.parse(created_at) - lastMs >= everyMs(metadata),
    'L8',
    () => `${where}: progress of ${sender_id} again after seq ${last.envelope.seq}`,
  );
}
