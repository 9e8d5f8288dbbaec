/** Decides whether a session may be opened or a participant added: asks the arbiter, then checks the limit of sessions. */

import { WireError } from '../../core/lib/errors.ts';
import type { ArbiterParty, OpenAsk } from '../../core/ports/arbiter.ts';
import type { Store } from '../../core/ports/store.ts';
import type { ParticipantRef } from '../../core/records/session/create-params.ts';
import type { AskArbiter } from '../access/ask-arbiter.ts';
import { type KeyedLocks, runExclusive } from '../lib/keyed-lock.ts';
import { iterateLiveSessions } from '../log/read-pages.ts';
import type { Registry } from '../registry/registry.ts';
import type { SessionCreator } from './resolve-participants.ts';

type Named = { readonly agent_id: string; readonly name: string };
type Opening = Omit<OpenAsk, 'by' | 'others'> & { readonly by: Named; readonly others: readonly Named[] };

type Parties = Pick<OpenAsk, 'by' | 'others'>;

export class OpenPermission {
  private readonly store: Store;
  private readonly registry: Registry;
  private readonly arbiter: AskArbiter;
  /** Openings in progress, by agent with a limit. */
  private readonly locks: KeyedLocks = new Map();

  constructor(store: Store, registry: Registry, arbiter: AskArbiter) {
    this.store = store;
    this.registry = registry;
    this.arbiter = arbiter;
  }

  /** Runs `then` if permitted. Openings of agents with a limit run one after another, so that together they respect it. */
  async run<T>(opening: Opening, then: () => Promise<T>): Promise<T> {
    const asked = this.require(opening);
    const { by, others } = asked instanceof Promise ? await asked : asked;
    // Skip the limit of a participant that adds another: it is already in the session.
    const limited = [...(opening.session_id === null ? [by] : []), ...others].filter(
      ({ rule }) => rule.limits.max_concurrent_sessions !== null,
    );
    if (limited.length === 0) return then();
    return runExclusive(this.locks, new Set(limited.map(({ agent_id }) => agent_id)), async () => {
      for (const one of limited) await this.checkRoom(one, opening);
      return then();
    });
  }

  /** Asks the arbiter. Synchronous unless it returns a promise, so that requests keep their order. */
  require(opening: Opening): Parties | Promise<Parties> {
    const by = this.partyOf(opening.by);
    const others = opening.others.map((other) => this.partyOf(other));
    const denial = this.arbiter.denial('authorizeOpen', { ...opening, by, others });
    const unless = (reason: string | null): Parties => {
      if (reason !== null) throw new WireError('forbidden', `${whatCannot(opening)}: ${reason}`, { reason });
      return { by, others };
    };
    return denial instanceof Promise ? denial.then(unless) : unless(denial);
  }

  /** Lets the arbiter resolve names that are not registered. */
  async resolveUnknownNames(
    { agentId, name }: SessionCreator,
    refs: readonly ParticipantRef[],
  ): Promise<readonly ParticipantRef[]> {
    const { arbiter, registry } = this;
    if (!arbiter.replaced.has('resolveUnknown')) return refs;
    const by = this.partyOf({ agent_id: agentId, name });
    const participants: ParticipantRef[] = [];
    for (const ref of refs) {
      const isUnknown = typeof ref === 'string' && registry.invitable(ref) === null;
      participants.push(isUnknown ? ((await arbiter.resolveUnknown({ by, name: ref })) ?? ref) : ref);
    }
    return participants;
  }

  /** Checks the limit on sessions. Does not count this session, because an invitee that declined may be invited again. */
  private async checkRoom({ agent_id, name }: Named, opening: Opening): Promise<void> {
    // Use the current rule: it may have changed during the wait.
    const most = this.registry.ruleOf(agent_id).limits.max_concurrent_sessions ?? Number.POSITIVE_INFINITY;
    let live = 1;
    for await (const { head } of iterateLiveSessions(this.store, agent_id)) {
      const status = head.members[agent_id];
      if (head.session_id === opening.session_id || status === 'removed' || status === 'rejected') continue;
      live += 1;
      if (live > most) break;
    }
    if (live <= most) return;
    const bound = `${name} may be in at most ${most} sessions (limits.max_concurrent_sessions)`;
    const message = `${whatCannot(opening)}: ${bound}`;
    throw new WireError('forbidden', message, { agent_id, most });
  }

  private partyOf({ agent_id, name }: Named): ArbiterParty {
    return { agent_id, name, rule: this.registry.ruleOf(agent_id) };
  }
}

function whatCannot({ session_id, others }: Opening): string {
  if (session_id === null) return 'the session cannot be opened';
  return `${others.map(({ name }) => name).join(', ')} cannot be added`;
}
