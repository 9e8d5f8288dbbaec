/**
 * Drives open delegations. The durable state determines the next step: open the child of a reservation, post its prompt, or
 * settle an ended child. After a crash each step is derived again.
 */

import { DELEGATOR_REMOVED, settleDelegation } from '../../core/decisions/delegation-decisions.ts';
import { closeSession } from '../../core/decisions/end-session.ts';
import { WireError } from '../../core/lib/errors.ts';
import { isMember, isTerminal, participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { ZERO_SPEND } from '../../core/records/session/spending.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { DELEGATION_LABEL, type DelegationOpened, type DelegationSettled } from '../../core/records/work/delegation.ts';
import { type OpenDelegation, openedFrom, settledFrom } from '../../core/state/open-delegations.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Ground } from '../log/ground.ts';
import { readEntry } from '../log/read-pages.ts';
import { runUntilDone } from '../time/retries.ts';
import { childKey, DelegationChildren, type DelegationChildrenNeeds } from './delegation-child.ts';
import { WaitGraph } from './wait-graph.ts';

type DelegationsNeeds = DelegationChildrenNeeds & Pick<Ground, 'log' | 'retries' | 'backlog'>;

interface Waiter {
  resolve(): void;
  reject(error: WireError): void;
}

interface Look {
  /** True if something changed during the step. */
  again: boolean;
  done: Promise<void>;
}

export class Delegations {
  readonly graph: WaitGraph = new WaitGraph();
  /** Settles when all delegations that were open at the start are in the graph. */
  readonly known: Promise<void>;
  private allKnown = (): void => {};
  readonly children: DelegationChildren;
  private readonly needs: DelegationsNeeds;
  private readonly looking = new Map<string, Look>();
  private readonly waiting = new Map<string, Set<Waiter>>();
  private stopped: WireError | null = null;

  constructor(needs: DelegationsNeeds) {
    this.needs = needs;
    this.children = new DelegationChildren(needs);
    this.known = new Promise((resolve) => {
      this.allKnown = resolve;
    });
  }

  /** Called for every durable unit with a hub envelope. */
  onDurable(entries: readonly Entry[], { head, delegations }: SessionState): void {
    const { session_id, parent_session_id, labels } = head;
    for (const { envelope } of entries) {
      const { event_type, event_data } = envelope;
      if (event_type === 'delegation.opened') this.opened(session_id, openedFrom(envelope));
      else if (event_type === 'delegation.settled') this.settled(settledFrom(envelope));
      else if (event_type === 'session.participant.removed' && delegations.length > 0) {
        for (const open of delegations)
          if (open.agent_id === event_data.agent_id) void this.drive(session_id, open.delegation_id);
      }
    }
    const ours = labels[DELEGATION_LABEL];
    if (ours !== undefined && parent_session_id !== null) void this.drive(parent_session_id, ours);
  }

  /** At the start: adds the open delegations of these sessions to the graph, then drives them. */
  async restore(sessionIds: readonly string[]): Promise<void> {
    try {
      for (const sessionId of sessionIds) {
        // A session that cannot be read now is retried below.
        const open = await this.openIn(sessionId).catch(() => []);
        for (const { delegation_id: id, root_session_id: root, agent_id: from, target_id: to } of open)
          this.graph.add({ id, root, from, to });
      }
    } finally {
      this.allKnown();
    }
    for (const sessionId of sessionIds) {
      await runUntilDone(this.needs, `${sessionId}\ndelegations`, async () => {
        for (const open of await this.openIn(sessionId)) void this.drive(sessionId, open.delegation_id);
      });
    }
  }

  /** `done` settles when the delegation does; call `forget` to stop waiting. */
  settlement(delegationId: string): { readonly done: Promise<void>; forget(): void } {
    let waiter: Waiter | null = null;
    const waiters = this.waiting.get(delegationId) ?? new Set();
    const done = new Promise<void>((resolve, reject) => {
      if (this.stopped !== null) return reject(this.stopped);
      waiter = { resolve, reject };
      this.waiting.set(delegationId, waiters.add(waiter));
    });
    // The caller may find it settled and never await `done`.
    done.catch(() => {});
    const forget = (): void => {
      if (waiter === null || !waiters.delete(waiter) || waiters.size > 0) return;
      if (this.waiting.get(delegationId) === waiters) this.waiting.delete(delegationId);
    };
    return { done, forget };
  }

  stop(reason: string): void {
    this.stopped = new WireError('unavailable', reason, { outcome: 'unknown' });
    for (const waiters of this.waiting.values()) for (const { reject } of waiters) reject(this.stopped);
    this.waiting.clear();
    this.allKnown();
  }

  private opened(sessionId: string, { delegation_id, root_session_id, agent_id, target_id }: DelegationOpened): void {
    this.graph.add({ id: delegation_id, root: root_session_id, from: agent_id, to: target_id });
    void this.drive(sessionId, delegation_id);
  }

  private settled({ delegation_id }: DelegationSettled): void {
    this.graph.remove(delegation_id);
    for (const { resolve } of this.waiting.get(delegation_id) ?? []) resolve();
    this.waiting.delete(delegation_id);
  }

  /** Takes the next steps of a delegation; never rejects. Runs once at a time: a change during a step causes another step. */
  drive(sessionId: string, delegationId: string): Promise<void> {
    const looking = this.looking.get(delegationId);
    if (looking !== undefined) {
      looking.again = true;
      return looking.done;
    }
    const look: Look = { again: false, done: Promise.resolve() };
    this.looking.set(delegationId, look);
    look.done = this.look(sessionId, delegationId, look);
    return look.done;
  }

  private async look(sessionId: string, delegationId: string, look: Look): Promise<void> {
    do {
      look.again = false;
      await runUntilDone(this.needs, `${delegationId}\ndelegation`, () => this.step(sessionId, delegationId));
    } while (look.again);
    this.looking.delete(delegationId);
  }

  /** Takes the next step that the durable state allows, if any. */
  private async step(sessionId: string, delegationId: string): Promise<void> {
    const { store, sessions, backlog } = this.needs;
    if (backlog.failed !== null) return;
    const parent = await sessions.use(sessionId, ({ durable }) => durable);
    const open = parent?.delegations.find(({ delegation_id }) => delegation_id === delegationId);
    if (parent === null || open === undefined) return;
    const created = await store.createdUnder(open.agent_id, childKey(delegationId));
    if (created === null) return this.begin(parent.metadata, open);
    const child = await sessions.use(created.session_id, ({ durable }) => durable);
    if (child === null) return;
    const { metadata } = child;
    if (metadata.state === 'CLOSING' || isTerminal(metadata.state))
      return this.settle(sessionId, await this.children.settlement(metadata, open, this.isGone(parent.metadata, open)));
    if (this.isGone(parent.metadata, open)) return this.close(metadata.session_id);
    if (metadata.state === 'ACTIVE' && child.head.turn?.agent_id === open.agent_id)
      await this.children.postPrompt(metadata.session_id, await this.read(sessionId, open));
  }

  private async begin(parent: SessionMetadata, open: OpenDelegation): Promise<void> {
    const { session_id } = parent;
    const { delegation_id, agent_id } = open;
    const none = { delegation_id, agent_id, child_session_id: null, spent: ZERO_SPEND };
    const removed = { ...none, outcome: 'delegator_removed', reason: DELEGATOR_REMOVED } as const;
    if (this.isGone(parent, open)) return this.settle(session_id, removed);
    try {
      await this.children.open(session_id, await this.read(session_id, open));
    } catch (thrown) {
      // Retry temporary failures, and a child that another run opened in between.
      const isRefusal = thrown instanceof WireError && thrown.code !== 'unavailable' && thrown.code !== 'duplicate';
      if (!isRefusal) throw thrown;
      // The delegator may have been removed in between, which would explain the rejection.
      const now = await this.needs.sessions.use(session_id, ({ durable }) => durable?.metadata ?? parent);
      const refused = { ...none, outcome: 'refused', reason: thrown.message } as const;
      await this.settle(session_id, this.isGone(now, open) ? removed : refused);
    }
  }

  private settle(sessionId: string, settled: DelegationSettled): Promise<void> {
    return this.needs.sessions.use(sessionId, async (session) => {
      await session.decide((state) => settleDelegation(state, settled));
    });
  }

  private close(childId: string): Promise<void> {
    return this.needs.sessions.use(childId, async (session) => {
      await session.decide((state) => closeSession(state, null, DELEGATOR_REMOVED));
    });
  }

  private async read(sessionId: string, { seq }: OpenDelegation): Promise<DelegationOpened> {
    return openedFrom((await readEntry(this.needs.store, sessionId, seq)).envelope);
  }

  /** The delegator has left or is no longer registered. */
  private isGone(parent: SessionMetadata, { agent_id }: OpenDelegation): boolean {
    const delegator = participantOf(parent, agent_id);
    return delegator === undefined || !isMember(delegator) || this.needs.registry.isGone(agent_id);
  }

  private openIn(sessionId: string): Promise<readonly OpenDelegation[]> {
    return this.needs.sessions.use(sessionId, ({ durable }) => durable?.delegations ?? []);
  }
}
