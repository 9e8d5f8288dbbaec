/** Operations on the run itself. Whether the state is unchanged is computed from its digests, never just said. */

import { type Changed, engine, type Refused, type RunState } from 'parley-hub/governed';
import type { Members } from '../members.ts';
import { NOW, RUN_ID, TURN_ID, textOf } from './given.ts';
import type { World } from '../../../governed/conformance/adapter/inflate.ts';

const { approveCompletion, approveTransition, assignTurn, digestOf, initialiseRun, resolveBlocked, transitionState } =
  engine;

export function initialise({ state, config }: World): Members {
  return told(state, (run) => initialiseRun(run, config, { runId: RUN_ID, now: NOW }));
}

export function assign({ state, config }: World, { role_id }: Members): Members {
  return told(state, (run) => assignTurn(run, config, { roleId: textOf(role_id), turnId: TURN_ID, now: NOW }));
}

export function approveTransitionFixture({ state }: World): Members {
  return told(state, (run) => approveTransition(run, { now: NOW }));
}

export function approveCompletionFixture({ state }: World): Members {
  return told(state, (run) => approveCompletion(run, { now: NOW }));
}

export function resolve({ state }: World, { action }: Members): Members {
  return told(state, (run) => resolveBlocked(run, { action: textOf(action), now: NOW }));
}

export function transition({ state }: World, args: Members): Members {
  return told(state, (run) => transitionState(run, { ...args, now: NOW }));
}

function told(before: RunState, perform: (state: RunState) => Changed | Refused): Members {
  const digest = digestOf(before);
  const outcome = perform(before);
  const after = outcome.ok ? outcome.state : before;
  const state_unchanged = digestOf(after) === digest;
  if (outcome.ok) {
    return { result: 'ok', state_assertions: after, state_unchanged, events: outcome.events };
  }
  const { error_type, error_code, detail, params } = outcome;
  return { result: 'error', error_type, error_code, error_detail: detail, params, state_unchanged };
}
