/** What happens to a session beside what is said in it, as quiet lines and as marks of a timeline. Pure. */

import type { Envelope } from '../../core/envelope.ts';
import { isContent } from '../../core/envelope.ts';
import { isPlainObject, type Json } from '../../core/json.ts';
import { GOVERNED, type GovernedMark } from './governed-words.ts';

export type MarkKind =
  | 'opening'
  | 'invite'
  | 'handoff'
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
    return { seq, kind: governed[0], text: words };
  }
  const known = Object.hasOwn(KINDS, event_type) ? KINDS[event_type] : undefined;
  if (known !== undefined) return { seq, kind: known[0], text: known[1](event_data, name) };
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

/** It is drawn as a quiet line, and not as something somebody said. */
export function isQuiet({ event_type }: Envelope): boolean {
  return !isContent(event_type) || Object.hasOwn(GOVERNED, event_type);
}

function because(reason: Json | undefined): string {
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Marks are kept for the timeline; of a long session those are that were seen last. */
const MOST_MARKS = 400;

export function withMarks(
  marks: readonly Mark[],
  envelopes: readonly Envelope[],
  names: ReadonlyMap<string, string>,
): readonly Mark[] {
  const known = new Set(marks.map(({ seq }) => seq));
  const fresh = envelopes.flatMap((envelope) => {
    const mark = known.has(envelope.seq) ? null : markOf(envelope, names);
    known.add(envelope.seq);
    return mark === null ? [] : [mark];
  });
  if (fresh.length === 0) return marks;
  return [...marks, ...fresh].sort((one, other) => one.seq - other.seq).slice(-MOST_MARKS);
}

/** The mark before or behind a seq; null = there is none. */
export function nearestMark(marks: readonly Mark[], seq: number, direction: 'before' | 'behind'): Mark | null {
  if (direction === 'behind') return marks.find((mark) => mark.seq > seq) ?? null;
  return marks.findLast((mark) => mark.seq < seq) ?? null;
}
