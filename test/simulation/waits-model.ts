/** The waits of a session by an independent reading of the spec: from its log alone, envelope by envelope. */

import type { Entry, ExpectationEntry, SessionMetadata } from 'parley-hub/core';
import type { SessionState } from '../../src/core/state/state.ts';

export interface OpenWait {
  readonly entry: number;
  readonly name: string;
  /** null = the session. */
  readonly agent_id: string | null;
  readonly since_seq: number;
  readonly dueMs: number;
}

const TIMED: ReadonlySet<string> = new Set(['acks_within', 'reply_within', 'turn_within', 'max_silence']);

interface Violated {
  readonly entry: number;
  readonly violators: readonly { readonly agent_id: string | null; readonly since_seq: number }[];
}

/** All waits after the last entry of `log`, fired or not. `now`: the state after it. */
export function waitsOf(log: readonly Entry[], now: SessionState): readonly OpenWait[] {
  return now.metadata.manifest.expectations.flatMap((expected, entry) =>
    violators(log, now, expected).flatMap(({ agent_id, since_seq }) => {
      if (since_seq === undefined || !applies(expected, agent_id, now.metadata)) return [];
      const dueMs = dueOf(log, expected, agent_id, since_seq);
      return [{ entry, name: expected.name, agent_id, since_seq, dueMs }];
    }),
  );
}

export function hasFired(
  log: readonly Entry[],
  { entry, agent_id, since_seq }: Omit<OpenWait, 'name' | 'dueMs'>,
): boolean {
  return log.some(({ envelope }) => {
    if (envelope.event_type !== 'expectation.violated') return false;
    const said = envelope.event_data as unknown as Violated;
    return (
      said.entry === entry && said.violators.some((one) => one.agent_id === agent_id && one.since_seq === since_seq)
    );
  });
}

export function createdMs(log: readonly Entry[], seq: number): number {
  return Date.parse(log[seq - 1]?.envelope.created_at ?? '');
}

interface Possible {
  readonly agent_id: string | null;
  readonly since_seq: number | undefined;
}

function violators(log: readonly Entry[], { metadata, head }: SessionState, { name }: ExpectationEntry): Possible[] {
  const { state, pending_acks, participants } = metadata;
  if (name === 'acks_within') {
    return state === 'INVITED' ? pending_acks.map((agent_id) => ({ agent_id, since_seq: 1 })) : [];
  }
  if (state !== 'ACTIVE') return [];
  // Limits have no waits: they check accepted content.
  if (!TIMED.has(name)) return [];
  if (name === 'turn_within') return head.turn === null ? [] : [head.turn];
  if (name === 'max_silence') {
    const opened = log.find(({ envelope }) => envelope.event_type === 'session.opened');
    return [{ agent_id: null, since_seq: (log.findLast(isSaid) ?? opened)?.envelope.seq }];
  }
  const active = participants.filter(({ status }) => status === 'active');
  return active.map(({ agent_id }) => ({ agent_id, since_seq: firstUnanswered(log, agent_id) }));
}

/**
 * Progress in a turn, of it or of a task, moves its deadline up to six times its length; a reported failure is the
 * deadline where configured.
 */
function dueOf(
  log: readonly Entry[],
  { name, params }: ExpectationEntry,
  agentId: string | null,
  since: number,
): number {
  const ms = Number(params.seconds) * 1000;
  if (name !== 'turn_within') return createdMs(log, since) + ms;
  const held = heldFrom(log, agentId, since);
  const sinceMs = createdMs(log, held);
  const isOwn = ({ envelope }: Entry, type: string) => envelope.event_type === type && envelope.sender_id === agentId;
  const progress = log.slice(held).findLast((entry) => isOwn(entry, 'task.progress'));
  const failed = log.slice(since).find((entry) => isOwn(entry, 'task.failed') && entry.envelope.task_id === null);
  const isExtended = params.heartbeat !== false && progress !== undefined;
  const endMs = isExtended ? Math.min(Date.parse(progress.envelope.created_at) + ms, sinceMs + 6 * ms) : sinceMs + ms;
  return params.on_failure === true && failed !== undefined
    ? Math.min(endMs, Date.parse(failed.envelope.created_at))
    : endMs;
}

/** A hidden participant that returns to its turn has it from then on. */
function heldFrom(log: readonly Entry[], agentId: string | null, since: number): number {
  const isHeld = ({ turn }: Entry): boolean => turn?.agent_id === agentId && turn?.since_seq === since;
  return log.findLastIndex((entry) => !isHeld(entry)) + 2;
}

function applies({ applies_to }: ExpectationEntry, agentId: string | null, { participants }: SessionMetadata): boolean {
  if (applies_to === undefined || agentId === null) return true;
  const role = participants.find(({ agent_id }) => agent_id === agentId)?.role;
  return applies_to.some((who) => who === agentId || who === role);
}

function isSaid({ envelope: { event_type } }: Entry): boolean {
  return !/^(session|expectation|task|delegation)\./.test(event_type) && event_type !== 'context.set';
}

/** The first content for it since it last posted, joined or returned. */
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
