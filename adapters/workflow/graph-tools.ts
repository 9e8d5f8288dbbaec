/** Tools for the rules of a graph that would apply to a call now. */

import { type Destination, type Envelope, nameOf, type SessionMetadata, type TurnTool } from 'parley-hub/core';
import { isTurnTool, packetParameters } from '../parts/packet-route.ts';
import type { Prepared } from './knobs.ts';
import { routingOf, type WorkflowState } from './state.ts';

const MAX_TOOLS = 32;
/** Tool names that models accept. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Each description names the next speaker or the end. Conditions on the message see an empty message. */
export function graphTools(
  metadata: SessionMetadata,
  state: WorkflowState,
  graph: Pick<Prepared, 'tools' | 'calling'>,
  holder: string,
): readonly TurnTool[] {
  const after = { ...state, turn_count: state.turn_count + 1 };
  const named = graph.tools.filter((name) => NAME.test(name) && !isTurnTool(name));
  const open = named.flatMap((name): readonly TurnTool[] => {
    const leads = graph.calling(name, routingOf(hypotheticalCall(metadata, state, holder, name), after, metadata));
    return leads === null ? [] : [{ name, description: leadsTo(leads, metadata), parameters: packetParameters }];
  });
  return open.slice(0, MAX_TOOLS);
}

function leadsTo(leads: Destination, metadata: SessionMetadata): string {
  return leads.kind === 'end'
    ? `End the session (${leads.reason}) with this message.`
    : `Say this message; ${nameOf(metadata, leads.agent_id)} speaks next.`;
}

/** The envelope this tool call would produce, used to evaluate the graph's conditions. */
function hypotheticalCall(metadata: SessionMetadata, state: WorkflowState, sender_id: string, tool: string): Envelope {
  const { session_id, created_at } = metadata;
  return {
    ...PLAIN_ENVELOPE,
    session_id,
    sender_id,
    event_data: { body: null, routing: { kind: 'tool', tool } },
    seq: state.last_seq + 1,
    created_at,
  };
}

const PLAIN_ENVELOPE = {
  audience: null,
  event_type: 'msg.packet',
  causation_id: null,
  task_id: null,
  traceparent: null,
  priority: 'normal',
  idempotency_key: null,
  ttl_seconds: null,
  envelope_id: '',
  depth: 0,
} as const;
