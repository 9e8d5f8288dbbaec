/** May this session be opened, or this one be added: the arbiter's say, then how many sessions each may be in. */

import type { OpenAsk, Party } from '../core/arbiter.ts';
import { WireError } from '../core/lib/errors.ts';
import type { CreateParams, ParticipantRef } from '../core/operations.ts';
import { inLine } from './lib/keyed-lock.ts';
import type { Opener } from './opener.ts';
import type { HubParts } from './parts.ts';
import { liveSessionsOf } from './log/read-pages.ts';

type Named = { readonly agent_id: string; readonly name: string };
type Opening = Omit<OpenAsk, 'by' | 'others'> & { readonly by: Named; readonly others: readonly Named[] };

/** Runs `then` if it may. Of those who have a limit one session is opened after the other: of two at once only what fits passes, and all that does. */
export async function ifMayOpen<T>(parts: HubParts, opening: Opening, then: () => Promise<T>): Promise<T> {
  const asked = checkMayOpen(parts, opening);
  const { by, others } = asked instanceof Promise ? await asked : asked;
  // Who adds one to a session is in it already.
  const limited = [...(opening.session_id === null ? [by] : []), ...others].filter(
    ({ rule }) => rule.limits.max_concurrent_sessions !== null,
  );
  if (limited.length === 0) return then();
  return inLine(parts.opening, new Set(limited.map(({ agent_id }) => agent_id)), async () => {
    for (const one of limited) await checkRoom(parts, one, opening);
    return then();
  });
}

type Parties = Pick<OpenAsk, 'by' | 'others'>;

/** The arbiter's say. Unless it gives a promise nothing waits: what was asked first is judged first. */
export function checkMayOpen(parts: HubParts, opening: Opening): Parties | Promise<Parties> {
  const by = partyOf(parts, opening.by);
  const others = opening.others.map((other) => partyOf(parts, other));
  const denial = parts.arbiter.denial('authorizeOpen', { ...opening, by, others });
  const unless = (reason: string | null): Parties => {
    if (reason !== null) throw new WireError('forbidden', `${whatCannot(opening)}: ${reason}`, { reason });
    return { by, others };
  };
  return denial instanceof Promise ? denial.then(unless) : unless(denial);
}

/** Names nobody has, as the arbiter understands them. */
export async function withKnownNames(parts: HubParts, creator: Opener, params: CreateParams): Promise<CreateParams> {
  const { arbiter, registry } = parts;
  if (!arbiter.replaced.has('resolveUnknown')) return params;
  const by = partyOf(parts, { agent_id: creator.agentId, name: creator.name });
  const participants: ParticipantRef[] = [];
  for (const ref of params.participants) {
    const isUnknown = typeof ref === 'string' && registry.invitable(ref) === null;
    participants.push(isUnknown ? ((await arbiter.resolveUnknown({ by, name: ref })) ?? ref) : ref);
  }
  return { ...params, participants };
}

/** The session itself does not count: one who declined may be asked again. */
async function checkRoom(parts: HubParts, { agent_id, name }: Named, opening: Opening): Promise<void> {
  // By the rule there is now: it may have stood in line.
  const most = parts.registry.ruleOf(agent_id).limits.max_concurrent_sessions ?? Number.POSITIVE_INFINITY;
  let live = 1;
  for await (const { head } of liveSessionsOf(parts.store, agent_id)) {
    const status = head.members[agent_id];
    if (head.session_id === opening.session_id || status === 'removed' || status === 'rejected') continue;
    live += 1;
    if (live > most) break;
  }
  if (live <= most) return;
  const room = most === 0 ? 'in no session' : `in ${most} at once, and is`;
  const message = `${whatCannot(opening)}: ${name} may be ${room} (limits.max_concurrent_sessions)`;
  throw new WireError('forbidden', message, { agent_id, most });
}

function whatCannot({ session_id, others }: Opening): string {
  if (session_id === null) return 'the session cannot be opened';
  return `${others.map(({ name }) => name).join(', ')} cannot be added`;
}

function partyOf({ registry }: HubParts, { agent_id, name }: Named): Party {
  return { agent_id, name, rule: registry.ruleOf(agent_id) };
}
