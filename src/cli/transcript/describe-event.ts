/** An envelope in words: what the log says happened. */

import { renderText } from '../../core/ports/adapter.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import type { Json } from '../../core/lib/json.ts';

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

/** The knobs of its type, with what the type fills in; graphs and the like are no words. */
function ownKnobs(knobs: Json | undefined, manifest: Json | undefined): string {
  const own = Object.keys(member(member(manifest, 'knobs_schema'), 'properties') ?? {});
  const plain = Object.entries(knobs ?? {}).filter(([key, value]) => own.includes(key) && typeof value !== 'object');
  return plain.length === 0 ? '' : ` (${plain.map(([key, value]) => `${key} ${value}`).join(', ')})`;
}

/** What a packet makes known to everyone. */
function variables(updates: Json | undefined): readonly string[] {
  return Object.entries(member(updates, 'set') ?? {}).map(([key, value]) => `[${key} = ${value}]`);
}

function member(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
