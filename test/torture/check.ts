/** The laws, from the members' journals alone: nothing lost, doubled or out of order, and every close received. */

import { type Line, linesOf } from './journal.ts';

export interface Verdict {
  readonly sessions: number;
  readonly posted: number;
  readonly acked: number;
  /** By code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly received: number;
  readonly closes: number;
  /** An answered post that a participant never received. */
  readonly lost: readonly string[];
  /** The same envelope twice for one member, or one post under two seqs. */
  readonly doubled: readonly string[];
  readonly outOfOrder: readonly string[];
  /** A closed session whose participant was not notified. */
  readonly closesUnheard: readonly string[];
  /** A post neither answered nor rejected: its sender still waits. */
  readonly unanswered: readonly string[];
  readonly strange: readonly string[];
}

export const LAWS = ['lost', 'doubled', 'outOfOrder', 'closesUnheard', 'unanswered', 'strange'] as const;

export type Journals = ReadonlyMap<string, readonly Line[]>;

export function check(journals: Journals): Verdict {
  const all = [...journals.values()].flat();
  const members = membersOf(journals);
  const count = (kind: Line['at']): number => linesOf(all, kind).length;
  return {
    sessions: members.size,
    posted: new Set(linesOf(all, 'posting').map(({ key }) => key)).size,
    acked: count('acked'),
    refused: countedBy(linesOf(all, 'refused').map(({ code }) => code)),
    received: count('received'),
    closes: count('closed'),
    lost: lostIn(journals, members),
    doubled: doubledIn(journals),
    outOfOrder: [...journals].flatMap(([name, lines]) => outOfOrderOf(name, lines, sentOrder(journals))),
    closesUnheard: unheardIn(journals, members),
    unanswered: [...journals].flatMap(([, lines]) => unansweredOf(lines)),
    strange: strangeIn(journals),
  };
}

function countedBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

export function isHeld(verdict: Verdict): boolean {
  return LAWS.every((law) => verdict[law].length === 0);
}

/** The participants of each session: all named ones once it opened, else those that joined. */
function membersOf(journals: Journals): ReadonlyMap<string, ReadonlySet<string>> {
  const members = new Map<string, Set<string>>();
  const add = (session: string, name: string): void =>
    void members.set(session, (members.get(session) ?? new Set()).add(name));
  for (const [name, lines] of journals) {
    for (const { session } of linesOf(lines, 'joined')) add(session, name);
    const asked = new Map(linesOf(lines, 'opening').map((line) => [line.key, line.names]));
    for (const { key, session } of linesOf(lines, 'opened')) {
      for (const one of [name, ...(asked.get(key) ?? [])]) add(session, one);
    }
  }
  return members;
}

function lostIn(journals: Journals, members: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const has = new Map<string, ReadonlySet<string>>();
  for (const [name, lines] of journals) {
    has.set(name, new Set(linesOf(lines, 'received').map(({ session, key, seq }) => `${session} ${seq} ${key}`)));
  }
  return [...journals].flatMap(([sender, lines]) =>
    linesOf(lines, 'acked').flatMap(({ session, key, seq }) => {
      const others = [...(members.get(session) ?? [])].filter((name) => name !== sender);
      const without = others.filter((name) => has.get(name)?.has(`${session} ${seq} ${key}`) !== true);
      return without.map((name) => `${key} (seq ${seq} of ${session}) was answered, and ${name} never got it`);
    }),
  );
}

function doubledIn(journals: Journals): readonly string[] {
  const doubled: string[] = [];
  const seqs = new Map<string, number>();
  for (const [name, lines] of journals) {
    const seen = new Set<string>();
    for (const { session, key, seq } of [...linesOf(lines, 'received'), ...linesOf(lines, 'acked')]) {
      const known = seqs.get(`${session} ${key}`) ?? seq;
      if (known !== seq) doubled.push(`${key} is in ${session} as ${known} and as ${seq}`);
      seqs.set(`${session} ${key}`, known);
    }
    for (const { session, key, seq } of linesOf(lines, 'received')) {
      if (seen.has(`${session} ${seq}`)) doubled.push(`${name} got ${key} (seq ${seq} of ${session}) twice`);
      seen.add(`${session} ${seq}`);
    }
  }
  return doubled;
}

/** The position of each post among those of its sender in that session. */
function sentOrder(journals: Journals): ReadonlyMap<string, { readonly sender: string; readonly place: number }> {
  const places = new Map<string, { readonly sender: string; readonly place: number }>();
  for (const [sender, lines] of journals) {
    for (const [place, { key }] of linesOf(lines, 'posting').entries()) {
      if (!places.has(key)) places.set(key, { sender, place });
    }
  }
  return places;
}

function outOfOrderOf(name: string, lines: readonly Line[], sent: ReturnType<typeof sentOrder>): readonly string[] {
  const newest = new Map<string, number>();
  const newestOf = new Map<string, number>();
  return linesOf(lines, 'received').flatMap(({ session, key, seq }) => {
    const faults: string[] = [];
    const before = newest.get(session) ?? 0;
    if (seq < before) faults.push(`${name} got seq ${seq} of ${session} after ${before}`);
    newest.set(session, Math.max(before, seq));
    const { sender, place } = sent.get(key) ?? { sender: '', place: 0 };
    const said = newestOf.get(`${session} ${sender}`) ?? -1;
    if (place < said) faults.push(`${name} got ${key} after what ${sender} said later in ${session}`);
    newestOf.set(`${session} ${sender}`, Math.max(said, place));
    return faults;
  });
}

function unheardIn(journals: Journals, members: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const heard = new Map([...journals].map(([name, lines]) => [name, sessionsIn(lines, 'closed')]));
  const over = new Set([...journals.values()].flatMap((lines) => [...sessionsIn(lines, 'closed', 'closing')]));
  return [...over].flatMap((session) => {
    const deaf = [...(members.get(session) ?? [])].filter((name) => heard.get(name)?.has(session) !== true);
    return deaf.map((name) => `${session} closed, and ${name} was not told`);
  });
}

function sessionsIn(lines: readonly Line[], ...kinds: readonly ('closed' | 'closing')[]): ReadonlySet<string> {
  return new Set(kinds.flatMap((kind) => linesOf(lines, kind).map(({ session }) => session)));
}

function unansweredOf(lines: readonly Line[]): readonly string[] {
  const settled = new Set([...linesOf(lines, 'acked'), ...linesOf(lines, 'refused')].map(({ key }) => key));
  return linesOf(lines, 'posting').flatMap(({ key }) => (settled.has(key) ? [] : [`${key} was never answered`]));
}

/** Envelopes nobody sent, and rejected posts that were stored. */
function strangeIn(journals: Journals): readonly string[] {
  const all = [...journals.values()].flat();
  const sent = new Set(linesOf(all, 'posting').map(({ key }) => key));
  const refused = new Set(linesOf(all, 'refused').map(({ key }) => key));
  return linesOf(all, 'received').flatMap(({ key }) => {
    if (!sent.has(key)) return [`${key} was never sent`];
    return refused.has(key) ? [`${key} was refused, and is there`] : [];
  });
}
