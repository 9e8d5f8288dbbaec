/** What has happened in a run, as its log tells it: accepted turns, decisions, what was said at gates, what it was blocked on. */

import { acceptedTurn, type Decision, decisionsOf, type TurnTaken } from './accepted-turn.ts';
import { own, recordsIn, textOr, type Unknowns } from './unknown-record.ts';

export interface SaidAtGate {
  readonly seq: number;
  readonly at: string;
  readonly gate: string | null;
  readonly said: 'approved' | 'refused';
  readonly by: string;
  readonly isPolicy: boolean;
  readonly words: string;
}

/** Why a run was stopped; whether it still is, the hub says. */
export interface Blocker {
  readonly seq: number;
  readonly at: string;
  readonly what: string;
  readonly detail: string;
  readonly owner: string | null;
  readonly action: string | null;
  /** A turn asks for a person. */
  readonly isQuestion: boolean;
  readonly resolved_at: string | null;
  readonly resolved_seq: number | null;
  readonly resolution: string | null;
}

export interface TurnRejected {
  readonly seq: number;
  readonly at: string;
  readonly turn_id: string;
  readonly reason: string;
  readonly errors: readonly string[];
}

/** A turn went out with what is asked in it: where that stands in the log. */
export interface TurnAsked {
  readonly seq: number;
  readonly turn_id: string;
}

export interface RunBook {
  readonly turns: readonly TurnTaken[];
  readonly decisions: readonly Decision[];
  readonly gates: readonly SaidAtGate[];
  readonly blockers: readonly Blocker[];
  readonly rejections: readonly TurnRejected[];
  readonly asked: readonly TurnAsked[];
  /** The newest envelope that is in it. */
  readonly seq: number;
}

export const NO_BOOK: RunBook = {
  turns: [],
  decisions: [],
  gates: [],
  blockers: [],
  rejections: [],
  asked: [],
  seq: 0,
};

/** As much of an envelope as is looked at. */
export interface LogEnvelope {
  readonly seq: number;
  readonly created_at: string;
  readonly sender_id: string;
  readonly event_type: string;
  readonly event_data: Unknowns;
  readonly redacted?: unknown;
}

export function bookOf(envelopes: readonly LogEnvelope[]): RunBook {
  return envelopes.reduce(withEnvelope, NO_BOOK);
}

/** In the order of the log; one that is in it already changes nothing, so what is read twice counts once. */
export function withEnvelope(book: RunBook, envelope: LogEnvelope): RunBook {
  if (envelope.seq <= book.seq) return book;
  const step = Object.hasOwn(STEPS, envelope.event_type) ? STEPS[envelope.event_type] : undefined;
  return { ...book, ...step?.(book, envelope), seq: envelope.seq };
}

type Step = (book: RunBook, envelope: LogEnvelope) => Partial<RunBook>;

const STEPS: Readonly<Record<string, Step>> = {
  'governed.imported': imported,
  'turn.dispatched': dispatched,
  'turn.accepted': accepted,
  'turn.rejected': rejected,
  'gate.approved': (book, envelope) => ({ gates: [...book.gates, saidAtGate(envelope, 'approved')] }),
  'gate.refused': (book, envelope) => ({ gates: [...book.gates, saidAtGate(envelope, 'refused')] }),
  'run.blocked': blocked,
  'run.escalated': escalated,
  'run.resolved': resolved,
  'run.answered': resolved,
};

/** A long past comes in parts, and elsewhere an entry may have been written twice. */
function imported(book: RunBook, { event_data, seq, created_at }: LogEnvelope): Partial<RunBook> {
  const known = new Set(book.turns.map(({ turn_id }) => turn_id));
  const turns = recordsIn(own(event_data, 'history'))
    .map((entry) => acceptedTurn(entry, { seq, at: textOr(own(entry, 'accepted_at'), created_at) }))
    .filter(({ turn_id }) => !known.has(turn_id) && known.add(turn_id));
  return {
    turns: [...book.turns, ...turns],
    decisions: withDecisions(book.decisions, decisionsOf(own(event_data, 'ledger'), { seq })),
  };
}

function dispatched(book: RunBook, { event_data, seq }: LogEnvelope): Partial<RunBook> {
  const turn_id = textOr(own(event_data, 'turn_id'), '?');
  // One that only says that it went out leaves what was asked before.
  const asks = textOr(own(event_data, 'prompt'), null) ?? textOr(own(event_data, 'context'), null);
  return asks === null ? {} : { asked: [...book.asked, { seq, turn_id }] };
}

