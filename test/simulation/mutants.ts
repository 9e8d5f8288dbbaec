/** Mutants of the ports: each breaks one law on purpose, and the simulation must find it. */

import type { View } from 'parley-hub/core';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import type { Decision } from '../../src/core/decisions/decision.ts';
import { type Envelope, hubDraft } from '../../src/core/records/session/envelope.ts';
import type { SessionState } from '../../src/core/state/state.ts';
import type { Rooms } from '../../src/hub/wiring.ts';
import type { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import { storeMutants } from '../support/store-mutants.ts';
import { DiskStore } from './disk-store.ts';
import type { SimulationOptions } from './simulation.ts';

export interface Mutant {
  readonly name: string;
  /** The law it breaks; a failure of another law does not count. */
  readonly law: string;
  make(seed: number): SimulationOptions;
}

export const mutants: readonly Mutant[] = [
  onStore('ack before durable', 'L1', storeMutants.ackBeforeDurable),
  onStore('accept after close', 'L4', storeMutants.acceptAfterClose),
  onStore('forget a key', 'L5', storeMutants.forgetKey),
  onStore('forget a status', 'L3', storeMutants.forgetStatus),
  onStore('lose a cursor', 'L5', storeMutants.loseCursor),
  onStore('skip a closing', 'L2', storeMutants.skipClosing),
  {
    name: 'never sync',
    law: 'L1',
    make: (seed) => ({ seed, store: DiskStore.seeded(seed, { isSynced: false }) }),
  },
  {
    name: 'a view that changes its mind',
    law: 'L3',
    make: (seed) => ({ seed, views: [moody(), windowedSummary] }),
  },
  {
    name: 'a view that shows the oldest',
    law: 'L1',
    make: (seed) => ({ seed, views: [{ ...fullTranscript, show: oldestFirst }, windowedSummary] }),
  },
  {
    name: 'deliver out of order',
    law: 'L2',
    make: (seed) => ({ seed, disturb: (wire) => wire.reorder(swapNotifies) }),
  },
  {
    name: 'drop without a word',
    law: 'L5',
    make: (seed) => ({ seed, disturb: (wire) => wire.reorder(loseOverflow) }),
  },
  onHub('a session nobody looks at again', 'L6', forgetActive),
  onHub('fire again what has fired', 'L9', fireAgain),
  onHub('fire early', 'L9', fireEarly),
  onHub('skip a firing', 'L9', skipFirings),
  onHub('ignore the grace', 'L9', ({ deadlines }) => {
    deadlines.grace.leftMs = () => 0;
  }),
  onHub('refuse for what nobody limits', 'L8', ({ inboxes }) => {
    let asked = 0;
    // Now and then, whatever the inbox holds.
    inboxes.isFull = () => ++asked % 7 === 0;
  }),
];

function onHub(name: string, law: string, tamper: (rooms: Rooms) => void): Mutant {
  return { name, law, make: (seed) => ({ seed, tamper }) };
}

function forgetActive({ index }: Rooms): void {
  const update = index.update.bind(index);
  index.update = (head, nowMs) => (head.state === 'ACTIVE' ? index.forget(head.session_id) : update(head, nowMs));
}

/** A hub that forgets over a restart what has fired: repeats the last violation when the session is next due. */
function fireAgain({ deadlines: { watching }, store }: Rooms): void {
  const fire = watching.fire.bind(watching);
  watching.fire = async (session, nowMs) => {
    const { sessionId } = session;
    const entries = await store.read(sessionId, { from_seq: 1, limit: 500 });
    const last = entries.findLast(({ envelope }) => envelope.event_type === 'expectation.violated')?.envelope;
    if (last !== undefined) void session.decide((state) => said(state, last)).catch(() => {});
    return fire(session, nowMs);
  };
}

function said({ metadata }: SessionState, { event_data, audience }: Envelope): Decision<void> {
  if (metadata.state !== 'ACTIVE') return { kind: 'nothing', answer: undefined };
  const draft = hubDraft(metadata.session_id, 'expectation.violated', event_data, audience);
  return { kind: 'append', drafts: [draft], answer: () => undefined };
}

const EARLY_MS = 3_000;

function fireEarly({ deadlines }: Rooms): void {
  const { due, watching } = deadlines;
  const run = deadlines.run.bind(deadlines);
  deadlines.run = (nowMs) => run(nowMs + EARLY_MS);
  const lookAtMs = due.checkAtMs.bind(due);
  due.checkAtMs = (head) => lookAtMs(head) - EARLY_MS;
  const fire = watching.fire.bind(watching);
  watching.fire = (session, nowMs) => fire(session, nowMs + EARLY_MS);
}

/** Every other time a session is due. */
function skipFirings({ deadlines: { watching } }: Rooms): void {
  let times = 0;
  const fire = watching.fire.bind(watching);
  watching.fire = async (session, nowMs) => {
    times += 1;
    return times % 2 === 0 ? null : fire(session, nowMs);
  };
}

function loseOverflow(queue: string[]): void {
  const last = queue.at(-1);
  if (last?.includes('"overflow"') && (JSON.parse(last) as { kind: string }).kind === 'gap') queue.pop();
}

function onStore(name: string, law: string, store: () => FaultyStore): Mutant {
  return { name, law, make: (seed) => ({ seed, store: store() }) };
}

/** Shows something else every time. */
function moody(): View {
  let times = 0;
  return {
    ...fullTranscript,
    show: (...given) => {
      times += 1;
      return fullTranscript.show(...given).map((message) => ({ ...message, content: `${message.content} ${times}` }));
    },
  };
}

function oldestFirst(...given: Parameters<View['show']>): ReturnType<View['show']> {
  return fullTranscript.show(...given).slice(0, 2);
}

/** Swaps the last two frames if both are deliveries of one session. */
function swapNotifies(queue: string[]): void {
  const [a, b] = queue.slice(-2);
  if (a === undefined || b === undefined) return;
  const [first, second] = [a, b].map((text) => JSON.parse(text) as { kind: string; envelope?: { session_id: string } });
  if (first?.kind !== 'notify' || second?.kind !== 'notify') return;
  if (first.envelope?.session_id === second.envelope?.session_id) queue.splice(-2, 2, b, a);
}
