/** governed: a run with roles, phases and gates. The runner reports; participants with `approve` decide gates. */

import { participantOf, type SessionAdapter } from 'parley-hub/core';
import {
  APPROVALS,
  awaitedOf,
  checkRules,
  displayState,
  type GovernedState,
  judgeSend,
  KNOBS_SCHEMA,
  NEW_SESSION,
  outcomeOf,
  parseResultText,
  renderLine,
  resolvedKnobs,
  rulesOf,
  turnInputOf,
} from 'parley-hub/governed/session';
import { refuseUnfolded } from './parts/parties.ts';

export type { GovernedState } from 'parley-hub/governed/session';

const DAYS = 86_400;

export const governed: SessionAdapter<GovernedState> = {
  manifest: {
    type: 'governed',
    version: 1,
    participants: { min: 1, max: null, roles: ['initiator', 'respondent', 'participant'] },
    knobs_schema: KNOBS_SCHEMA,
    default_view: { name: 'windowed_summary', params: { recent_n: 40, named: true } },
    expectations: [{ name: 'turn_within', on_violation: 'warn', params: { seconds: 7200 } }],
    grants: APPROVALS,
    ttl_seconds: 90 * DAYS,
  },

  // A copy, so that no session can change the initial state of another.
  initialState: () => JSON.parse(JSON.stringify(NEW_SESSION)),

  validateCreate: checkRules,

  validateSend(metadata, draft, state) {
    refuseUnfolded(metadata, draft);
    judgeSend(metadata, draft, state);
  },

  fold: (envelope, state, metadata) => outcomeOf(metadata, envelope, state)?.state ?? state,

  /** A completed run ends its session once all follow-ups are done and all parts of an import have arrived. */
  onAccepted(_metadata, { event_type, event_data }, { run, follow_ups }) {
    const isPart = event_type === 'governed.imported' && event_data.more === true;
    if (run.status !== 'completed' || follow_ups.length > 0 || isPart) return {};
    return { next_state: 'CLOSING', close_reason: 'run_completed' };
  },

  /** Nobody holds the turn while its holder is hidden; a returning holder gets it back. */
  expectedNext(metadata, { expected }) {
    if (expected === null || participantOf(metadata, expected.agent_id)?.status !== 'active') return null;
    return { agent_id: expected.agent_id, since_seq: expected.since_seq };
  },

  awaits: (_metadata, { run }) => awaitedOf(run),

  render: renderLine,
  turnInput: turnInputOf,

  buildRound(_metadata, { expected }, { text, usage, cost_usd }) {
    const spent = { ...(usage === undefined ? {} : { usage }), ...(cost_usd === undefined ? {} : { cost_usd }) };
    if (expected?.kind !== 'result') return [{ event_type: 'msg.text', event_data: { text, ...spent } }];
    const { turn_id, attempt } = expected;
    return [{ event_type: 'turn.result', event_data: { turn_id, attempt, result: parseResultText(text), ...spent } }];
  },

  publicState: (metadata, state) => displayState(rulesOf(metadata), state),
  resolveKnobs: resolvedKnobs,
};
