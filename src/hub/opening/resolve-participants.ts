/** Resolves every name, id and capability of a request to one identity. */

import type { CreateFacts } from '../../core/decisions/create.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { ParticipantRef } from '../../core/records/session/create-params.ts';
import { Binding, notBoundError } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import { type FindAgentsNeeds, findOffers, type Offers } from '../registry/find-agents.ts';
import type { Registry } from '../registry/registry.ts';

type Participants = CreateFacts['participants'];
type Chosen = Participants[number];

/** Puts an unlisted creator first. Resolves capabilities last, so that no agent named elsewhere is chosen. */
export function resolveParticipants(
  agents: FindAgentsNeeds & { readonly registry: Pick<Registry, 'invitable'> },
  creator: SessionCreator,
  listed: readonly ParticipantRef[],
): Participants {
  const named = listed.map((ref, i) => (typeof ref === 'string' ? byName(agents.registry, ref, i) : ref));
  assertOnce(named, listed);
  const taken = new Set([creator.agentId, ...named.flatMap((one) => ('capability' in one ? [] : [one.agent_id]))]);
  const offers = findOffers(
    agents,
    named.flatMap((one) => ('capability' in one ? [one.capability] : [])),
  );
  const all = named.map((one, i) => ('capability' in one ? byCapability(offers, one.capability, taken, i) : one));
  const isListed = all.some(({ agent_id }) => agent_id === creator.agentId);
  return isListed ? all : [{ agent_id: creator.agentId, name: creator.name }, ...all];
}

function byName(registry: Pick<Registry, 'invitable'>, nameOrId: string, place: number): Chosen {
  const passport = registry.invitable(nameOrId);
  if (passport === null) throw cannotInvite(place, `no agent with name or id "${nameOrId}" is registered`, nameOrId);
  return { agent_id: passport.agent_id, name: passport.name };
}

function byCapability(offers: Offers, capability: string, taken: Set<string>, place: number): Chosen {
  const agent = offers.get(capability.toLowerCase())?.find(({ agent_id }) => !taken.has(agent_id));
  if (agent === undefined) throw cannotInvite(place, `no other agent offers "${capability}"`, capability);
  taken.add(agent.agent_id);
  return { agent_id: agent.agent_id, name: agent.name };
}

function assertOnce(
  named: readonly (Chosen | { readonly capability: string })[],
  listed: readonly ParticipantRef[],
): void {
  const ids = named.map((one) => ('capability' in one ? null : one.agent_id));
  const twice = ids.findIndex((id, i) => id !== null && ids.indexOf(id) !== i);
  if (twice !== -1) throw cannotInvite(twice, `"${String(listed[twice])}" is listed twice`, listed[twice]);
}

function cannotInvite(place: number, problem: string, received: unknown): WireError {
  const field = `params.participants.${place}`;
  return new WireError('invalid_create', `${field}: ${problem}`, { field, received });
}

/** A creator that need not be bound, such as that of a schedule or a delegation. */
interface Scheduler {
  readonly agentId: string;
  readonly name: string;
  /** Why the session is no longer wanted, or null. */
  readonly refusal?: () => WireError | null;
}

export type SessionCreator = Binding | Scheduler;

/** Checks, in the step that writes, that the creator still has its binding or registration. */
export function checkCreator(
  bindings: Pick<Bindings, 'mayAct'>,
  registry: Pick<Registry, 'isGone'>,
  opener: SessionCreator,
): void {
  if (opener instanceof Binding) {
    if (!bindings.mayAct(opener)) throw notBoundError(opener.name);
  } else if (registry.isGone(opener.agentId)) {
    throw new WireError('not_found', `${opener.name} is no longer registered`);
  } else {
    const refusal = opener.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
  }
}
