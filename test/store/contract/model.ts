/** Compares a store with a naive model: random pipelined appends at right and wrong heads, with reads in between. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { isoFromMs } from '../../../src/core/lib/time.ts';
import type {
  Append,
  AppendOutcome,
  HeadToken,
  LiveRow,
  ReadRange,
  SessionQuery,
  Store,
} from '../../../src/core/ports/store.ts';
import { isTerminal } from '../../../src/core/records/session/session.ts';
import type { Entry, Head, Unit } from '../../../src/core/records/session/unit.ts';
import { foldHead, headDeadline } from '../../../src/core/state/fold-head.ts';
import { createdUnit, hubUnit, textUnit, withDue } from '../../support/sample-records.ts';
import { allPages, liveRows } from './read-store.ts';

const LOGS = ['s1', 's2', 's3'] as const;
/** Shared by two of the three sessions. */
const CREATE_KEY = 'k1';
/** One session expires between the other deadlines. */
const EXPIRES_MS = 500;

type Command =
  | AppendCommand
  | { readonly kind: 'read'; readonly log: string; readonly range: ReadRange }
  | { readonly kind: 'list'; readonly query: SessionQuery };

interface AppendCommand {
  readonly kind: 'append';
  readonly log: string;
  readonly at: Place;
  readonly size: number;
  readonly ends: boolean;
  /** The deadline after each entry. */
  readonly dues: readonly (number | null)[];
}

/** The expected head of an append: the current one, none, or the one after the nth append. */
type Place = 'head' | 'none' | number;

/** Runs random histories on new stores and compares each with the model. */
export async function checkStoreModel(open: () => Promise<Store>, runs: number): Promise<void> {
  const history = fc.array(command, { maxLength: 30, size: 'max' });
  const property = fc.asyncProperty(history, async (commands) => {
    const store = await open();
    const model = new Model(store);
    for (const step of commands) await model.run(step);
    await model.compareAll();
    await store.close();
  });
  await fc.assert(property, { numRuns: runs });
}

interface Given {
  readonly token: HeadToken;
  readonly seq: number;
}

interface ModelLog {
  readonly entries: Entry[];
  /** The results of all appends, successful or not. */
  readonly given: Given[];
  head: Given | null;
}

