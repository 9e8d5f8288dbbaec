/** The contracts of expectations: evaluators compute waits and deadlines, handlers act on violations. */

import type { FieldProblem } from '../lib/errors.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import type { Envelope, Turn } from '../records/session/envelope.ts';
import type { ExpectationEntry, SessionMetadata } from '../records/session/session.ts';

/** An obligation that becomes a violation at `due_ms`; an entry has at most one per agent, identified by `since_seq`. */
export interface Wait {
  /** The agent that must act; null if anybody may, and the session is the violator. */
  readonly agent_id: string | null;
  /** The seq of the envelope that started the wait. */
  readonly since_seq: number;
  readonly since_ms: number;
  readonly due_ms: number;
}

/** Evaluator input: the session after its last envelope. */
export interface WaitContext {
  readonly metadata: SessionMetadata;
  readonly turn: Turn | null;
  readonly pacing: TimingFacts;
  readonly adapter_state: unknown;
  readonly params: JsonObject;
}

/** Pure like an adapter, and cheap. (name, version) fixes the behaviour; a session keeps the versions it was created with.
 * If it throws, the hub audits the error and skips only that entry. */
export type Evaluator = TimedEvaluator | AcceptEvaluator;

interface AnyEvaluator {
  readonly name: string;
  readonly version: number;
  /** Validates parameters at create; returns null if valid, else the problem with the parameter's name as `field`. */
  checkParams(params: JsonObject): FieldProblem | null;
}

/** Computes waits with deadlines. Called after every envelope, and again when a deadline is due. */
export interface TimedEvaluator extends AnyEvaluator {
  /** Distinguishes timed evaluators from accept evaluators, which have `fold`. */
  readonly fold?: undefined;
  /** Makes the hub keep the first unanswered content per participant, which costs memory. */
  readonly needsUnanswered?: boolean;
  /** All waits belong to the session (`agent_id` null): `applies_to` is not allowed. */
  readonly violator?: 'session';
  /** Returns the current waits. The hub drops those that have fired and those outside `applies_to`. */
  waits(context: WaitContext): readonly Wait[];
  /** Describes the violation for logs and views. */
  describe?(violated: readonly Wait[], context: WaitContext): string;
}

/** Accepted content, with metadata that already includes it. */
export interface AcceptedContent {
  readonly envelope: Envelope;
  readonly metadata: SessionMetadata;
  readonly params: JsonObject;
}

/** The session after the content, with the evaluator's tally before and after it. */
export interface AcceptContext extends AcceptedContent, WaitContext {
  readonly before: Json | null;
  readonly tally: Json | null;
}

/** Checks content when it is accepted: a violation is in the same unit, and the envelope is its `since_seq`. Sees only
 * content of the participants in `applies_to`, if set. */
export interface AcceptEvaluator extends AnyEvaluator {
  readonly waits?: undefined;
  readonly violator?: undefined;
  /** Makes the hub also pass `delegation.settled`, which reports money spent in a child session. */
  readonly settlements?: boolean;
  /** The tally after this content: JSON that does not grow with the session; null if nothing is counted yet. Called once
   * per envelope, live and on replay. If it throws, the previous tally stays. */
  fold(tally: Json | null, accepted: AcceptedContent): Json | null;
  /** The violators of this envelope (null = the session); empty if none. The evaluator decides how often it fires. */
  violators(context: AcceptContext): readonly (string | null)[];
  /** Describes the violation for logs and views. */
  describe?(violators: readonly (string | null)[], context: AcceptContext): string;
}

export function isTimed(evaluator: Evaluator): evaluator is TimedEvaluator {
  return evaluator.fold === undefined;
}

export interface Violator {
  /** null if the session is the violator. */
  readonly agent_id: string | null;
  readonly since_seq: number;
}

/** The data of `expectation.violated`. */
export interface Violation {
  /** Index of the entry in the session's list of expectations. */
  readonly entry: number;
  readonly name: string;
  readonly violators: readonly Violator[];
  /** When the first wait was due; for content, when the hub accepted it. */
  readonly due_at: string;
  readonly on_violation: string;
  readonly detail: string;
}

/** A handler's action as data. The hub applies it in the unit of the violation; actions without effect are skipped. */
export type HandlerEffect =
  /** Delivers the violation, which is otherwise only logged. If the session is a violator, everyone receives it. */
  | { readonly kind: 'deliver'; readonly to: 'violators' | 'everyone' }
  | { readonly kind: 'hide' | 'remove'; readonly agent_id: string }
  | { readonly kind: 'close'; readonly reason: string };

/** Pure. If `act` throws, the hub audits the error and retries the entry later. */
export interface ViolationHandler {
  readonly name: string;
  readonly version: number;
  /** Has no effect if the session is the violator; the hub warns about such an entry at create. */
  readonly needsParticipant?: boolean;
  act(violation: Violation, metadata: SessionMetadata): readonly HandlerEffect[];
}

/** An entry of a session's list with its evaluator and handler. */
export interface BoundExpectation<Kind extends Evaluator = Evaluator> {
  readonly index: number;
  readonly entry: ExpectationEntry;
  readonly evaluator: Kind;
  readonly handler: ViolationHandler;
}

export type TimedEntry = BoundExpectation<TimedEvaluator>;
export type AcceptEntry = BoundExpectation<AcceptEvaluator>;

/** The expectations of one session, ready to run. */
export interface ExpectationSet {
  readonly timed: readonly TimedEntry[];
  readonly accepting: readonly AcceptEntry[];
  readonly needsUnanswered: boolean;
}

/** Groups the entries by kind of evaluator; null if the session has no expectations. */
export function toExpectationSet(entries: readonly BoundExpectation[]): ExpectationSet | null {
  if (entries.length === 0) return null;
  const timed = entries.filter((watched): watched is TimedEntry => isTimed(watched.evaluator));
  const accepting = entries.filter((watched): watched is AcceptEntry => !isTimed(watched.evaluator));
  const needsUnanswered = timed.some(({ evaluator }) => evaluator.needsUnanswered === true);
  return { timed, accepting, needsUnanswered };
}

/** An envelope and its acceptance time. */
export interface AcceptedAt {
  readonly seq: number;
  readonly at: number;
}

export interface PendingReply extends AcceptedAt {
  readonly agent_id: string;
}

export interface HeldTurn {
  readonly agent_id: string;
  readonly since_seq: number;
  readonly at: number;
}

/** A turn that its holder reported as failed, and the seq of that report. */
export interface FailedTurn extends HeldTurn {
  readonly seq: number;
}

export interface TimingFacts {
  readonly created: AcceptedAt | null;
  readonly opened: AcceptedAt | null;
  readonly content: AcceptedAt | null;
  /** The current holder and when its turn started; null if nobody holds the turn. */
  readonly turn: HeldTurn | null;
  readonly failed: FailedTurn | null;
  /** The first content addressed to each active participant since it last posted. Kept only for `needsUnanswered`. */
  readonly unanswered: readonly PendingReply[];
  /** When each participant last reported progress. */
  readonly progress: Readonly<Record<string, number>>;
  /** The `since_seq` of the last wait that fired, by entry and agent ("" = the session). */
  readonly fired: readonly Readonly<Record<string, number>>[];
  /** The tallies of the accept evaluators, in the order of their entries. */
  readonly tallies: readonly (Json | null)[];
}
