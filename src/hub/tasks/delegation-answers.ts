/** What `delegate` answers: the settlement of a delegation, or that it is open. What the log says under the hub's own keys. */

import type { Decision } from '../../core/decisions/decision.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Store } from '../../core/ports/store.ts';
import { HUB_ID, hubDraft } from '../../core/records/session/envelope.ts';
import type { KeyRecord } from '../../core/records/session/keys.ts';
import type { DelegateAnswer, DelegateParams, DelegationOpened } from '../../core/records/work/delegation.ts';
import { settledFrom, settledKey } from '../../core/state/open-delegations.ts';
import type { SessionState } from '../../core/state/state.ts';
import { readEntry } from '../log/read-pages.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { childKey } from './delegation-child.ts';
import type { Delegations } from './delegations.ts';

export class DelegationAnswers {
  private readonly store: Store;
  private readonly sessions: Sessions;
  private readonly delegations: Delegations;

  constructor(store: Store, sessions: Sessions, delegations: Delegations) {
    this.store = store;
    this.sessions = sessions;
    this.delegations = delegations;
  }

  /** Answers when it is settled, or as soon as it is under way. */
  async arrive(params: DelegateParams, opened: DelegationOpened): Promise<DelegateAnswer> {
    const { session_id, wait = 'reply' } = params;
    const { delegation_id } = opened;
    if (wait === 'opened') {
      await this.delegations.drive(session_id, delegation_id);
      return (await this.settled(session_id, opened)) ?? this.open(opened);
    }
    const settlement = this.delegations.settlement(delegation_id);
    try {
      // Waited for before it is looked at: it may be settled in between.
      const known = await this.settled(session_id, opened);
      if (known !== null) return known;
      await settlement.done;
    } finally {
      settlement.forget();
    }
    const answer = await this.settled(session_id, opened);
    if (answer === null) throw new WireError('internal', `delegation ${delegation_id} was settled without a word`);
    return answer;
  }

  private async open(opened: DelegationOpened): Promise<DelegateAnswer> {
    const { delegation_id } = opened;
    const child_session_id = await this.childOf(opened);
    return { delegation_id, child_session_id, outcome: 'open', reason: null, reply: null, spent: null };
  }

  private async childOf({ agent_id, delegation_id }: DelegationOpened): Promise<string | null> {
    return (await this.store.createdUnder(agent_id, childKey(delegation_id)))?.session_id ?? null;
  }

  /** What the log says of it; null = it is not settled. */
  private async settled(sessionId: string, opened: DelegationOpened): Promise<DelegateAnswer | null> {
    const { delegation_id, target_id } = opened;
    const key = settledKey(delegation_id);
    const seq = await this.sessions.use(sessionId, (session) =>
      decideUnderKey<number | null>(session, key, (_state, earlier) => ({
        kind: 'nothing',
        answer: acceptedUnder(session, key, earlier),
      })),
    );
    if (seq === null) return null;
    const settled = settledFrom((await readEntry(this.store, sessionId, seq)).envelope);
    const { outcome, reason, spent } = settled;
    // A parent that ends settles without knowing its children.
    const child_session_id = settled.child_session_id ?? (await this.childOf(opened));
    const hasReply = outcome === 'replied' && child_session_id !== null;
    const reply = hasReply ? await this.delegations.children.replyOf(child_session_id, target_id) : null;
    return { delegation_id, child_session_id, outcome, reason, reply, spent };
  }
}

/** Judged with what the hub itself said under the key, also if that is no longer in memory. */
export function decideUnderKey<T>(
  session: LiveSession,
  key: string | null,
  decide: (state: SessionState, earlier?: KeyRecord) => Decision<T>,
): Promise<T> {
  if (key === null) return session.decide((state) => decide(state));
  return session.decideKeyed({ ...hubDraft(session.sessionId, 'delegation.opened', {}), idempotency_key: key }, decide);
}

/** The seq of what the hub said under the key. */
export function acceptedUnder(session: LiveSession, key: string | null, earlier: KeyRecord | undefined): number | null {
  return (session.accepted(HUB_ID, key) ?? earlier)?.seq ?? null;
}
