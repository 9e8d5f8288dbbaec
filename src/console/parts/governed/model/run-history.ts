/** Folds the log of a run into its history: accepted turns, decisions, gate answers and blockers. */

import { getOwn, recordsFrom, textOr, type UnknownRecord } from '../../../lib/unknown-record.ts';
import { type AcceptedTurnModel, acceptedTurn, type Decision, decisionsOf } from './accepted-turn.ts';

/** Why a run stopped. Only the hub knows whether it is still blocked. */
export interface Blocker {
  readonly seq: number;
  readonly at: string;
  readonly what: string;
  readonly detail: string;
  readonly owner: string | null;
  readonly action: string | null;
  /** True if a person must answer a question. */
  readonly isQuestion: boolean;
  readonly resolved_at: string | null;
  readonly resolved_seq: number | null;
  readonly resolution: string | null;
}

export interface RunHistory {
  readonly turns: readonly AcceptedTurnModel[];
  readonly decisions: readonly Decision[];
  readonly gates: readonly Readonly<ReturnType<typeof answerAtGate>>[];
  readonly blockers: readonly Blocker[];
  readonly rejections: readonly Readonly<ReturnType<typeof rejectionIn>>[];
  /** The dispatches that contain a prompt or context. */
  readonly asked: readonly { readonly seq: number; readonly turn_id: string }[];
  /** The seq of the newest folded envelope. */
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

/** The envelope members used here. */
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

/** Folds one envelope, in log order. Skips an envelope that is already folded. */
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
  'turn.rejected': (book, envelope) => ({ rejections: [...book.rejections, rejectionIn(envelope)] }),
  'gate.approved': (book, envelope) => ({ gates: [...book.gates, answerAtGate(envelope, 'approved')] }),
  'gate.refused': (book, envelope) => ({ gates: [...book.gates, answerAtGate(envelope, 'refused')] }),
  'run.blocked': blocked,
  'run.escalated': escalated,
  'run.resolved': resolved,
  'run.answered': resolved,
};

/** Skips known entries: a long history is imported in parts, which may contain duplicates. */
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
  // A dispatch without prompt and context does not replace the earlier prompt.
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

/** The blocker that an accepted turn reports; null unless it ended blocked or with a question to a person. */
function stoppedBy(turn: AcceptedTurnModel, result: unknown): Blocker | null {
  if (turn.status !== 'needs_human' && turn.status !== 'blocked') return null;
  const isQuestion = turn.status === 'needs_human';
  const detail = textOr(getOwn(result, 'needs_human_reason'), turn.summary);
  return {
    ...OPEN_BLOCKER,
    seq: turn.seq,
    at: turn.at,
    what: isQuestion ? `human:${detail}` : `turn:${turn.turn_id}`,
    detail,
    isQuestion,
  };
}

export const OPEN_BLOCKER = {
  owner: null,
  action: null,
  isQuestion: false,
  resolved_at: null,
  resolved_seq: null,
  resolution: null,
};

function withDecisions(before: readonly Decision[], added: readonly Decision[]): readonly Decision[] {
  if (added.length === 0) return before;
  const known = new Set(before.map(({ id }) => id));
  const all = [...before, ...added.filter(({ id }) => !known.has(id) && known.add(id))];
  const overrides = overridesIn(all);
  return all.map((one) => ({ ...one, overridden_by: overrides.get(one.id) ?? one.overridden_by }));
}

/** Maps the id of each overridden decision to the id of the overriding one. */
function overridesIn(decisions: readonly Decision[]): ReadonlyMap<string, string> {
  return new Map(decisions.flatMap(({ id, overrides }) => (overrides === null ? [] : [[overrides, id] as const])));
}

function rejectionIn({ event_data, seq, created_at: at }: LogEnvelope) {
  const errors = getOwn(event_data, 'errors');
  return {
    seq,
    at,
    turn_id: textOr(getOwn(event_data, 'turn_id'), '?'),
    reason: textOr(getOwn(event_data, 'reason'), ''),
    errors: Array.isArray(errors) ? errors.map(String) : [],
  };
}

function answerAtGate({ event_data, seq, created_at: at, sender_id: by }: LogEnvelope, said: 'approved' | 'refused') {
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
    ...OPEN_BLOCKER,
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
  return { blockers: [...book.blockers, { ...OPEN_BLOCKER, seq, at, what: `escalation: ${reason}`, detail }] };
}

function resolved(book: RunHistory, { event_data, created_at, seq }: LogEnvelope): Partial<RunHistory> {
  const resolution = textOr(getOwn(event_data, 'note'), textOr(getOwn(event_data, 'action'), 'resume'));
  return {
    blockers: book.blockers.map((one) =>
      one.resolved_at === null ? { ...one, resolved_at: created_at, resolved_seq: seq, resolution } : one,
    ),
  };
}

/** The history as of an earlier seq. */
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

/** Removes overrides made later. An imported `overridden_by` stays unless this log overrides the decision. */
function decisionsThen(all: readonly Decision[], isThen: (one: Decision) => boolean): readonly Decision[] {
  const then = all.filter(isThen);
  const [overridesNow, overridesThen] = [overridesIn(all), overridesIn(then)];
  return then.map((one) =>
    overridesNow.has(one.id) ? { ...one, overridden_by: overridesThen.get(one.id) ?? null } : one,
  );
}

function blockerThen(one: Blocker, atSeq: number): Blocker {
  if (one.resolved_seq === null || one.resolved_seq <= atSeq) return one;
  return { ...one, resolved_at: null, resolved_seq: null, resolution: null };
}
