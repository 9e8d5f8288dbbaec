/**
 * Finds the limits that apply to a turn. account.ts is one limit; turn-meter.ts counts a turn against all of them.
 * A restart changes no count, because spending is read from the logs.
 */

import type { AgentClient, Session } from '../../client/index.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { actingAgent, type Envelope, isContent } from '../../core/records/session/envelope.ts';
import type { ExpectationEntry, SessionMetadata } from '../../core/records/session/session.ts';
import {
  addSpend,
  type Spend,
  spendFromEnvelope,
  UNREPORTED,
  ZERO_SPEND,
} from '../../core/records/session/spending.ts';
import { appliesTo } from '../../core/state/pacing.ts';
import type { Budget, BudgetLimits } from './account.ts';
import { Account } from './account.ts';
import { TurnMeter } from './turn-meter.ts';

export class Budgets {
  private readonly client: AgentClient;
  private readonly budget: Budget;
  private total: Promise<Account> | null = null;
  private readonly bySession = new Map<string, Promise<Account>>();
  private readonly counts = new Map<string, readonly { entry: ExpectationEntry; count: SessionSpend }[]>();

  constructor(client: AgentClient, budget: Budget = {}) {
    this.client = client;
    this.budget = budget;
  }

  /** null if no limit applies. Throws AgentError `budget_exceeded` if a limit is already reached. */
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

  forget(sessionId: string): void {
    this.bySession.delete(sessionId);
    this.counts.delete(sessionId);
  }

  private forTurn(): readonly Account[] {
    const { perTurn } = this.budget;
    return perTurn === undefined ? [] : [this.account('for a turn', perTurn, ZERO_TOTAL)];
  }

  private async ofSession(session: Session): Promise<readonly Account[]> {
    const { perSession } = this.budget;
    if (perSession === undefined) return [];
    const known = this.bySession.get(session.id);
    const counting =
      known ??
      sumOwnSpend(session, this.client.agentId).then((counted) => this.account('for a session', perSession, counted));
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
    let counted = ZERO_TOTAL;
    for await (const { session_id } of this.client.sessions()) {
      const own = sumOwnSpend(this.client.session(session_id), this.client.agentId).catch(unread);
      counted = addTotals(counted, await own);
    }
    return counted;
  }

  private account(what: string, limits: BudgetLimits, counted: ConstructorParameters<typeof Account>[3]): Account {
    const label = `the budget of ${this.client.name} ${what}`;
    return new Account(label, limits, this.budget.unpriced ?? 'refuse', counted);
  }

  /** The session's own limits: they keep a delegation within its reserved budget. */
  private async given(session: Session, { session: metadata }: Result<'get_session'>): Promise<readonly Account[]> {
    const { agentId } = this.client;
    const entries = metadata.manifest.expectations.filter(
      (entry) => entry.name === 'budget_within' && appliesTo(entry, agentId, metadata),
    );
    const counts = this.counts.get(session.id) ?? entries.map((entry) => ({ entry, count: new SessionSpend(entry) }));
    if (counts.length > 0) this.counts.set(session.id, counts);
    const accounts: Account[] = [];
    for (const { entry, count } of counts) {
      const { usd, tokens } = entry.params;
      const limits = { usd: asLimit(usd), tokens: asLimit(tokens) };
      const spent = await count.read(session, metadata);
      // Unknown prices count as 0 here, as in the hub.
      accounts.push(new Account('the budget of the session', limits, 'count_as_zero', { spent, turns: 0 }));
    }
    return accounts;
  }
}

/** A participant has spent nothing in a session it never joined. */
function unread(thrown: unknown): SpendTotal {
  if (thrown instanceof WireError && (thrown.code === 'not_found' || thrown.code === 'forbidden')) return ZERO_TOTAL;
  throw thrown;
}

function asLimit(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

interface SpendTotal {
  readonly spent: Spend;
  readonly turns: number;
}

const ZERO_TOTAL: SpendTotal = { spent: ZERO_SPEND, turns: 0 };

/** Sums what an agent spent in a session, including its delegations. */
async function sumOwnSpend(session: Session, agentId: string): Promise<SpendTotal> {
  let counted = ZERO_TOTAL;
  for await (const envelope of session.log()) {
    if (actingAgent(envelope) !== agentId) continue;
    const isTurn = isAnswer(envelope);
    const spent = addSpend(counted.spent, spendFromEnvelope(envelope) ?? (isTurn ? UNREPORTED : ZERO_SPEND));
    counted = { spent, turns: counted.turns + (isTurn ? 1 : 0) };
  }
  return counted;
}

function isAnswer({ event_type, idempotency_key }: Envelope): boolean {
  return isContent(event_type) && idempotency_key?.startsWith('turn:') === true;
}

function addTotals(a: SpendTotal, b: SpendTotal): SpendTotal {
  return { spent: addSpend(a.spent, b.spent), turns: a.turns + b.turns };
}

/** Spending under one expectation of the session, in the part of the log that this participant can see. */
class SessionSpend {
  private readonly entry: ExpectationEntry;
  private seq = 0;
  private spent = ZERO_SPEND;

  constructor(entry: ExpectationEntry) {
    this.entry = entry;
  }

  /** Reads only new envelopes. */
  async read(session: Session, metadata: SessionMetadata): Promise<Spend> {
    for await (const envelope of session.log({ fromSeq: this.seq + 1 })) {
      this.seq = envelope.seq;
      if (!appliesTo(this.entry, actingAgent(envelope), metadata)) continue;
      this.spent = addSpend(this.spent, spendFromEnvelope(envelope) ?? ZERO_SPEND);
    }
    return this.spent;
  }
}
