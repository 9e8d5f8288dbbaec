/** The rules of a workflow as data: who begins, who speaks after what, what happens otherwise, and how long it may go on. */

import type { RuleRef } from 'parley-hub/core';

export type Transition = {
  readonly when: RuleRef;
  readonly then: RuleRef;
  /** The lowest is asked first; equals are asked in the order of the list. */
  readonly priority: number;
};

/** Plain JSON, as a workflow takes it in `knobs.graph`. Participants in it are names or ids. */
export type TransitionGraph = {
  readonly initial_speaker: string;
  readonly transitions: readonly Transition[];
  /** When no transition applies; null = the session ends with `after_work`. */
  readonly default_target: RuleRef | null;
  /** The turn with this number is the last; null = no such bound. */
  readonly max_turns: number | null;
};
