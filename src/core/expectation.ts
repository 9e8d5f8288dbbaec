/** The contracts of expectations: evaluators say what is waited for and until when, handlers what happens when it is not met. */

import type { Turn } from './envelope.ts';
import type { FieldProblem } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Pacing } from './pacing.ts';
import type { ExpectationEntry, SessionMetadata } from './session.ts';

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
  readonly pacing: Pacing;
  /** The adapter's own. */
  readonly adapter_state: unknown;
  readonly params: JsonObject;
}

/**
 * Pure like an adapter, and cheap: it is asked after every envelope, and again when something is due. (name, version) is
 * the behaviour; a session keeps the versions it began with. A throw is contained and audited: only its entry is not met.
 */
export interface Evaluator {
  readonly name: string;
  readonly version: number;
  /** The first unanswered content of everyone is kept for it: it costs something for each participant. */
  readonly needsUnanswered?: boolean;
  /** Its waits are the session's, `agent_id` null: an entry of it cannot have `applies_to`. */
  readonly violator?: 'session';
  /** What is wrong with these parameters; `field` is the parameter's name. null = nothing. Called at create. */
  checkParams(params: JsonObject): FieldProblem | null;
  /** What is waited for now. Waits that have fired, and those of others than `applies_to` says, are left out by the hub. */
  waits(context: WaitContext): readonly Wait[];
  /** The violation in words, for the log and for views. */
  describe?(violated: readonly Wait[], context: WaitContext): string;
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
  /** When the first of them was due. */
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
export interface WatchedEntry {
  readonly index: number;
  readonly entry: ExpectationEntry;
  readonly evaluator: Evaluator;
  readonly handler: ViolationHandler;
}

/** The expectations of one session, ready to run. */
export interface Watch {
  readonly entries: readonly WatchedEntry[];
  readonly needsUnanswered: boolean;
}

/** null = nothing is expected. */
export function watchOf(entries: readonly WatchedEntry[]): Watch | null {
  if (entries.length === 0) return null;
  return { entries, needsUnanswered: entries.some(({ evaluator }) => evaluator.needsUnanswered === true) };
}
