/** What the rules of a workflow are made of: conditions and targets, named and versioned, pure like adapters. */

import type { FieldProblem } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Envelope } from '../records/session/envelope.ts';
import type { SessionMetadata } from '../records/session/session.ts';

/** A condition or a target by name, as a graph holds it. (A type, not an interface: it is JSON to the compiler too.) */
export type RuleRef = {
  readonly name: string;
  readonly args: JsonObject;
};

/** What conditions and targets look at: the session as it is after the envelope that is routed. */
export interface Routing {
  readonly metadata: SessionMetadata;
  readonly envelope: Envelope;
  /** Everyone who has a place in the rotation, in its order. */
  readonly order: readonly string[];
  readonly active: readonly string[];
  readonly creator_id: string;
  readonly turn_count: number;
  readonly context_vars: JsonObject;
}

/** Where a rule leads: to a speaker, who must be active for the rule to count, or to the end of the session. */
export type Destination =
  | { readonly kind: 'speaker'; readonly agent_id: string }
  | { readonly kind: 'end'; readonly reason: string };

/** What conditions and targets have in common. (name, version) is the behaviour; a session keeps the versions it began with. */
export interface RulePart {
  readonly name: string;
  readonly version: number;
  /** The arguments that name a participant or a list of them: they must be there, names become ids at create, strangers are refused. */
  readonly agents?: readonly string[];
  /** What is wrong with these arguments; `field` is the argument's name. null = nothing. Called at create. */
  checkArgs?(args: JsonObject): FieldProblem | null;
}

export interface Condition extends RulePart {
  /** The arguments that hold a condition or a list of conditions, which `test` decides. */
  readonly conditions?: readonly string[];
  /** Pure; a throw refuses the envelope that is routed. */
  holds(args: JsonObject, routing: Routing, test: (condition: RuleRef) => boolean): boolean;
}

export interface Target extends RulePart {
  /**
   * Pure; null = there is nobody to go to, and the rule does not count. A throw refuses the message that is routed. A
   * `default_target` is asked also when the hub passes a turn on: then the envelope is the hub's, and a throw counts as null.
   */
  choose(args: JsonObject, routing: Routing): Destination | null;
}

/** Registered parts by name: those a session uses, at the versions it was created with, or the newest of all. */
export interface Vocabulary {
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly targets: ReadonlyMap<string, Target>;
}

/** The names a session's knobs use. */
export interface UsedNames {
  readonly conditions: readonly string[];
  readonly targets: readonly string[];
}
