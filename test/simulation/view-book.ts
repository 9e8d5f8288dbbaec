/** Every view that was shown, and what it must show: the same again at any later time, and exactly the newest of what is visible. */

import { isContent, type Result } from 'parley-hub/core';
import { holds } from './law-broken.ts';
import { isFor, type LogModel, same } from './log-model.ts';

type Shown = Result<'read_view'>;
type Past = Pick<Shown, 'view' | 'at_seq'>;

export class ViewBook {
  readonly #model: LogModel;
  readonly #mayBeDenied: (agentId: string, senderId: string) => boolean;
  readonly #shown = new Map<string, Shown>();
  readonly #past = new Map<string, Past[]>();

  constructor(model: LogModel, mayBeDenied: (agentId: string, senderId: string) => boolean) {
    this.#model = model;
    this.#mayBeDenied = mayBeDenied;
  }

  /** What this participant has looked at in the session, to be asked for again. */
  pastOf(agentId: string | null, session: string): readonly Past[] {
    return this.#past.get(`${agentId} ${session}`) ?? [];
  }

  /** True = it was shown before, and is the same. */
  check(agentId: string, session: string, shown: Shown): boolean {
    // What its rule keeps from it is not shown, and rules change.
    const entries = this.#model.sessions.get(session)?.entries ?? [];
    if (entries.some(({ envelope }) => this.#mayBeDenied(agentId, envelope.sender_id))) return false;
    const where = `${shown.view.name} of ${session} at seq ${shown.at_seq} for ${agentId}`;
    this.#checkLines(agentId, session, shown, where);
    const key = `${agentId} ${session} ${shown.at_seq} ${JSON.stringify(shown.view)}`;
    const before = this.#shown.get(key);
    holds(
      before === undefined || same(before, shown),
      'L3',
      () => `${where} was ${JSON.stringify(before)} and is ${JSON.stringify(shown)}`,
    );
    this.#shown.set(key, shown);
    const past = this.#past.get(`${agentId} ${session}`) ?? [];
    this.#past.set(`${agentId} ${session}`, past);
    if (before === undefined) past.push({ view: shown.view, at_seq: shown.at_seq });
    return before !== undefined;
  }

  #checkLines(agentId: string, session: string, { messages, earlier, at_seq }: Shown, where: string): void {
    const visible = this.#visible(agentId, session, at_seq);
    const lines = messages.filter(({ seq }) => seq !== null);
    const expected = visible.slice(visible.length - lines.length);
    const isSuffix = same(
      expected.map(({ seq }) => seq),
      lines.map(({ seq }) => seq),
    );
    holds(
      isSuffix,
      'L1',
      () => `${where} shows ${lines.map(({ seq }) => seq).join()}, of ${visible.map(({ seq }) => seq).join()}`,
    );
    const roles = expected.map(({ own }) => (own ? 'assistant' : 'user'));
    holds(
      same(
        roles,
        lines.map(({ role }) => role),
      ),
      'L7',
      () => `${where} mixes up who spoke`,
    );
    const left = visible.length - lines.length;
    holds(earlier === left, 'L3', () => `${where} counts ${earlier} earlier lines, there are ${left}`);
  }

  /** By a reading of the spec that shares no code with the hub's. */
  #visible(agentId: string, session: string, atSeq: number): readonly { seq: number; own: boolean }[] {
    const entries = this.#model.sessions.get(session)?.entries ?? [];
    const removed = entries.find(
      ({ envelope }) =>
        envelope.event_type === 'session.participant.removed' && envelope.event_data.agent_id === agentId,
    );
    const end = Math.min(atSeq, removed?.envelope.seq ?? Number.POSITIVE_INFINITY);
    return entries
      .map(({ envelope }) => envelope)
      .filter((envelope) => envelope.seq <= end && isLine(envelope.event_type))
      .filter((envelope) => envelope.sender_id === agentId || isFor(envelope, agentId))
      .map(({ seq, sender_id }) => ({ seq, own: sender_id === agentId }));
  }
}

function isLine(type: string): boolean {
  return isContent(type) || type === 'expectation.violated';
}
