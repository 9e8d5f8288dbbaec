// A disk that is really full: a limit on the size of files makes the system refuse the hub's writes.

import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { WireError } from '../../../src/core/lib/errors.ts';
import { STORE_FAILED_EXIT_CODE } from '../../../src/server/create-hub.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { text } from '../../hub/scene.ts';
import { sharedScript } from '../../support/shared-script.ts';
import { sharedFolder } from '../../support/temp-folder.ts';
import { HubProcess } from './hub-process.ts';

/** A segment would be larger, so it is not made ready and grows until it meets the limit. */
const MAX_FILE_KIB = 512;
const segmentBytes = 1024 * 1024;
const IN_FLIGHT = 20;
const WORDS = 'x'.repeat(1_000);

const built = sharedScript('test/server/processes/hub-child.ts');
const root = sharedFolder();

afterAll(() => HubProcess.endAll());

describe.skipIf(process.platform === 'win32')('a hub whose disk is full', () => {
  it('[DS8, L10] says so, reads on, ends with code 74 after 5 s, and has kept everything it answered for', async () => {
    const folder = join(root.path, 'data');
    const full = new HubProcess(built.path, { maxFileKib: MAX_FILE_KIB });
    await full.open(folder, { segmentBytes, exitOnStoreFailure: true });
    const [alice, bob] = [await full.peer('alice'), await full.peer('bob')];
    const params = { type: 'conversation', participants: [bob.agentId], wait: 'created' } as const;
    const { session } = await alice.call('create_session', params);
    const session_id = session.session_id;
    await bob.call('ack_invite', { session_id });

    const { acked, refusals } = await postUntilRefused(alice, session_id);
    const failedAt = performance.now();
    expect(acked.size).toBeGreaterThan(100);
    expect(refusals.filter(({ outcome }) => outcome === 'unknown').length).toBeGreaterThan(0);
    expect(refusals.filter(({ code }) => code !== 'unavailable')).toEqual([]);
    expect(await refused(alice.call('post', text(session_id, 'late')))).toEqual({
      code: 'unavailable',
      outcome: 'refused',
    });
    expect(await full.health()).toMatchObject({ ready: false, reason: expect.stringContaining('EFBIG') });
    expect(full.storeFailures).toEqual([expect.stringContaining('EFBIG')]);
    const { envelopes } = await alice.call('read_log', { session_id, limit: 5, reverse: true });
    expect(envelopes[0]?.seq).toBe(Math.max(...[...acked.values()].map(({ seq }) => seq)));

    expect(await full.exited).toEqual({ code: STORE_FAILED_EXIT_CODE, signal: null });
    const stayed = performance.now() - failedAt;
    expect(stayed).toBeGreaterThan(4_500);
    expect(stayed).toBeLessThan(20_000);

    const roomy = new HubProcess(built.path);
    await roomy.open(folder, { segmentBytes });
    const again = await roomy.peer('alice');
    const keys = [...acked.keys(), ...refusals.map(({ key }) => key)];
    for (const key of keys) {
      const answer = await again.call('post', keyed(session_id, key));
      const known = acked.get(key);
      if (known !== undefined) expect(answer).toMatchObject({ ...known, duplicate: true });
    }
    const said = await everythingSaid(again, session_id);
    expect(said.toSorted()).toEqual(keys.toSorted());
    await roomy.stop();
  }, 90_000);
});

interface Acks {
  readonly acked: ReadonlyMap<string, { readonly seq: number; readonly envelope_id: string }>;
  readonly refusals: readonly { readonly key: string; readonly code: string; readonly outcome: unknown }[];
}

/** Always some in flight, until one of them is refused and all are answered. */
async function postUntilRefused(peer: Peer, sessionId: string): Promise<Acks> {
  const acked = new Map<string, { seq: number; envelope_id: string }>();
  const refusals: { key: string; code: string; outcome: unknown }[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (refusals.length === 0 && next < 5_000) {
      const key = `k${next}`;
      next += 1;
      try {
        const { seq, envelope_id } = await peer.call('post', keyed(sessionId, key));
        acked.set(key, { seq, envelope_id });
      } catch (thrown) {
        refusals.push({ key, ...refusalOf(thrown) });
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return { acked, refusals };
}

function keyed(sessionId: string, key: string) {
  return text(sessionId, `${key} ${WORDS}`, { idempotency_key: key });
}

function refused(call: Promise<unknown>): Promise<{ code: string; outcome: unknown }> {
  return call.then(() => ({ code: 'accepted', outcome: null }), refusalOf);
}

function refusalOf(thrown: unknown): { code: string; outcome: unknown } {
  if (!(thrown instanceof WireError)) throw thrown;
  return { code: thrown.code, outcome: thrown.details?.outcome };
}

async function everythingSaid(peer: Peer, session_id: string): Promise<string[]> {
  const keys: string[] = [];
  for (let from_seq: number | null = 1; from_seq !== null; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(peer, session_id, from_seq);
    for (const { event_type, idempotency_key } of page.envelopes) {
      if (event_type === 'msg.text') keys.push(idempotency_key ?? '');
    }
    from_seq = page.next;
  }
  return keys;
}

function readPage(peer: Peer, session_id: string, from_seq: number) {
  return peer.call('read_log', { session_id, from_seq });
}
