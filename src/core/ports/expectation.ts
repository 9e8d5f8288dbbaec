/** The contracts of expectations: evaluators say what is waited for and until when, handlers what happens when it is not met. */

import type { FieldProblem } from '../lib/errors.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import type { Envelope, Turn } from '../records/session/envelope.ts';
import type { ExpectationEntry, SessionMetadata } from '../records/session/session.ts';

/** Something that is waited for: it is a violation from `due_ms` on. An entry has one of each agent at most; `since_seq` tells it from earlier ones. */
export interface Wait {
  /** Who must act; null = anybody, the violator is the session. */
  readonly agent_id: string | null;
  /** The envelope it began with. */
  readonly since_seq: number;
  readonly since_ms: number;
  readonly due_ms: number;
}

/** What an evaluator looks at: the session as it is after its last envelope. */
export interface WaitContext {
  readonly metadata: SessionMetadata;
  readonly turn: Turn | null;
  readonly pacing: TimingFacts;
  /** The adapter's own. */
  readonly adapter_state: unknown;
  readonly params: JsonObject;
}

/**
 * Pure like an adapter, and cheap. (name, version) is the behaviour; a session keeps the versions it began with. A throw is
 * contained and audited: only its entry is not met. One kind waits, the other looks at what was accepted.
 */
export type Evaluator = TimedEvaluator | AcceptEvaluator;

interface AnyEvaluator {
  readonly name: string;
  readonly version: number;
  /** What is wrong with these parameters; `field` is the parameter's name. null = nothing. Called at create. */
  checkParams(params: JsonObject): FieldProblem | null;
}

/** Says what is waited for, and until when: it is asked after every envelope, and again when something is due. */
export interface TimedEvaluator extends AnyEvaluator {
  /** What it has not tells the two kinds apart. */
  readonly fold?: undefined;
  /** The first unanswered content of everyone is kept for it: it costs something for each participant. */
  readonly needsUnanswered?: boolean;
  /** Its waits are the session's, `agent_id` null: an entry of it cannot have `applies_to`. */
  readonly violator?: 'session';
  /** What is waited for now. Waits that have fired, and those of others than `applies_to` says, are left out by the hub. */
  waits(context: WaitContext): readonly Wait[];
  /** The violation in words, for the log and for views. */
  describe?(violated: readonly Wait[], context: WaitContext): string;
}

/** Content that was accepted; metadata is as of it. */
export interface AcceptedContent {
  readonly envelope: Envelope;
  readonly metadata: SessionMetadata;
  readonly params: JsonObject;
}

/** The session right after it, with what the evaluator kept before and after. */
export interface AcceptContext extends AcceptedContent, WaitContext {
  readonly before: Json | null;
  readonly tally: Json | null;
}

/**
 * Looks at content right after it was accepted, and only then: a violation is in the unit of that envelope, which is its
 * `since_seq`. Of an entry with `applies_to` it sees what those say to whom it applies, and nothing else.
 */
export interface AcceptEvaluator extends AnyEvaluator {
  readonly waits?: undefined;
  readonly violator?: undefined;
  /** It also sees `delegation.settled`, which says what was spent elsewhere for this session. */
  readonly settlements?: boolean;
  /**
   * What it keeps of the session after this content: JSON that does not grow with the session; null = nothing yet. Called once for
   * each, live and on replay. A throw keeps what there was.
   */
  fold(tally: Json | null, accepted: AcceptedContent): Json | null;
  /** Who violates it with this envelope; null = the session. Empty = nobody does. It says itself how often it fires. */
  violators(context: AcceptContext): readonly (string | null)[];
  /** The violation in words, for the log and for views. */
  describe?(violators: readonly (string | null)[], context: AcceptContext): string;
}

export function isTimed(evaluator: Evaluator): evaluator is TimedEvaluator {
  return evaluator.fold === undefined;
}

export interface Violator {
  /** null = the session. */
  readonly agent_id: string | null;
  readonly since_seq: number;
}

/** What `expectation.violated` says. */
export interface Violation {
  /** The place of the entry in the session's list. */
  readonly entry: number;
  readonly name: string;
  readonly violators: readonly Violator[];
  /** When the first of them was due; when it was accepted, if content violates it. */
  readonly due_at: string;
  readonly on_violation: string;
  readonly detail: string;
}

/** What a handler may cause, as data: the hub carries it out in the unit of the violation. What has no effect is left out. */
export type HandlerEffect =
  /** The violation itself is delivered; without this it is only in the log. Violators that are the session are everyone. */
  | { readonly kind: 'deliver'; readonly to: 'violators' | 'everyone' }
  | { readonly kind: 'hide' | 'remove'; readonly agent_id: string }
  | { readonly kind: 'close'; readonly reason: string };

/** Pure. A throw is contained and audited; the entry is tried again later. */
export interface ViolationHandler {
  readonly name: string;
  readonly version: number;
  /** It does nothing where the violator is the session: who combines the two is warned. */
  readonly needsParticipant?: boolean;
  act(violation: Violation, metadata: SessionMetadata): readonly HandlerEffect[];
}

/** One entry of a session's list, with what it names. */
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

/** null = nothing is expected. */
export function toExpectationSet(entries: readonly BoundExpectation[]): ExpectationSet | null {
  if (entries.length === 0) return null;
  const timed = entries.filter((watched): watched is TimedEntry => isTimed(watched.evaluator));
  const accepting = entries.filter((watched): watched is AcceptEntry => !isTimed(watched.evaluator));
  const needsUnanswered = timed.some(({ evaluator }) => evaluator.needsUnanswered === true);
  return { timed, accepting, needsUnanswered };
}

/** An envelope, and when it was accepted. */
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

/** A turn whose holder said that it cannot take it, and where it said so. */
export interface FailedTurn extends HeldTurn {
  readonly seq: number;
}

export interface TimingFacts {
  readonly created: AcceptedAt | null;
  readonly opened: AcceptedAt | null;
  readonly content: AcceptedAt | null;
  /** The expected speaker, since when, and when it said that it could not. */
  readonly turn: HeldTurn | null;
  readonly failed: FailedTurn | null;
  /** The first content each active participant was addressed by since it last said something. Kept only where it is needed. */
  readonly unanswered: readonly PendingReply[];
  /** When each participant last said that it is at work. */
  readonly progress: Readonly<Record<string, number>>;
  /** By entry, by agent ("" = the session): the wait that has fired last. */
  readonly fired: readonly Readonly<Record<string, number>>[];
  /** What each evaluator that looks at what is accepted keeps, in the order of their entries. */
  readonly tallies: readonly (Json | null)[];
}
