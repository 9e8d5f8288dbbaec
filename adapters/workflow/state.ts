/** The state of a workflow, and its fold. */

import type { Destination, Envelope, JsonObject, Routing, SessionMetadata } from 'parley-hub/core';
import type { PacketRoute } from '../parts/packet-route.ts';
import { activeId, changesMembers, membersOf, newRotation, nextActive, type Rotation } from '../parts/rotation.ts';
import { changed, parseChange, readPacket } from './context-vars.ts';
import type { Prepared } from './knobs.ts';

export interface WorkflowState extends Rotation {
  /** Set by the envelope that closes the session; null while it stays open. */
  readonly pending_close_reason: string | null;
  readonly creator_id: string;
  readonly context_vars: JsonObject;
}

export function newWorkflow(metadata: SessionMetadata): WorkflowState {
  const { context_vars = {} }: Partial<JsonObject> = metadata.knobs;
  return {
    ...newRotation(metadata),
    pending_close_reason: null,
    creator_id: metadata.creator_id,
    // A copy: the knobs are shared with the log.
    context_vars: JSON.parse(JSON.stringify(context_vars)),
  };
}

export function foldWorkflow(
  envelope: Envelope,
  state: WorkflowState,
  metadata: SessionMetadata,
  prepare: (metadata: SessionMetadata) => Prepared,
): WorkflowState {
  const type = envelope.event_type;
  if (type === 'msg.text' || type === 'msg.packet') return spoken(envelope, state, metadata, prepare(metadata));
  if (type === 'context.set') {
    const context_vars = changed(state.context_vars, parseChange(envelope.event_data, 'context.set'));
    return context_vars === state.context_vars ? state : { ...state, context_vars };
  }
  return changesMembers(type) ? regrouped(envelope, state, metadata, prepare(metadata)) : state;
}

/** Applies the context change and counts the turn before routing, so that rules see the result of the message. */
function spoken(envelope: Envelope, state: WorkflowState, metadata: SessionMetadata, graph: Prepared): WorkflowState {
  const { change, route } = readPacket(envelope);
  const context_vars = changed(state.context_vars, change);
  const turn_count = state.turn_count + 1;
  const routing = routingOf(envelope, { ...state, context_vars, turn_count }, metadata);
  const destination = requested(route, state, metadata) ?? graph.route(routing);
  const reason = destination?.kind === 'end' ? destination.reason : null;
  // A close reason of the graph takes precedence over the turn limit.
  const pending_close_reason =
    reason ?? (turn_count >= (graph.max_turns ?? Number.POSITIVE_INFINITY) ? 'max_turns' : null);
  const next = destination?.kind === 'speaker' ? destination.agent_id : nextActive(state, envelope.sender_id);
  return {
    participant_order: state.participant_order,
    active: state.active,
    expected_next_speaker: pending_close_reason === null ? next : null,
    last_speaker_id: envelope.sender_id,
    last_seq: envelope.seq,
    turn_count,
    pending_close_reason,
    creator_id: state.creator_id,
    context_vars,
  };
}

/** The destination the sender requests; null = the rules decide. */
function requested(route: PacketRoute, state: WorkflowState, metadata: SessionMetadata): Destination | null {
  if (route.kind === 'finish') return { kind: 'end', reason: route.reason };
  const agent_id = route.kind === 'handoff' ? activeId(metadata, state, route.target) : null;
  return agent_id === null ? null : { kind: 'speaker', agent_id };
}

/** After a change of participants, an active holder keeps the turn; otherwise it moves in the same fold. */
function regrouped(
  envelope: Envelope,
  state: WorkflowState,
  metadata: SessionMetadata,
  graph: Prepared,
): WorkflowState {
  const there = { ...state, ...membersOf(metadata) };
  const { expected_next_speaker: expected, last_speaker_id: last, pending_close_reason } = state;
  if (expected !== null && there.active.includes(expected)) return there;
  if (expected === null && (metadata.state !== 'ACTIVE' || pending_close_reason !== null)) return there;
  const { initial_speaker } = graph;
  const begins = expected === null && last === null && there.active.includes(initial_speaker);
  const passedOn = () =>
    graph.defaultSpeaker(routingOf(envelope, there, metadata)) ??
    nextActive(there, expected ?? last ?? initial_speaker);
  return { ...there, expected_next_speaker: begins ? initial_speaker : passedOn(), last_seq: envelope.seq };
}

/** Frozen, because rule parts see the state itself and must not change it. */
export function routingOf(envelope: Envelope, state: WorkflowState, metadata: SessionMetadata): Routing {
  return {
    metadata,
    envelope,
    order: Object.freeze(state.participant_order),
    active: Object.freeze(state.active),
    creator_id: state.creator_id,
    turn_count: state.turn_count,
    context_vars: Object.freeze(state.context_vars),
  };
}
