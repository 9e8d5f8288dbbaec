/** The tools that a graph has rules about, as far as a call of them would count now. */

import { type Destination, type Envelope, nameOf, type SessionMetadata, type TurnTool } from 'parley-hub/core';
import { isTurnTool, packetParameters } from '../parts/packet-route.ts';
import type { Prepared } from './knobs.ts';
import { routingOf, type WorkflowState } from './state.ts';

/** More than a model would choose among. */
const MAX_TOOLS = 32;
/** What models can be offered by name. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Each says where the turn goes when it is called; conditions on what is said with it are judged as if that were nothing. */
export function graphTools(
  metadata: SessionMetadata,
  state: WorkflowState,
  graph: Pick<Prepared, 'tools' | 'calling'>,
  holder: string,
): readonly TurnTool[] {
  const after = { ...state, turn_count: state.turn_count + 1 };
  const named = graph.tools.filter((name) => NAME.test(name) && !isTurnTool(name));
  const open = named.flatMap((name): readonly TurnTool[] => {
    const leads = graph.calling(name, routingOf(imagined(metadata, state, holder, name), after, metadata));
    return leads === null ? [] : [{ name, description: leadsTo(leads, metadata), parameters: packetParameters }];
  });
  return open.slice(0, MAX_TOOLS);
}

function leadsTo(leads: Destination, metadata: SessionMetadata): string {
  return leads.kind === 'end'
    ? `End the session (${leads.reason}) with this message.`
    : `Say this message; ${nameOf(metadata, leads.agent_id)} speaks next.`;
}

/** A call as it would be in the log. */
function imagined(metadata: SessionMetadata, state: WorkflowState, sender_id: string, tool: string): Envelope {
  const { session_id, created_at } = metadata;
  const event_data = { body: null, routing: { kind: 'tool', tool } };
  return {
    ...{ session_id, sender_id, audience: null, event_type: 'msg.packet', event_data },
    ...{ causation_id: null, task_id: null, traceparent: null, idempotency_key: null, ttl_seconds: null },
    ...{ priority: 'normal', envelope_id: '', seq: state.last_seq + 1, depth: 0, created_at },
  };
}
