/** workflow: a graph of transitions decides who speaks next; participants may hand off, finish, and share context variables. */

import {
  type Draft,
  nameOf,
  ProtocolError,
  type SessionAdapter,
  type SessionMetadata,
  type Vocabulary,
} from 'parley-hub/core';
import { graphWarnings } from './graph/graph-warnings.ts';
import { inspectGraph } from './graph/inspect-graph.ts';
import { BUILT_IN, isBuiltIn } from './graph/vocabulary.ts';
import { fieldError } from './parts/field-error.ts';
import { turnTools } from './parts/packet-route.ts';
import { lastTwoRounds, requireSeveral, roundsView, SEVERAL_PARTIES, turnInputOf } from './parts/parties.ts';
import { activeId, requireTurn, turnOf } from './parts/rotation.ts';
import { type ContextChange, parseChange, readPacket, requireRoom } from './workflow/context-vars.ts';
import { graphTools } from './workflow/graph-tools.ts';
import { checkKnobs, createGraphCache, graphOf, KNOBS_SCHEMA, namesUsed, resolvedKnobs } from './workflow/knobs.ts';
import { foldWorkflow, newWorkflow, type WorkflowState } from './workflow/state.ts';

export type { WorkflowState } from './workflow/state.ts';

/** The workflow with the built-in conditions and targets; a session with custom ones gets a separate instance. */
export const workflow: SessionAdapter<WorkflowState> = workflowWith(BUILT_IN);

function workflowWith(vocabulary: Vocabulary): SessionAdapter<WorkflowState> {
  const prepare = createGraphCache(vocabulary);
  return {
    manifest: {
      type: 'workflow',
      version: 1,
      participants: SEVERAL_PARTIES,
      knobs_schema: KNOBS_SCHEMA,
      default_view: roundsView(SEVERAL_PARTIES.min),
      expectations: [
        { name: 'turn_within', on_violation: 'warn', params: { seconds: 120, on_failure: true } },
        { name: 'turn_within', on_violation: 'auto_close', params: { seconds: 600 } },
      ],
    },

    initialState: newWorkflow,

    validateCreate(metadata) {
      requireSeveral(metadata);
      checkKnobs(metadata, vocabulary);
    },

    validateSend(metadata, draft, state) {
      const change = changeIn(metadata, draft, state);
      requireRoom(state.context_vars, change, () => prepare(metadata).maxContextBytes);
    },

    fold: (envelope, state, metadata) => foldWorkflow(envelope, state, metadata, prepare),

    onAccepted(_metadata, _envelope, { pending_close_reason: close_reason }) {
      return close_reason === null ? {} : { next_state: 'CLOSING', close_reason };
    },

    expectedNext: (_metadata, state) => turnOf(state),
    defaultView: lastTwoRounds,
    turnInput: turnInputOf,
    tools: (metadata, state, participantId) =>
      participantId === state.expected_next_speaker
        ? [
            ...turnTools(metadata, state.active, participantId),
            ...graphTools(metadata, state, prepare(metadata), participantId),
          ]
        : [],
    publicState: (_metadata, { context_vars, turn_count }) => ({ context_vars, turn_count }),

    uses: namesUsed,
    forSession: (_metadata, used) => (isBuiltIn(used) ? workflow : workflowWith(used)),
    resolveKnobs: (metadata) => resolvedKnobs(metadata, vocabulary),
    inspectGraph,
    warnings: (metadata) => graphWarnings(graphOf(metadata), vocabulary, 'knobs.graph'),
  };
}

/** The context change of a valid draft; null = none. */
function changeIn(metadata: SessionMetadata, draft: Draft, state: WorkflowState): ContextChange | null {
  const { event_type, event_data } = draft;
  const takesTurn = event_type === 'msg.text' || event_type === 'msg.packet';
  if (!takesTurn && event_type !== 'context.set') return null;
  if (state.pending_close_reason !== null) {
    throw new ProtocolError(`workflow is already complete: ${state.pending_close_reason}`);
  }
  if (!takesTurn) return parseChange(event_data, 'context.set');
  requireTurn(metadata, draft, state);
  const { change, route } = readPacket(draft);
  if (route.kind === 'handoff' && activeId(metadata, state, route.target) === null) {
    const active = state.active.map((id) => nameOf(metadata, id)).join(', ');
    throw fieldError('routing.target', `an active participant (${active})`, route.target);
  }
  return change;
}
