/** The limits of a participant, and those of the sessions it is in: which of them a turn is under, and what counts against each. */

import type { AgentClient, Session } from '../../client/index.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Result } from '../../core/operations.ts';
import type { ExpectationEntry } from '../../core/records/session/session.ts';
import { appliesTo } from '../../core/tallies.ts';
import { Account } from './account.ts';
import type { Budget, BudgetLimits } from './budget.ts';
import { type Counted, countOwn, NOTHING_COUNTED, plusCounted, SessionCount } from './count-log.ts';
import { TurnMeter } from './turn-meter.ts';

export class Budgets {
  private readonly client: AgentClient;
  private readonly budget: Budget;
  private total: Promise<Account> | null = null;
  private readonly bySession = new Map<string, Promise<Account>>();
  private readonly counts = new Map<string, readonly { entry: ExpectationEntry; count: SessionCount }[]>();

  constructor(client: AgentClient, budget: Budget = {}) {
    this.client = client;
    this.budget = budget;
  }

  /** null = the turn is under no limit. Throws AgentError `budget_exceeded` where nothing could come of it. */
  async begin(session: Session, info: Result<'get_session'>): Promise<TurnMeter | null> {
    const accounts = [
      ...this.forTurn(),
      ...(await this.ofSession(session)),
      ...(await this.inAll()),
      ...(await this.given(session, info)),
    ];
    for (const account of accounts) account.requireOpen(this.client.name);
    return accounts.length === 0 ? null : new TurnMeter(accounts).begin();
  }

  /** A session that is over is in its log. */
  forget(sessionId: string): void {
    this.bySession.delete(sessionId);
    this.counts.delete(sessionId);
  }

  private forTurn(): readonly Account[] {
    const { perTurn } = this.budget;
    return perTurn === undefined ? [] : [this.account('for a turn', perTurn, NOTHING_COUNTED)];
  }

  private async ofSession(session: Session): Promise<readonly Account[]> {
    const { perSession } = this.budget;
    if (perSession === undefined) return [];
    const known = this.bySession.get(session.id);
    const counting =
      known ??
      countOwn(session, this.client.agentId).then((counted) => this.account('for a session', perSession, counted));
    this.bySession.set(session.id, counting);
    counting.catch(() => this.bySession.delete(session.id));
    return [await counting];
  }

  private async inAll(): Promise<readonly Account[]> {
    const { total } = this.budget;
    if (total === undefined) return [];
    this.total ??= this.countAll().then((counted) => this.account('in all', total, counted));
    this.total.catch(() => {
      this.total = null;
    });
    return [await this.total];
  }

  private async countAll() {
    let counted = NOTHING_COUNTED;
    for await (const { session_id } of this.client.sessions()) {
      const own = countOwn(this.client.session(session_id), this.client.agentId).catch(unread);
      counted = plusCounted(counted, await own);
    }
    return counted;
  }

  private account(what: string, limits: BudgetLimits, counted: ConstructorParameters<typeof Account>[3]): Account {
    const label = `the budget of ${this.client.name} ${what}`;
    return new Account(label, limits, this.budget.unpriced ?? 'refuse', counted);
  }

  /** What the session itself may spend: with it, a delegation stays within what was set aside for it. */
  private async given(session: Session, { session: metadata }: Result<'get_session'>): Promise<readonly Account[]> {
    const { agentId } = this.client;
    const entries = metadata.manifest.expectations.filter(
      (entry) => entry.name === 'budget_within' && appliesTo(entry, agentId, metadata),
    );
    const counts = this.counts.get(session.id) ?? entries.map((entry) => ({ entry, count: new SessionCount(entry) }));
    if (counts.length > 0) this.counts.set(session.id, counts);
    const accounts: Account[] = [];
    for (const { entry, count } of counts) {
      const { usd, tokens } = entry.params;
      const limits = { usd: asLimit(usd), tokens: asLimit(tokens) };
      const spent = await count.read(session, metadata);
      // What has no price counts as nothing there, as it does for the hub.
      accounts.push(new Account('the budget of the session', limits, 'count_as_zero', { spent, turns: 0 }));
    }
    return accounts;
  }
}

/** Who never joined a session has said nothing in it. */
function unread(thrown: unknown): Counted {
  if (thrown instanceof WireError && (thrown.code === 'not_found' || thrown.code === 'forbidden'))
    return NOTHING_COUNTED;
  throw thrown;
}

function asLimit(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
