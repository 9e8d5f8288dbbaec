/** Mutants of the ports: each breaks one law on purpose, and the simulation must find it. */

import type { View } from 'parley-hub/core';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import type { FaultyStore } from '../../src/testing/faulty-store.ts';
import { storeMutants } from '../../src/testing/mutants.ts';
import { DiskStore } from './disk-store.ts';
import type { SimulationOptions } from './simulation.ts';

export interface Mutant {
  readonly name: string;
  /** The law it breaks: finding it for another reason would prove nothing about this one. */
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
];

function onStore(name: string, law: string, store: () => FaultyStore): Mutant {
  return { name, law, make: (seed) => ({ seed, store: store() }) };
}

/** It says something else every time. */
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

/** The last two frames change places if both are deliveries of one session. */
function swapNotifies(queue: string[]): void {
  const [a, b] = queue.slice(-2);
  if (a === undefined || b === undefined) return;
  const [first, second] = [a, b].map((text) => JSON.parse(text) as { kind: string; envelope?: { session_id: string } });
  if (first?.kind !== 'notify' || second?.kind !== 'notify') return;
  if (first.envelope?.session_id === second.envelope?.session_id) queue.splice(-2, 2, b, a);
}
