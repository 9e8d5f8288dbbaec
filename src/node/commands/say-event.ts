/** What the hub writes into a log, in words for a terminal; what people say is theirs. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import { describeEnvelope } from '../../cli/transcript/describe-event.ts';

export function sayEvent(envelope: Envelope, nameOf: (id: unknown) => string): string {
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
      // Of a turn: a task has words of its own.
      if (task_id === null) return `${nameOf(agent_id ?? sender_id)} could not answer${why}`;
      return describeEnvelope(envelope, nameOf);
    default:
      return describeEnvelope(envelope, nameOf);
  }
}
