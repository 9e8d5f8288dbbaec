/** moderated: the initiator names each speaker, and gets the turn back afterwards. */

import { type Draft, type JsonObject, nameOf, type SessionMetadata } from 'parley-hub/core';
import { fieldError } from '../parts/field-error.ts';
import { type PacketRoute, RULES, readRoute, turnTools } from '../parts/packet-route.ts';
import { activeId, type Members } from '../parts/rotation.ts';
import { type DiscussionState, type Ordering, roundBegun, type Step, turnTaken } from './ordering.ts';
import { firstSpeaker } from './round-robin.ts';

export const moderated: Ordering = {
  takesPackets: true,

  check(metadata, draft, state) {
    if (draft.event_type !== 'msg.packet') return;
    const { context_updates }: Partial<JsonObject> = draft.event_data;
    if (context_updates !== undefined)
      throw fieldError('context_updates', 'nothing: a discussion has no context', context_updates);
    const route = routeOf(draft);
    if (route.kind === 'rules') return;
    const moderator = firstSpeaker(state, metadata);
    if (draft.sender_id !== moderator) {
      const who = moderator === null ? 'the moderator' : `'${nameOf(metadata, moderator)}', who moderates`;
      throw fieldError('routing.kind', `"tool", or nothing, from anyone but ${who}`, route.kind);
    }
    if (route.kind === 'handoff' && otherCalled(route.target, draft.sender_id, state, metadata) === null) {
      const others = state.active.filter((id) => id !== moderator).map((id) => nameOf(metadata, id));
      throw fieldError(
        'routing.target',
        `another active participant (${others.join(', ') || 'there is none'})`,
        route.target,
      );
    }
  },

  /** A named speaker returns the turn to the moderator, who keeps it until naming somebody. */
  spoken(envelope, state, metadata) {
    const { sender_id } = envelope;
    const moderator = firstSpeaker(state, metadata);
    if (sender_id !== moderator) {
      const rounds = state.is_named ? turnTaken(state, state.active.length - 1) : roundsOf(state);
      return { next: moderator, ...rounds, hands: null };
    }
    return { ...ledOn(routeOf(envelope), sender_id, state, metadata), ...roundsOf(state), hands: null };
  },

  given: (state, metadata) => ({
    next: firstSpeaker(state, metadata),
    ...roundBegun(state, state.active.length - 1),
    hands: null,
  }),

  tools(metadata, state, participantId) {
    const leads = participantId === state.expected_next_speaker && participantId === firstSpeaker(state, metadata);
    return leads ? turnTools(metadata, state.active, participantId) : [];
  },
  publicState: (metadata, state) => ({ moderator_id: firstSpeaker(state, metadata) }),
};

function ledOn(
  route: PacketRoute,
  moderator: string,
  state: DiscussionState,
  metadata: SessionMetadata,
): Pick<Step, 'next' | 'names' | 'goesOn' | 'reason'> {
  if (route.kind === 'finish') return { next: null, reason: route.reason };
  const named = route.kind === 'handoff' ? otherCalled(route.target, moderator, state, metadata) : null;
  return named === null ? { next: moderator, goesOn: true } : { next: named, names: true };
}

function roundsOf({ rounds_done, turns_left }: DiscussionState): Pick<Step, 'rounds_done' | 'turns_left'> {
  return { rounds_done, turns_left };
}

function otherCalled(nameOrId: string, than: string, members: Members, metadata: SessionMetadata): string | null {
  const id = activeId(metadata, members, nameOrId);
  return id === than ? null : id;
}

/** The route of a packet; texts have no routing. */
function routeOf({ event_type, event_data }: Pick<Draft, 'event_type' | 'event_data'>): PacketRoute {
  const { routing }: Partial<JsonObject> = event_data;
  return event_type === 'msg.packet' ? readRoute(routing) : RULES;
}
