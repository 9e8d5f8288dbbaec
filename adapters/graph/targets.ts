/** The built-in targets of transitions. The caller checks that the speaker is active. */

import type { Destination, Envelope, Json, Target } from 'parley-hub/core';
import { nextActive, seededPick } from '../parts/rotation.ts';
import { argsOf, flagArg, participantArg, participants, reasonArg } from '../parts/rule-args.ts';

const agent: Target = {
  name: 'agent',
  version: 1,
  agents: ['agent_id'],
  checkArgs: argsOf({ agent_id: participantArg }),
  choose: ({ agent_id }) => speaker(agent_id),
};

/** The next active participant after the speaker. Does not apply if the hub passes the turn on: there is no speaker. */
const roundRobin: Target = {
  name: 'round_robin',
  version: 1,
  checkArgs: argsOf({}),
  choose(_args, { envelope: { sender_id }, order, active }) {
    return order.includes(sender_id) ? speaker(nextActive({ participant_order: order, active }, sender_id)) : null;
  },
};

/** The next active participant of a list after the speaker, or the first one if the speaker is not in the list. */
const nextIn: Target = {
  name: 'next_in',
  version: 1,
  agents: ['agents'],
  checkArgs: argsOf({ agents: participants, wrap: flagArg }),
  choose({ agents, wrap }, { envelope, active }) {
    const list: readonly Json[] = Array.isArray(agents) ? agents : [];
    const at = list.indexOf(whoWasOn(envelope) ?? null);
    const behind = list.slice(at + 1);
    // A full round includes the speaker, as the last one.
    const round = wrap === true ? [...behind, ...list.slice(0, at + 1)] : behind;
    return speaker(round.find((id) => typeof id === 'string' && active.includes(id)));
  },
};

/** The participant whose turn ended: the sender, or the one that the hub hid or removed. */
function whoWasOn({ sender_id, event_type, event_data }: Envelope): Json | undefined {
  const isGone = event_type === 'session.participant.hidden' || event_type === 'session.participant.removed';
  return isGone ? event_data.agent_id : sender_id;
}

/** The sender keeps the turn. */
const stay: Target = {
  name: 'stay',
  version: 1,
  checkArgs: argsOf({}),
  choose: (_args, { envelope, order }) => speaker(order.includes(envelope.sender_id) ? envelope.sender_id : null),
};

const revertToInitiator: Target = {
  name: 'revert_to_initiator',
  version: 1,
  checkArgs: argsOf({}),
  choose: (_args, { creator_id }) => speaker(creator_id),
};

const terminate: Target = {
  name: 'terminate',
  version: 1,
  checkArgs: argsOf({ reason: reasonArg }),
  choose: ({ reason }) => ({ kind: 'end', reason: typeof reason === 'string' ? reason : 'terminated' }),
};

/** Any active participant except the sender, unless the sender is alone. Repeatable: derived from session and turn. */
const random: Target = {
  name: 'random',
  version: 1,
  checkArgs: argsOf({}),
  choose(_args, { metadata, envelope, active, turn_count }) {
    const others = active.filter((id) => id !== envelope.sender_id);
    const among = others.length === 0 ? active : others;
    return speaker(seededPick(among, `${metadata.session_id} ${turn_count}`));
  },
};

export const TARGETS: readonly Target[] = [agent, roundRobin, nextIn, stay, revertToInitiator, terminate, random];

function speaker(agentId: Json | undefined): Destination | null {
  return typeof agentId === 'string' ? { kind: 'speaker', agent_id: agentId } : null;
}
