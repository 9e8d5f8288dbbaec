// A link that loses and repeats frames, and handlers that fail: nothing is missed or reordered.

import fc from 'fast-check';
import { AgentClient } from 'parley-hub/client';
import type { Link } from 'parley-hub/core';
import { expect } from 'vitest';
import { linkPair } from '../../../src/core/lib/link.ts';
import { itDeep } from '../../support/size.ts';
import { countedIds, info, notify, WELCOME } from '../scripted-hub.ts';

/** A client asks five times about one loss. */
const MOST_LOSSES = 5;

type Fate = 'arrives' | 'lost' | 'twice';

/** Delivers one session by the protocol: exact acks, redelivery at a hello, immediate repeats of nacked envelopes. */
class DeliveringHub {
  readonly badReceipts: number[] = [];
  hellos = 0;
  private readonly link: Link;
  private readonly fates: Fate[];
  private readonly log: number[] = [];
  private readonly acked = new Set<number>();
  private readonly sent = new Set<number>();

  constructor(link: Link, fates: readonly Fate[]) {
    this.link = link;
    this.fates = [...fates];
    link.onMessage((text) => this.receive(JSON.parse(text)));
  }

  append(seq: number): void {
    this.log.push(seq);
    this.send(seq);
  }

  get unacked(): readonly number[] {
    return this.log.filter((seq) => !this.acked.has(seq));
  }

  private receive(frame: { kind: string; status: string; seq: number; request_id: string; resume?: object }): void {
    if (frame.kind === 'hello') this.hello(frame.resume);
    if (frame.kind === 'request') {
      this.link.send(JSON.stringify({ kind: 'response', request_id: frame.request_id, ok: true, result: info() }));
    }
    if (frame.kind !== 'receipt') return;
    if (!this.sent.has(frame.seq)) this.badReceipts.push(frame.seq);
    else if (frame.status === 'ack') this.acked.add(frame.seq);
    else this.send(frame.seq, 'arrives');
  }

  private hello(resume: object = {}): void {
    this.hellos += 1;
    this.sent.clear();
    this.link.send(WELCOME);
    const [point] = Object.values(resume);
    for (const seq of this.log) if (seq <= (point?.seq ?? 0)) this.acked.add(seq);
    for (const seq of this.unacked) this.send(seq);
  }

  /** Never loses the repeat of a nacked envelope, because nothing would reveal that. */
  private send(seq: number, fate: Fate = this.fates.shift() ?? 'arrives'): void {
    const prev = this.log[this.log.indexOf(seq) - 1] ?? 0;
    this.sent.add(seq);
    for (let i = fate === 'lost' ? 1 : fate === 'twice' ? -1 : 0; i < 1; i++) {
      this.link.send(JSON.stringify(notify({ seq, prev })));
    }
  }
}

/** Losing the first envelope of a stream is invisible: it stays unacked until the next bind. */
const fates = fc
  .array(fc.constantFrom<Fate>('arrives', 'arrives', 'lost', 'twice'), { maxLength: 60 })
  .filter((plan) => plan.filter((fate) => fate === 'lost').length <= MOST_LOSSES);

/** Delivers everything with planned pauses; the last two always arrive. */
async function run(plan: readonly Fate[], pauses: readonly boolean[], throwsAt: readonly boolean[]) {
  const [ours, theirs] = linkPair();
  const hub = new DeliveringHub(ours, ['arrives', ...plan]);
  const handled: number[] = [];
  const throws = [...throwsAt];
  const client = await AgentClient.connect({
    link: () => theirs,
    name: 'alice',
    ids: countedIds(),
    onMessage: async ({ envelope }) => {
      handled.push(envelope.seq);
      if (pauses[handled.length % Math.max(1, pauses.length)] === true) await tick();
      if (throws.shift() === true) throw new Error('not now');
    },
  });
  const seqs = Array.from({ length: 20 }, (_, i) => 2 + i * 3);
  for (const [i, seq] of seqs.entries()) {
    hub.append(seq);
    if (pauses[i % Math.max(1, pauses.length)] === true) await tick();
  }
  // A loss shows only when something follows, so send more until nothing is left to lose.
  for (let seq = 100; seq < 200 && (seq < 103 || hub.unacked.length > 0); seq++) {
    hub.append(seq);
    seqs.push(seq);
    for (let round = 0; round < 20; round++) await tick();
  }
  client.close();
  return { hub, handled, seqs };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

itDeep('[CL5, CL7, CL8] handles each message once and in order, whatever is lost or repeated', async () => {
  const pauses = fc.array(fc.boolean(), { maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(fates, pauses, async (plan, paused) => {
      const { hub, handled, seqs } = await run(plan, paused, []);
      expect(handled).toEqual(seqs);
      expect([hub.unacked, hub.badReceipts]).toEqual([[], []]);
    }),
    { numRuns: 1000 },
  );
});

itDeep('[CL6, CL7, CL8] handles each message until it succeeds, first in order, when handlers fail too', async () => {
  const booleans = fc.array(fc.boolean(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fates, booleans, booleans, async (plan, paused, throwsAt) => {
      const { hub, handled, seqs } = await run(plan, paused, throwsAt);
      expect([...new Set(handled)]).toEqual(seqs);
      expect([hub.unacked, hub.badReceipts]).toEqual([[], []]);
      const failures = throwsAt.slice(0, handled.length).filter(Boolean).length;
      expect(handled.length).toBe(seqs.length + failures);
    }),
    { numRuns: 1000 },
  );
});
