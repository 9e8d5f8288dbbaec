/** L9 by a reading of the spec that shares no code with the hub's: what a violation says was waited for, unmet, due, and not said before. */

import type { Entry, Envelope, ExpectationEntry } from 'parley-hub/core';
import type { SessionState } from '../../src/core/state.ts';
import { holds } from './law-broken.ts';

interface Violated {
  readonly entry: number;
  readonly name: string;
  readonly violators: readonly { readonly agent_id: string | null; readonly since_seq: number }[];
}

/** `log` and `before` are all that came before the violation. */
export function checkViolation(log: readonly Entry[], before: SessionState, envelope: Envelope): void {
  const { entry, name, violators } = envelope.event_data as unknown as Violated;
  const where = `${envelope.session_id} seq ${envelope.seq}`;
  const expected = before.metadata.manifest.expectations[entry];
  holds(expected?.name === name, 'L9', () => `${where}: entry ${entry} is not ${name}`);
  holds(violators.length > 0, 'L9', () => `${where}: nobody violated ${name}`);
  for (const { agent_id, since_seq } of violators) {
    const who = `${where}: ${agent_id} since ${since_seq}`;
    holds(!wasSaid(log, entry, agent_id, since_seq), 'L9', () => `${who} fired twice`);
    const sinceMs = beganAt(log, before, name, agent_id);
    holds(sinceMs?.seq === since_seq, 'L9', () => `${who}: ${name} waits since ${sinceMs?.seq}`);
    const dueMs = (sinceMs?.at ?? 0) + secondsOf(expected) * 1000;
    // Nobody reports a failure or progress here, so a turn is due when its time is over.
    holds(Date.parse(envelope.created_at) >= dueMs, 'L9', () => `${who} fired early`);
  }
}

function secondsOf(expected: ExpectationEntry | undefined): number {
  return Number(expected?.params.seconds);
}

function wasSaid(log: readonly Entry[], entry: number, agentId: string | null, since: number): boolean {
  return log.some(({ envelope }) => {
    if (envelope.event_type !== 'expectation.violated') return false;
    const said = envelope.event_data as unknown as Violated;
    return said.entry === entry && said.violators.some((one) => one.agent_id === agentId && one.since_seq === since);
  });
}

interface Began {
  readonly seq: number;
  readonly at: number;
}

function beganAt(log: readonly Entry[], before: SessionState, name: string, agentId: string | null): Began | null {
  const { metadata, head } = before;
  const at = (seq: number | undefined): Began | null => {
    const created = log[(seq ?? 0) - 1]?.envelope.created_at;
    return seq === undefined || created === undefined ? null : { seq, at: Date.parse(created) };
  };
  const active = metadata.participants.some((one) => one.agent_id === agentId && one.status === 'active');
  if (name === 'acks_within') return metadata.pending_acks.includes(agentId ?? '') ? at(1) : null;
  if (metadata.state !== 'ACTIVE') return null;
  if (name === 'turn_within') return head.turn?.agent_id === agentId ? at(head.turn?.since_seq) : null;
  if (name === 'max_silence') return at(log.findLast(isSaid)?.envelope.seq ?? openedAt(log));
  return active ? at(firstUnanswered(log, agentId ?? '')) : null;
}

function isSaid({ envelope: { event_type } }: Entry): boolean {
  return !/^(session|expectation|task|delegation)\./.test(event_type) && event_type !== 'context.set';
}

function openedAt(log: readonly Entry[]): number | undefined {
  return log.find(({ envelope }) => envelope.event_type === 'session.opened')?.envelope.seq;
}

/** The first content to it since it last spoke, joined or came back. */
function firstUnanswered(log: readonly Entry[], agentId: string): number | undefined {
  const from = log.findLastIndex(
    (entry) =>
      (isSaid(entry) && entry.envelope.sender_id === agentId) ||
      (/^session\.(invite\.ack|participant\.(joined|returned))$/.test(entry.envelope.event_type) &&
        entry.envelope.event_data.agent_id === agentId),
  );
  return log
    .slice(from + 1)
    .find((entry) => isSaid(entry) && (entry.envelope.audience === null || entry.envelope.audience.includes(agentId)))
    ?.envelope.seq;
}
