/** Describes session events other than messages, as quiet lines of several kinds. Pure. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import { type Envelope, isContent } from '../../../core/records/session/envelope.ts';
import { GOVERNED, type GovernedMark, stopsRun } from './governed-text.ts';
import { firstSeq, type LogWindow } from './log-window.ts';
import { isBid, MAX_BID } from './raised-hands.ts';
import type { WholeLog } from './whole-log.ts';

type MarkKind =
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

interface Mark {
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
  'session.participant.removed': [
    'hide',
    ({ agent_id, reason }, name) => `${name(agent_id)} was removed${because(reason)}`,
  ],
  'session.available': ['other', () => 'available again'],
  'expectation.violated': ['violation', ({ name, detail }) => `${text(name)} was violated${because(detail)}`],
  'context.set': ['context', () => 'the context was changed'],
  'delegation.opened': ['task', () => 'a delegation was opened'],
  'delegation.settled': ['task', () => 'a delegation was settled'],
};

const REDACTED = '(redacted by an operator)';

/** null for a plain message. */
export function markOf(envelope: Envelope, names: ReadonlyMap<string, string>): Mark | null {
  const { seq, event_type, event_data } = envelope;
  const name = (id: Json | undefined): string => names.get(String(id)) ?? text(id);
  const governed = Object.hasOwn(GOVERNED, event_type) ? GOVERNED[event_type] : undefined;
  if (governed !== undefined) {
    const words = envelope.redacted === undefined ? governed[1](event_data, name(envelope.sender_id)) : REDACTED;
    return { seq, kind: stopsRun(envelope) ? 'stop' : governed[0], text: words };
  }
  const known = Object.hasOwn(KINDS, event_type) ? KINDS[event_type] : undefined;
  if (known !== undefined) return { seq, kind: known[0], text: known[1](event_data, name) };
  const bid = bidIn(envelope);
  if (bid !== null) {
    const by = name(envelope.sender_id);
    return {
      seq,
      kind: 'hand',
      text: bid === 0 ? `${by} lowers the hand` : `${by} raises a hand: ${bid} of ${MAX_BID}`,
    };
  }
  if (event_type.startsWith('task.')) return { seq, kind: 'task', text: `${name(envelope.sender_id)}: ${event_type}` };
  if (!isContent(event_type)) return { seq, kind: 'other', text: event_type };
  const target = handoffTarget(envelope);
  return target === null ? null : { seq, kind: 'handoff', text: `handed over to ${target}` };
}

/** The target that a packet hands the turn to; null if the packet is not a handoff. */
function handoffTarget({ event_type, event_data: { routing } }: Envelope): string | null {
  if (event_type !== 'msg.packet' || !isPlainObject(routing) || routing.kind !== 'handoff') return null;
  return text(routing.target);
}

/** The bid for the next turn; null if there is none. */
function bidIn({ event_type, event_data: { bid } }: Envelope): number | null {
  return event_type === 'hand.raise' && isBid(bid) ? bid : null;
}

/** True if drawn as a quiet line, not as a message. */
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

export type MarkAt = Pick<Mark, 'seq' | 'kind'>;

/** More marks than a screen has columns; older ones are dropped. */
export const MAX_MARKS = 5000;
const NOBODY: ReadonlyMap<string, string> = new Map();

export function withMarks(marks: readonly MarkAt[], envelopes: readonly Envelope[]): readonly MarkAt[] {
  const fresh = envelopes.flatMap((envelope) => {
    const mark = markOf(envelope, NOBODY);
    return mark === null ? [] : [{ seq: mark.seq, kind: mark.kind }];
  });
  if (fresh.length === 0) return marks;
  const known = new Map([...marks, ...fresh].map((mark) => [mark.seq, mark]));
  if (known.size === marks.length) return marks;
  return [...known.values()].sort((one, other) => one.seq - other.seq).slice(-MAX_MARKS);
}

/** The seq from which the marks are complete; 1 if all are known. */
export function marksFrom(marks: readonly MarkAt[], log: LogWindow, whole: WholeLog | null): number {
  const held = log.hasEarlier ? firstSeq(log) : 1;
  const read = whole?.isWhole === true ? Math.min(held, whole.from) : held;
  return marks.length < MAX_MARKS ? read : Math.max(read, marks[0]?.seq ?? 1);
}

/** The nearest mark before or after a seq; null if there is none. */
export function nearestMark(marks: readonly MarkAt[], seq: number, direction: 'before' | 'behind'): MarkAt | null {
  if (direction === 'behind') return marks.find((mark) => mark.seq > seq) ?? null;
  return marks.findLast((mark) => mark.seq < seq) ?? null;
}