class Model {
  readonly #store: Store;
  readonly #logs = new Map<string, ModelLog>();
  /** In order of creation. */
  readonly #sessions: string[] = [];
  readonly #appends: Append[] = [];
  readonly #expected: AppendOutcome[] = [];
  #unitCount = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async run(step: Command): Promise<void> {
    switch (step.kind) {
      case 'append':
        return this.#append(step);
      case 'read':
        await this.#settle();
        expect(await this.#store.read(step.log, step.range)).toEqual(this.#read(step.log, step.range));
        return;
      case 'list':
        await this.#settle();
        expect(await allPages(this.#store, step.query)).toEqual(this.#list(step.query));
        return;
    }
  }

  async compareAll(): Promise<void> {
    await this.#settle();
    for (const [logId, log] of this.#logs) {
      const position = await this.#store.position(logId);
      expect(position?.seq ?? 0).toBe(log.entries.length);
      expect((await this.#store.head(logId))?.head ?? null).toEqual(headOf(log));
    }
    const live = this.#heads().filter((head) => !isTerminal(head.state));
    const rows = await liveRows(this.#store);
    expect(rows.map(({ session_id }) => session_id)).toEqual(byId(live).map(idOf));
    for (const row of rows) expectRow(row, this.#log(row.session_id).entries);
    for (const logId of LOGS) {
      const children = live.filter(({ parent_session_id }) => parent_session_id === logId);
      expect([...(await this.#store.liveChildren(logId))].sort()).toEqual(byId(children).map(idOf));
    }
    const keyed = this.#heads().findLast(({ create_key }) => create_key === CREATE_KEY);
    expect(await this.#store.createdUnder('alice', CREATE_KEY)).toEqual(keyed ?? null);
    const ids = [...this.#logs.values()].flatMap(({ entries }) => entries.map(({ envelope }) => envelope.envelope_id));
    expect(await this.#store.newestEnvelopeId()).toBe(ids.sort().at(-1) ?? null);
  }

  /** Not awaited, so that later appends are staged behind it. */
  #append({ log: logId, at, size, ends, dues }: AppendCommand): void {
    const log = this.#log(logId);
    const place = typeof at === 'number' ? (log.given[at % Math.max(1, log.given.length)] ?? null) : null;
    const expected = at === 'head' ? log.head : place;
    const unit = withDue(this.#unit(logId, (expected?.seq ?? 0) + 1, size, ends), ...dues);
    const append = this.#store.append(logId, expected?.token ?? null, unit);
    const given = { token: append.token, seq: (expected?.seq ?? 0) + unit.entries.length };
    const fits = expected === log.head;
    log.given.push(given);
    this.#appends.push(append);
    this.#expected.push({ kind: fits ? 'durable' : 'conflict' });
    if (!fits) return;
    if (log.head === null) this.#sessions.push(logId);
    log.head = given;
    log.entries.push(...unit.entries);
  }

  async #settle(): Promise<void> {
    expect(await Promise.all(this.#appends.map(({ outcome }) => outcome))).toEqual(this.#expected);
  }

  #read(logId: string, { from_seq, to_seq = Number.MAX_VALUE, limit, reverse = false }: ReadRange): readonly Entry[] {
    const inRange = this.#log(logId).entries.filter(
      ({ envelope }) => envelope.seq >= from_seq && envelope.seq <= to_seq,
    );
    return (reverse ? inRange.reverse() : inRange).slice(0, limit);
  }

  #list({ participant, states, type }: SessionQuery): readonly Head[] {
    return this.#heads()
      .reverse()
      .filter((head) => participant === undefined || head.members[participant] !== undefined)
      .filter((head) => states?.includes(head.state) ?? true)
      .filter((head) => type === undefined || head.type === type);
  }

  #heads(): Head[] {
    return this.#sessions.map((id) => headOf(this.#log(id))).filter((head) => head !== null);
  }

  #log(logId: string): ModelLog {
    const log = this.#logs.get(logId) ?? { entries: [], given: [], head: null };
    this.#logs.set(logId, log);
    return log;
  }

  #unit(logId: string, seq: number, size: number, ends: boolean): Unit {
    this.#unitCount += 1;
    if (ends && seq > 1) return hubUnit(logId, seq, 'session.closed', { reason: `unit ${this.#unitCount}` });
    if (seq > 1) return textUnit(logId, seq, size);
    return createdUnit(logId, {
      type: logId < 's2' ? 'discussion' : 'review',
      agents: ['alice', logId < 's3' ? 'bob' : 'carol'],
      created_at: isoFromMs(this.#unitCount),
      ...(logId === 's2' ? { expires_at: isoFromMs(EXPIRES_MS) } : {}),
      ...(logId === 's1' ? {} : { parent: 's1', create_key: CREATE_KEY }),
    });
  }
}

function headOf(log: ModelLog): Head | null {
  return log.entries.reduce<Head | null>(foldHead, null);
}

function idOf({ session_id }: Head): string {
  return session_id;
}

function byId(heads: readonly Head[]): readonly Head[] {
  return [...heads].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
}

const logId = fc.constantFrom(...LOGS);

const append: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('append' as const),
  log: logId,
  at: fc.oneof(
    { weight: 6, arbitrary: fc.constant('head' as const) },
    { weight: 1, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.nat(8) },
  ),
  size: fc.integer({ min: 1, max: 3 }),
  ends: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  dues: fc.array(fc.option(fc.nat(1000)), { minLength: 3, maxLength: 3 }),
});

const read: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('read' as const),
  log: logId,
  range: fc.record(
    { from_seq: fc.nat(10), to_seq: fc.nat(12), limit: fc.nat(6), reverse: fc.boolean() },
    { requiredKeys: ['from_seq', 'limit'] },
  ),
});

const list: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('list' as const),
  query: fc.record(
    {
      participant: fc.constantFrom('alice', 'bob', 'carol', 'nobody'),
      states: fc.subarray(['INVITED', 'CLOSED'] as const),
      type: fc.constantFrom('discussion', 'review'),
      limit: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ['limit'] },
  ),
});

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: append },
  { weight: 2, arbitrary: read },
  { weight: 1, arbitrary: list },
);

/** A late row would delay a violation; an early one is harmless, if it is a deadline the log once had. */
function expectRow(row: LiveRow, entries: readonly Entry[]): void {
  const heads = headsOf(entries);
  const head = heads.at(-1);
  const { session_id, type, state, is_child, delegates, deadline_ms } = row;
  expect({ session_id, type, state, is_child, delegates }).toEqual({
    session_id: head?.session_id,
    type: head?.type,
    state: head?.state,
    is_child: head?.parent_session_id !== null,
    delegates: (head?.delegations ?? 0) > 0,
  });
  const had = heads.map(headDeadline);
  expect(had, `deadlines that session ${session_id} had`).toContain(deadline_ms);
  const latest = had.at(-1) ?? Number.POSITIVE_INFINITY;
  expect(deadline_ms ?? Number.POSITIVE_INFINITY, `when to look at session ${session_id}`).toBeLessThanOrEqual(latest);
}

function headsOf(entries: readonly Entry[]): readonly Head[] {
  const heads: Head[] = [];
  for (const entry of entries) heads.push(foldHead(heads.at(-1) ?? null, entry));
  return heads;
}
