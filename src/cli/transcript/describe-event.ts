/** Describes the hub's log entries for a terminal. */

import type { Json } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';

export function describeEvent(envelope: Envelope, nameOf: (id: unknown) => string): string {
  const { event_type, event_data, sender_id, audience, task_id } = envelope;
  const { agent_id, reason } = event_data;
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  switch (event_type) {
    case 'session.invite':
      return `invites ${(audience ?? []).map(nameOf).join(', ')}`;
    case 'session.invite.ack':
      return `${nameOf(agent_id ?? sender_id)} accepts`;
    case 'session.invite.reject':
      return `${nameOf(agent_id ?? sender_id)} declines${why}`;
    case 'session.participant.joined':
      return `${nameOf(agent_id)} is invited too`;
    case 'session.participant.removed':
      return `${nameOf(agent_id)} is out${why}`;
    case 'session.expired':
      return `it has expired${why}`;
    case 'session.available':
      return 'the session is available again';
    case 'task.failed':
      // Failed turn: a task has its own text.
      if (task_id === null) return `${nameOf(agent_id ?? sender_id)} could not answer${why}`;
      return describeEnvelope(envelope, nameOf);
    default:
      return describeEnvelope(envelope, nameOf);
  }
}

export function describeEnvelope(envelope: Envelope, nameOf: (id: unknown) => string): string {
  const { event_type, event_data } = envelope;
  const { agent_id, creator_id, manifest, knobs, reason, context_updates, on_violation, detail } = event_data;
  switch (event_type) {
    case 'session.created':
      return `${nameOf(creator_id)} opens a ${member(manifest, 'type')} session${ownKnobs(knobs, manifest)}`;
    case 'session.opened':
      return 'the session is open';
    case 'session.participant.hidden':
      return `${nameOf(agent_id)} is hidden: ${reason}`;
    case 'session.participant.returned':
      return `${nameOf(agent_id)} is back`;
    case 'expectation.violated':
      return `${on_violation}: ${detail}`;
    case 'session.closing':
      return `no more posts: ${reason}`;
    case 'session.closed':
      return `it is over: ${reason}`;
    default:
      return [renderText(envelope), ...variables(context_updates)].join(' ');
  }
}

/** The knobs declared by the type, without structured values such as graphs. */
function ownKnobs(knobs: Json | undefined, manifest: Json | undefined): string {
  const own = Object.keys(member(member(manifest, 'knobs_schema'), 'properties') ?? {});
  const plain = Object.entries(knobs ?? {}).filter(([key, value]) => own.includes(key) && typeof value !== 'object');
  return plain.length === 0 ? '' : ` (${plain.map(([key, value]) => `${key} ${value}`).join(', ')})`;
}

/** Context variables set by a packet. */
function variables(updates: Json | undefined): readonly string[] {
  return Object.entries(member(updates, 'set') ?? {}).map(([key, value]) => `[${key} = ${value}]`);
}

function member(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
