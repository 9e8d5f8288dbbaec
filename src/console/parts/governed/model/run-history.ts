/** What has happened in a run, as its log tells it: accepted turns, decisions, what was said at gates, what it was blocked on. */

import { getOwn, recordsFrom, textOr, type UnknownRecord } from '../../../lib/unknown-record.ts';
import { type AcceptedTurnModel, acceptedTurn, type Decision, decisionsOf } from './accepted-turn.ts';

interface SaidAtGate {
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

interface TurnRejected {
  readonly seq: number;
  readonly at: string;
  readonly turn_id: string;
  readonly reason: string;
  readonly errors: readonly string[];
}

/** A turn went out with what is asked in it: where that stands in the log. */
interface TurnAsked {
  readonly seq: number;
  readonly turn_id: string;
}

export interface RunHistory {
  readonly turns: readonly AcceptedTurnModel[];
  readonly decisions: readonly Decision[];
  readonly gates: readonly SaidAtGate[];
  readonly blockers: readonly Blocker[];
  readonly rejections: readonly TurnRejected[];
  readonly asked: readonly TurnAsked[];
  /** The newest envelope that is in it. */
  readonly seq: number;
}

export const EMPTY_HISTORY: RunHistory = {
  turns: [],
  decisions: [],
  gates: [],
  blockers: [],
  rejections: [],
  asked: [],
  seq: 0,
};

/** As much of an envelope as is looked at. */
interface LogEnvelope {
  readonly seq: number;
  readonly created_at: string;
  readonly sender_id: string;
  readonly event_type: string;
  readonly event_data: UnknownRecord;
  readonly redacted?: unknown;
}

export function toRunHistory(envelopes: readonly LogEnvelope[]): RunHistory {
  return envelopes.reduce(withEnvelope, EMPTY_HISTORY);
}

/** In the order of the log; one that is in it already changes nothing, so what is read twice counts once. */
export function withEnvelope(book: RunHistory, envelope: LogEnvelope): RunHistory {
  if (envelope.seq <= book.seq) return book;
  const step = Object.hasOwn(STEPS, envelope.event_type) ? STEPS[envelope.event_type] : undefined;
  return { ...book, ...step?.(book, envelope), seq: envelope.seq };
}

type Step = (book: RunHistory, envelope: LogEnvelope) => Partial<RunHistory>;

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
function imported(book: RunHistory, { event_data, seq, created_at }: LogEnvelope): Partial<RunHistory> {
  const known = new Set(book.turns.map(({ turn_id }) => turn_id));
  const turns = recordsFrom(getOwn(event_data, 'history'))
    .map((entry) => acceptedTurn(entry, { seq, at: textOr(getOwn(entry, 'accepted_at'), created_at) }))
    .filter(({ turn_id }) => !known.has(turn_id) && known.add(turn_id));
  return {
    turns: [...book.turns, ...turns],
    decisions: withDecisions(book.decisions, decisionsOf(getOwn(event_data, 'ledger'), { seq })),
  };
}

function dispatched(book: RunHistory, { event_data, seq }: LogEnvelope): Partial<RunHistory> {
  const turn_id = textOr(getOwn(event_data, 'turn_id'), '?');
  // One that only says that it went out leaves what was asked before.
  const asks = textOr(getOwn(event_data, 'prompt'), null) ?? textOr(getOwn(event_data, 'context'), null);
  return asks === null ? {} : { asked: [...book.asked, { seq, turn_id }] };
}

function accepted(book: RunHistory, { event_data, seq, created_at, redacted }: LogEnvelope): Partial<RunHistory> {
  const turn_id = textOr(getOwn(event_data, 'turn_id'), '?');
  const result = getOwn(event_data, 'result');
  const turn = acceptedTurn(
    { ...(result as object), turn_id },
    { seq, at: created_at, isHidden: redacted !== undefined },
  );
  const decisions = decisionsOf(getOwn(result, 'decisions'), { seq, turn_id, role: turn.role });
  const blocker = stoppedBy(turn, result);
  return {
    turns: [...book.turns, turn],
    decisions: withDecisions(book.decisions, decisions),
    blockers: blocker === null ? book.blockers : [...book.blockers, blocker],
  };
}

/** A turn may end with a question to a person, or with what stands in its way. */
function stoppedBy(turn: AcceptedTurnModel, result: unknown): Blocker | null {
  if (turn.status !== 'needs_human' && turn.status !== 'blocked') return null;
  const isQuestion = turn.status === 'needs_human';
  const detail = textOr(getOwn(result, 'needs_human_reason'), turn.summary);
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

function rejected(book: RunHistory, { event_data, seq, created_at: at }: LogEnvelope): Partial<RunHistory> {
  const errors = getOwn(event_data, 'errors');
  const rejection = {
    seq,
    at,
    turn_id: textOr(getOwn(event_data, 'turn_id'), '?'),
    reason: textOr(getOwn(event_data, 'reason'), ''),
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
    gate: textOr(getOwn(event_data, 'gate'), null),
    said,
    by,
    isPolicy: getOwn(event_data, 'via') === 'policy',
    words: textOr(getOwn(event_data, said === 'approved' ? 'note' : 'reason'), ''),
  };
}

function blocked(book: RunHistory, { event_data, seq, created_at: at }: LogEnvelope): Partial<RunHistory> {
  const what = textOr(getOwn(event_data, 'blocked_on'), '?');
  const blocker: Blocker = {
    ...OPEN,
    seq,
    at,
    what,
    detail: textOr(getOwn(event_data, 'detail'), what),
    owner: textOr(getOwn(event_data, 'owner'), null),
    action: textOr(getOwn(event_data, 'recovery_action'), null),
    isQuestion: getOwn(event_data, 'category') === 'needs_human' || what.startsWith('human:'),
  };
  return { blockers: [...book.blockers, blocker] };
}

function escalated(book: RunHistory, { event_data, seq, created_at: at }: LogEnvelope): Partial<RunHistory> {
  const reason = textOr(getOwn(event_data, 'reason'), '?');
  const detail = textOr(getOwn(event_data, 'detail'), reason);
  return { blockers: [...book.blockers, { ...OPEN, seq, at, what: `escalation: ${reason}`, detail }] };
}

function resolved(book: RunHistory, { event_data, created_at, seq }: LogEnvelope): Partial<RunHistory> {
  const resolution = textOr(getOwn(event_data, 'note'), textOr(getOwn(event_data, 'action'), 'resume'));
  return {
    blockers: book.blockers.map((one) =>
      one.resolved_at === null ? { ...one, resolved_at: created_at, resolved_seq: seq, resolution } : one,
    ),
  };
}

export function historyAt(book: RunHistory, atSeq: number): RunHistory {
  if (atSeq >= book.seq) return book;
  const isThen = ({ seq }: { readonly seq: number }): boolean => seq <= atSeq;
  return {
    turns: book.turns.filter(isThen),
    decisions: decisionsThen(book.decisions, isThen),
    gates: book.gates.filter(isThen),
    blockers: book.blockers.filter(isThen).map((one) => blockerThen(one, atSeq)),
    rejections: book.rejections.filter(isThen),
    asked: book.asked.filter(isThen),
    seq: atSeq,
  };
}

/** Whatever overrides a decision later did not then. */
function decisionsThen(all: readonly Decision[], isThen: (one: Decision) => boolean): readonly Decision[] {
  const then = all.filter(isThen);
  const overriders = (some: readonly Decision[]) =>
    new Map(some.flatMap(({ id, overrides }) => (overrides === null ? [] : [[overrides, id] as const])));
  const [now, before] = [overriders(all), overriders(then)];
  return then.map((one) => {
    const by = before.get(one.id) ?? null;
    // What another place said of a decision it brought along is no business of this log.
    if (by === one.overridden_by || (by === null && !now.has(one.id))) return one;
    return { ...one, overridden_by: by };
  });
}

function blockerThen(one: Blocker, atSeq: number): Blocker {
  if (one.resolved_seq === null || one.resolved_seq <= atSeq) return one;
  return { ...one, resolved_at: null, resolved_seq: null, resolution: null };
}