function accepted(book: RunBook, { event_data, seq, created_at, redacted }: LogEnvelope): Partial<RunBook> {
  const turn_id = textOr(own(event_data, 'turn_id'), '?');
  const result = own(event_data, 'result');
  const turn = acceptedTurn(
    { ...(result as object), turn_id },
    { seq, at: created_at, isHidden: redacted !== undefined },
  );
  const decisions = decisionsOf(own(result, 'decisions'), { seq, turn_id, role: turn.role });
  const blocker = stoppedBy(turn, result);
  return {
    turns: [...book.turns, turn],
    decisions: withDecisions(book.decisions, decisions),
    blockers: blocker === null ? book.blockers : [...book.blockers, blocker],
  };
}

/** A turn may end with a question to a person, or with what stands in its way. */
function stoppedBy(turn: TurnTaken, result: unknown): Blocker | null {
  if (turn.status !== 'needs_human' && turn.status !== 'blocked') return null;
  const isQuestion = turn.status === 'needs_human';
  const detail = textOr(own(result, 'needs_human_reason'), turn.summary);
  return {
    ...OPEN,
    seq: turn.seq,
    at: turn.at,
    what: isQuestion ? `human:${detail}` : `turn:${turn.turn_id}`,
    detail,
    isQuestion,
  };
}

const OPEN = { owner: null, action: null, isQuestion: false, resolved_at: null, resolved_seq: null, resolution: null };

function withDecisions(before: readonly Decision[], added: readonly Decision[]): readonly Decision[] {
  if (added.length === 0) return before;
  const known = new Set(before.map(({ id }) => id));
  const all = [...before, ...added.filter(({ id }) => !known.has(id) && known.add(id))];
  const overriddenBy = new Map(
    all.flatMap(({ id, overrides }) => (overrides === null ? [] : [[overrides, id] as const])),
  );
  return all.map((one) =>
    overriddenBy.has(one.id) ? { ...one, overridden_by: overriddenBy.get(one.id) ?? null } : one,
  );
}

function rejected(book: RunBook, { event_data, seq, created_at: at }: LogEnvelope): Partial<RunBook> {
  const errors = own(event_data, 'errors');
  const rejection = {
    seq,
    at,
    turn_id: textOr(own(event_data, 'turn_id'), '?'),
    reason: textOr(own(event_data, 'reason'), ''),
    errors: Array.isArray(errors) ? errors.map(String) : [],
  };
  return { rejections: [...book.rejections, rejection] };
}

function saidAtGate(
  { event_data, seq, created_at: at, sender_id: by }: LogEnvelope,
  said: SaidAtGate['said'],
): SaidAtGate {
  return {
    seq,
    at,
    gate: textOr(own(event_data, 'gate'), null),
    said,
    by,
    isPolicy: own(event_data, 'via') === 'policy',
    words: textOr(own(event_data, said === 'approved' ? 'note' : 'reason'), ''),
  };
}

function blocked(book: RunBook, { event_data, seq, created_at: at }: LogEnvelope): Partial<RunBook> {
  const what = textOr(own(event_data, 'blocked_on'), '?');
  const blocker: Blocker = {
    ...OPEN,
    seq,
    at,
    what,
    detail: textOr(own(event_data, 'detail'), what),
    owner: textOr(own(event_data, 'owner'), null),
    action: textOr(own(event_data, 'recovery_action'), null),
    isQuestion: own(event_data, 'category') === 'needs_human' || what.startsWith('human:'),
  };
  return { blockers: [...book.blockers, blocker] };
}

function escalated(book: RunBook, { event_data, seq, created_at: at }: LogEnvelope): Partial<RunBook> {
  const reason = textOr(own(event_data, 'reason'), '?');
  const detail = textOr(own(event_data, 'detail'), reason);
  return { blockers: [...book.blockers, { ...OPEN, seq, at, what: `escalation: ${reason}`, detail }] };
}

function resolved(book: RunBook, { event_data, created_at, seq }: LogEnvelope): Partial<RunBook> {
  const resolution = textOr(own(event_data, 'note'), textOr(own(event_data, 'action'), 'resume'));
  return {
    blockers: book.blockers.map((one) =>
      one.resolved_at === null ? { ...one, resolved_at: created_at, resolved_seq: seq, resolution } : one,
    ),
  };
}
