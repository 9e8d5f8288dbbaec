/** What happens to a session beside what is said in it, as quiet lines, each of its kind. Pure. */

import type { Envelope } from '../../../core/records/session/envelope.ts';
import { isContent } from '../../../core/records/session/envelope.ts';
import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import { isBid, MOST_BID } from './raised-hands.ts';
import { GOVERNED, type GovernedMark, stopsRun } from './governed-text.ts';

export type MarkKind =
  | 'opening'
  | 'invite'
  | 'handoff'
  | 'hand'
  | 'violation'
  | 'hide'
  | 'close'
  | 'task'
  | 'context'
  | 'other'
  | GovernedMark;

export interface Mark {
  readonly seq: number;
  readonly kind: MarkKind;
  readonly text: string;
}

type Words = (data: Readonly<Record<string, Json | undefined>>, name: (id: Json | undefined) => string) => string;

const KINDS: Readonly<Record<string, readonly [MarkKind, Words]>> = {
  'session.created': ['opening', ({ creator_id }, name) => `opened by ${name(creator_id)}`],
  'session.invite': ['invite', ({ agent_id }, name) => `${name(agent_id)} is invited`],
  'session.invite.ack': ['invite', ({ agent_id }, name) => `${name(agent_id)} accepted`],
  'session.invite.reject': ['invite', ({ agent_id, reason }, name) => `${name(agent_id)} declined${because(reason)}`],
  'session.opened': ['opening', () => 'active: enough have accepted'],
  'session.closing': ['close', ({ reason }) => `closing${because(reason)}`],
  'session.closed': ['close', ({ reason }) => `closed${because(reason)}`],
  'session.expired': ['close', ({ reason }) => `expired${because(reason)}`],
  'session.participant.joined': ['invite', ({ agent_id }, name) => `${name(agent_id)} joined`],
  'session.participant.hidden': [
    'hide',
    ({ agent_id, reason }, name) => `${name(agent_id)} is hidden${because(reason)}`,
  ],
  'session.participant.returned': ['hide', ({ agent_id }, name) => `${name(agent_id)} is back`],
  'session.participant.removed': ['hide', ({ agent_id, reason }, name) => `${name(agent_id)} is out${because(reason)}`],
  'session.available': ['other', () => 'available again'],
  'expectation.violated': ['violation', ({ name, detail }) => `${text(name)} was violated${because(detail)}`],
  'context.set': ['context', () => 'the context was changed'],
  'delegation.opened': ['task', () => 'something was delegated'],
  'delegation.settled': ['task', () => 'a delegation was settled'],
};

const HIDDEN = '(an operator has hidden it)';

/** null = it is something that was said, and nothing else. */
export function markOf(envelope: Envelope, names: ReadonlyMap<string, string>): Mark | null {
  const { seq, event_type, event_data } = envelope;
  const name = (id: Json | undefined): string => names.get(String(id)) ?? text(id);
  const governed = Object.hasOwn(GOVERNED, event_type) ? GOVERNED[event_type] : undefined;
  if (governed !== undefined) {
    const words = envelope.redacted === undefined ? governed[1](event_data, name(envelope.sender_id)) : HIDDEN;
    return { seq, kind: stopsRun(envelope) ? 'stop' : governed[0], text: words };
  }
  const known = Object.hasOwn(KINDS, event_type) ? KINDS[event_type] : undefined;
  if (known !== undefined) return { seq, kind: known[0], text: known[1](event_data, name) };
  const bid = bidIn(envelope);
  if (bid !== null) {
    const by = name(envelope.sender_id);
    const words = bid === 0 ? `${by} takes the hand down` : `${by} raises a hand: ${bid} of ${MOST_BID}`;
    return { seq, kind: 'hand', text: words };
  }
  if (event_type.startsWith('task.')) return { seq, kind: 'task', text: `${name(envelope.sender_id)}: ${event_type}` };
  if (!isContent(event_type)) return { seq, kind: 'other', text: event_type };
  const target = handoffTarget(envelope);
  return target === null ? null : { seq, kind: 'handoff', text: `handed over to ${target}` };
}

/** A packet may hand the turn to somebody by name. */
function handoffTarget({ event_type, event_data: { routing } }: Envelope): string | null {
  if (event_type !== 'msg.packet' || !isPlainObject(routing) || routing.kind !== 'handoff') return null;
  return text(routing.target);
}

/** What somebody bids for the next turn; null = it is something else. */
function bidIn({ event_type, event_data: { bid } }: Envelope): number | null {
  return event_type === 'hand.raise' && isBid(bid) ? bid : null;
}

/** It is drawn as a quiet line, and not as something somebody said. */
export function isQuiet(envelope: Envelope): boolean {
  const { event_type } = envelope;
  return !isContent(event_type) || Object.hasOwn(GOVERNED, event_type) || bidIn(envelope) !== null;
}

function because(reason: Json | undefined): string {
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
