/** The parts of workflow rules: named and versioned conditions and targets, pure like adapters. */

import type { FieldProblem } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Envelope } from '../records/session/envelope.ts';
import type { SessionMetadata } from '../records/session/session.ts';

/** A condition or target as stored in a graph. A type, not an interface, so that it is assignable to JSON. */
export type RuleRef = {
  readonly name: string;
  readonly args: JsonObject;
};

/** The input of conditions and targets: the session after the routed envelope. */
export interface Routing {
  readonly metadata: SessionMetadata;
  readonly envelope: Envelope;
  /** All participants in the rotation, in order. */
  readonly order: readonly string[];
  readonly active: readonly string[];
  readonly creator_id: string;
  readonly turn_count: number;
  readonly context_vars: JsonObject;
}

/** The result of a target: a speaker, who must be active for the rule to apply, or the end of the session. */
export type Destination =
  | { readonly kind: 'speaker'; readonly agent_id: string }
  | { readonly kind: 'end'; readonly reason: string };

/** Common to conditions and targets. (name, version) fixes the behaviour; a session keeps the versions it was created with. */
export interface RulePart {
  readonly name: string;
  readonly version: number;
  /** Required arguments that name participants: resolved to ids at create; unknown names are rejected. */
  readonly agents?: readonly string[];
  /** Validates arguments at create; returns null if valid, else the problem with the argument's name as `field`. */
  checkArgs?(args: JsonObject): FieldProblem | null;
}

export interface Condition extends RulePart {
  /** Arguments that hold a condition or a list of conditions, evaluated by `test`. */
  readonly conditions?: readonly string[];
  /** Pure; a throw rejects the routed envelope. */
  holds(args: JsonObject, routing: Routing, test: (condition: RuleRef) => boolean): boolean;
}

export interface Target extends RulePart {
  /** Pure; null if the rule does not apply. A throw rejects the routed envelope. The hub also calls a `default_target`
   * when it passes a turn on: the envelope is then the hub's, and a throw counts as null. */
  choose(args: JsonObject, routing: Routing): Destination | null;
}

/** Parts by name: the versions a session was created with, or the newest registered ones. */
export interface Vocabulary {
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly targets: ReadonlyMap<string, Target>;
}

export interface UsedNames {
  readonly conditions: readonly string[];
  readonly targets: readonly string[];
}
