/** Workflows that break one rule on purpose, to prove that the checks find it. */

import { type WorkflowState, workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject, SessionAdapter, SessionMetadata } from 'parley-hub/core';

export type Adapter = SessionAdapter<WorkflowState>;

/** Treats everyone as active. */
const skipHiddenCheck: Adapter = {
  ...workflow,
  fold(envelope, state, metadata) {
    const participants = metadata.participants.map((one) => ({ ...one, status: 'active' as const }));
    return workflow.fold(envelope, state, { ...metadata, participants });
  },
};

/** Ignores priorities. */
const ignorePriority: Adapter = {
  ...workflow,
  fold: (envelope, state, metadata) => workflow.fold(envelope, state, withoutPriorities(metadata)),
};

/** Shows the rules the context before the packet. */
const contextAfterRouting: Adapter = {
  ...workflow,
  fold(envelope, state, metadata) {
    const { context_updates, ...rest } = envelope.event_data;
    if (envelope.event_type !== 'msg.packet' || context_updates === undefined) {
      return workflow.fold(envelope, state, metadata);
    }
    const routed = workflow.fold({ ...envelope, event_data: rest }, state, metadata);
    const change = { ...envelope, event_type: 'context.set', event_data: context_updates as JsonObject };
    return workflow.fold(change, routed, metadata);
  },
};

export const mutants: Readonly<Record<string, Adapter>> = {
  'skip the hidden check': skipHiddenCheck,
  'ignore the order of priorities': ignorePriority,
  'apply the context after routing': contextAfterRouting,
};

function withoutPriorities(metadata: SessionMetadata): SessionMetadata {
  const graph = metadata.knobs.graph as { readonly transitions: readonly JsonObject[] } & JsonObject;
  const transitions = graph.transitions.map((one) => ({ ...one, priority: 0 }));
  return { ...metadata, knobs: { ...metadata.knobs, graph: { ...graph, transitions } } };
}
