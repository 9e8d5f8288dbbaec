/** Limits on accepted content by an independent reading of the spec: counts the whole log each time. */

import type { Entry, Envelope, ExpectationEntry } from 'parley-hub/core';
import type { SessionState } from '../../src/core/state/state.ts';
import { holds } from './law-broken.ts';

const LIMITS: ReadonlySet<string> = new Set(['max_turns', 'budget_within', 'no_progress']);

interface Violated {
  readonly entry: number;
  readonly name: string;
  readonly violators: readonly { readonly agent_id: string | null; readonly since_seq: number }[];
}

export function isOfLimit({ event_type, event_data }: Envelope): boolean {
  return event_type === 'expectation.violated' && LIMITS.has(String(event_data.name));
}

/**
 * Every content from an index on: the log has exactly the violations it causes, once, before anything else is posted.
 */
export function checkLimits(entries: readonly Entry[], states: readonly SessionState[], from: number): void {
  for (let at = from; at < entries.length; at++) {
    const envelope = entries[at]?.envelope;
    const metadata = states[at]?.metadata;
    if (envelope === undefined || metadata === undefined || !isSeen(envelope)) continue;
    const expectations = metadata.manifest.expectations;
    if (!expectations.some(({ name }) => LIMITS.has(name))) continue;
    const log = entries.slice(0, at + 1).map((one) => one.envelope);
    const due = expectations.flatMap((entry, index) => (isBroken(entry, log, states[at]) ? [index] : []));
    const fired = firedBy(entries, at);
    // A violation that closes leaves none to the entries after it.
    const isCut = expectations[fired.at(-1) ?? -1]?.on_violation === 'auto_close';
    const owed = isCut ? due.slice(0, fired.length) : due;
    const where = `${envelope.session_id} seq ${envelope.seq}`;
    holds(
      fired.join() === owed.join(),
      'L9',
      () => `${where}: entries ${owed.join()} are violated, ${fired.join()} fired`,
    );
  }
}

/** The entries it violates according to the log, all of them before the next post. */
function firedBy(entries: readonly Entry[], at: number): readonly number[] {
  const seq = entries[at]?.envelope.seq;
  const doer = entries[at] === undefined ? null : doerOf(entries[at].envelope);
  return entries.slice(at + 1).flatMap(({ envelope }, i) => {
    if (!isOfLimit(envelope)) return [];
    const { entry, violators } = envelope.event_data as unknown as Violated;
    if (violators[0]?.since_seq !== seq) return [];
    const between = entries.slice(at + 1, at + 1 + i).every((one) => one.envelope.sender_id === 'hub');
    const where = `${envelope.session_id} seq ${envelope.seq}`;
    holds(between, 'L9', () => `${where}: a violation is not in the unit of seq ${seq}`);
    holds(violators.length === 1 && violators[0]?.agent_id === doer, 'L9', () => `${where}: not by its sender`);
    return [entry];
  });
}

function isBroken(entry: ExpectationEntry, log: readonly Envelope[], state: SessionState | undefined): boolean {
  const last = log.at(-1);
  const counted = log.filter((one) => isSeen(one) && applies(entry, one, state));
  if (last === undefined || counted.at(-1) !== last) return false;
  const turns = counted.filter(isTurn);
  switch (entry.name) {
    case 'max_turns':
      return isTurn(last) && turns.length === entry.params.turns;
    case 'budget_within':
      return isOver(counted, entry) && !isOver(counted.slice(0, -1), entry);
    case 'no_progress':
      return (
        isTurn(last) &&
        goesRound(
          turns.filter((one) => one.sender_id === last.sender_id),
          Number(entry.params.repeats),
        )
      );
    default:
      return false;
  }
}

/** Content, and what was spent elsewhere for the session. */
function isSeen({ event_type }: Envelope): boolean {
  if (event_type === 'delegation.settled') return true;
  return !/^(session|expectation|task|delegation)\./.test(event_type) && event_type !== 'context.set';
}

/** A settlement is charged to the delegator. */
function doerOf({ event_type, event_data, sender_id }: Envelope): string {
  return event_type === 'delegation.settled' ? String(event_data.agent_id) : sender_id;
}

function isTurn({ event_type }: Envelope): boolean {
  return event_type === 'msg.text' || event_type === 'msg.packet';
}

function applies({ applies_to }: ExpectationEntry, envelope: Envelope, state: SessionState | undefined): boolean {
  const doer = doerOf(envelope);
  const role = state?.metadata.participants.find(({ agent_id }) => agent_id === doer)?.role ?? '';
  return applies_to === undefined || applies_to.includes(doer) || applies_to.includes(role);
}

/** Simulated costs are whole cents. */
function isOver(said: readonly Envelope[], { params }: ExpectationEntry): boolean {
  let cents = 0;
  let tokens = 0;
  for (const { event_type, event_data } of said) {
    if (event_type === 'delegation.settled') {
      const spent = event_data.spent as { usd: number; tokens: number } | null;
      cents += Math.round((spent?.usd ?? 0) * 100);
      tokens += spent?.tokens ?? 0;
      continue;
    }
    const { cost_usd, usage } = event_data as { cost_usd?: number | null; usage?: Record<string, number> };
    cents += Math.round((cost_usd ?? 0) * 100);
    for (const some of Object.values(usage ?? {})) tokens += some;
  }
  const { usd, tokens: most } = params as { usd?: number; tokens?: number };
  return (usd !== undefined && cents > Math.round(usd * 100)) || (most !== undefined && tokens > most);
}

function goesRound(own: readonly Envelope[], repeats: number): boolean {
  const texts = own.map(({ event_data: { text = null, body = null, routing = null } }) =>
    JSON.stringify([text, body, routing]).toLowerCase().replace(/\d+/g, '0'),
  );
  const isLoop = (all: readonly string[], length: number) => {
    const end = all.slice(-length * repeats);
    return end.length === length * repeats && end.every((one, i) => one === end[i % length]);
  };
  const shortest = [1, 2, 3, 4].find((length) => isLoop(texts, length));
  return shortest !== undefined && !isLoop(texts.slice(0, -1), shortest);
}
