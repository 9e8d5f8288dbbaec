/** Evaluates expectations on accepted content immediately; a violation joins the unit of that content. */

import { asError, HubError } from '../lib/errors.ts';
import type { AcceptContext, AcceptEntry, ExpectationSet, Violation } from '../ports/expectation.ts';
import type { Draft } from '../records/session/envelope.ts';
import { nameOf, participantOf } from '../records/session/session.ts';
import { checkDetail, checkEffects, ignoreRejection } from '../state/check-expectation-output.ts';
import { foldTally, isFor } from '../state/pacing.ts';
import type { SessionState } from '../state/state.ts';
import { toWaitContext } from '../state/waits.ts';
import type { AcceptCheck, AcceptedStep } from './advance.ts';
import { toWaitInput, violationDrafts } from './expectations-due.ts';

/** The error of an evaluator or handler that failed. The envelope is accepted anyway. */
export interface EvaluatorFault {
  readonly watched: AcceptEntry;
  readonly seq: number;
  readonly error: Error;
}

/** One check per entry, in order; undefined if the session has no expectations on content. */
export function buildAcceptChecks(
  watch: ExpectationSet | null,
  report: (fault: EvaluatorFault) => void,
): readonly AcceptCheck[] | undefined {
  if (watch === null || watch.accepting.length === 0) return undefined;
  return watch.accepting.map((watched, i) => (just, state) => {
    const { envelope } = just;
    // Once a check has closed the session, later checks are skipped.
    if (state.metadata.state !== 'ACTIVE' || !isFor(watched, envelope, state.metadata)) return NONE;
    try {
      return violated(watched, i, just, state);
    } catch (thrown) {
      report({ watched, seq: envelope.seq, error: asError(thrown) });
      return NONE;
    }
  });
}

const NONE: readonly Draft[] = [];

function violated(watched: AcceptEntry, i: number, just: AcceptedStep, state: SessionState): readonly Draft[] {
  const context = contextAt(watched, i, just, state);
  const violators = violatorsOf(watched, context);
  if (violators.length === 0) return NONE;
  const violation = violationOf(watched, violators, context);
  const effects = checkEffects(watched.handler, watched.handler.act(violation, state.metadata));
  // If the adapter ends the session, its reason stays: apply only the handler's `deliver` effects.
  const counting = just.ends ? effects.filter(({ kind }) => kind === 'deliver') : effects;
  return violationDrafts(state, violation, counting);
}

function contextAt(
  watched: AcceptEntry,
  i: number,
  { envelope, before: earlier }: AcceptedStep,
  state: SessionState,
): AcceptContext {
  const before = earlier.pacing.tallies[i] ?? null;
  const tally = state.pacing.tallies[i] ?? null;
  // An unchanged tally may mean that the fold threw: run it again here, where the error is reported.
  if (tally === before) foldTally(watched, before, envelope, state.metadata);
  return { ...toWaitContext(watched.entry.params, toWaitInput(state)), envelope, before, tally };
}

function violatorsOf({ evaluator }: AcceptEntry, context: AcceptContext): readonly (string | null)[] {
  const violators: unknown = evaluator.violators(context);
  const isKnown = (id: unknown) =>
    id === null || (typeof id === 'string' && participantOf(context.metadata, id) !== undefined);
  if (Array.isArray(violators) && violators.every(isKnown)) return [...new Set<string | null>(violators)];
  ignoreRejection(violators);
  throw new HubError('bad_evaluator', `${evaluator.name}: violators must be a list of participants or null`);
}

function violationOf(
  { index, entry, evaluator }: AcceptEntry,
  violators: readonly (string | null)[],
  context: AcceptContext,
): Violation {
  const { envelope, metadata } = context;
  const names = violators.map((id) => (id === null ? 'the session' : nameOf(metadata, id)));
  const words: unknown = evaluator.describe?.(violators, context) ?? `${names.join(', ')} with seq ${envelope.seq}`;
  return {
    entry: index,
    name: entry.name,
    violators: violators.map((agent_id) => ({ agent_id, since_seq: envelope.seq })),
    due_at: envelope.created_at,
    on_violation: entry.on_violation,
    detail: checkDetail(evaluator, words),
  };
}
