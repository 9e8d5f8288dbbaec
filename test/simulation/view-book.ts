/**
 * Every view that was shown, and what it must show: the same at any later time, and exactly the newest visible lines.
 */

import { isContent, type Result } from 'parley-hub/core';
import { holds } from './law-broken.ts';
import { isFor, type LogModel, same } from './log-model.ts';

type Shown = Result<'read_view'>;
type Past = Pick<Shown, 'view' | 'at_seq'>;
type Denial = (senderId: string) => boolean;

interface Line {
  readonly seq: number;
  readonly sender_id: string;
  readonly own: boolean;
}

export class ViewBook {
  readonly #model: LogModel;
  readonly #shown = new Map<string, Shown>();
  readonly #past = new Map<string, Past[]>();

  constructor(model: LogModel) {
    this.#model = model;
  }

  /** Earlier reads of this participant in the session, to be repeated. */
  pastOf(agentId: string | null, session: string): readonly Past[] {
    return this.#past.get(`${agentId} ${session}`) ?? [];
  }

  /** True = shown before, and equal. `denials`: it may have been withheld by one of them. */
  check(agentId: string, session: string, shown: Shown, denials: readonly Denial[]): boolean {
    const where = `${shown.view.name} of ${session} at seq ${shown.at_seq} for ${agentId}`;
    const visible = this.#checkLines(agentId, session, shown, denials, where);
    const key = `${agentId} ${session} ${shown.at_seq} ${JSON.stringify(shown.view)} of ${visible}`;
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

  /** Of visible text. */
  #checkLines(agentId: string, session: string, shown: Shown, denials: readonly Denial[], where: string): string {
    const all = this.#visible(agentId, session, shown.at_seq);
    const wrong: { law: string; why: string }[] = [];
    for (const isDenied of denials) {
      const visible = all.filter(({ own, sender_id }) => own || !isDenied(sender_id));
      const problem = problemOf(visible, shown);
      if (problem === null) return visible.map(({ seq }) => seq).join();
      wrong.push(problem);
    }
    const [first] = wrong;
    holds(first === undefined, first?.law ?? 'L1', () => `${where} ${first?.why}`);
    return '';
  }

  /** By an independent reading of the spec. */
  #visible(agentId: string, session: string, atSeq: number): readonly Line[] {
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
      .map(({ seq, sender_id }) => ({ seq, sender_id, own: sender_id === agentId }));
  }
}

function isLine(type: string): boolean {
  return isContent(type) || type === 'expectation.violated';
}

/** Exactly the newest visible lines with their roles, and the others counted; null = correct. */
function problemOf(visible: readonly Line[], { messages, earlier }: Shown): { law: string; why: string } | null {
  const lines = messages.filter(({ seq }) => seq !== null);
  const seqs = lines.map(({ seq }) => seq).join();
  const expected = visible.slice(visible.length - lines.length);
  const left = visible.length - lines.length;
  if (expected.map(({ seq }) => seq).join() !== seqs)
    return { law: 'L1', why: `shows ${seqs}, of ${visible.map(({ seq }) => seq).join()}` };
  if (expected.some(({ own }, i) => lines[i]?.role !== (own ? 'assistant' : 'user')))
    return { law: 'L7', why: 'mixes up who spoke' };
  return earlier === left ? null : { law: 'L3', why: `counts ${earlier} earlier lines, there are ${left}` };
}
