/** The rules of a workflow in words, as its session has them recorded. */

import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import type { Json } from '../../core/lib/json.ts';
import { nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import type { RuleRef } from '../../core/ports/transition.ts';

/** One line per transition; participants, recorded as ids, by their names. */
export function transitionsIn(metadata: SessionMetadata): readonly string[] {
  const { transitions } = metadata.knobs.graph as unknown as TransitionGraph;
  return transitions.map(({ when, then }) => `${condition(when, metadata)} ▸ ${target(then, metadata)}`);
}

function condition({ name, args }: RuleRef, metadata: SessionMetadata): string {
  switch (name) {
    case 'all_of':
      return (args.conditions as unknown as readonly RuleRef[]).map((one) => condition(one, metadata)).join(', ');
    case 'from_speaker':
      return `after ${called(args.agent_id, metadata)}`;
    case 'context_equals':
      return `if ${args.key} = ${args.value}`;
    default:
      return name;
  }
}

function target({ name, args }: RuleRef, metadata: SessionMetadata): string {
  return name === 'agent' ? called(args.agent_id, metadata) : name;
}

function called(agentId: Json | undefined, metadata: SessionMetadata): string {
  return nameOf(metadata, String(agentId));
}
