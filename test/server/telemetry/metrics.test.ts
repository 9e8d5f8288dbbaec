// What /metrics says, against what clients saw and what the journal holds.

import { connect, createHub } from 'parley-hub';
import { type WireCode, WireError } from 'parley-hub/core';
import { expect, it } from 'vitest';
import { Histogram } from '../../../src/hub/lib/histogram.ts';
import type { Figures } from '../../../src/hub/reading/console/figures.ts';
import { MEASURES, samplesOf } from '../../../src/server/telemetry/metrics.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { HttpHub } from '../http/http-hub.ts';
import { logOf } from '../websocket/fuzz.ts';

/** `name{a="b"}` → value. */
async function scraped(http: HttpHub): Promise<ReadonlyMap<string, number>> {
  const { status, headers, text } = await http.send('GET', '/metrics', null);
  expect({ status, type: headers['content-type'] }).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
  });
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const CODE = /^parley_refusals_total\{code="(\w+)"\}$/;

function refusalsIn(figures: ReadonlyMap<string, number>): Map<string, number> {
  const found = [...figures].flatMap(([name, value]) => {
    const [, code] = CODE.exec(name) ?? [];
    return code === undefined ? [] : [[code, value] as const];
  });
  return new Map(found);
}

/** Counts the answers of a client. */
class Seen {
  readonly refusals = new Map<string, number>();
  accepted = 0;
  answered = 0;

  async by(work: Promise<{ readonly duplicate?: true }>): Promise<void> {
    try {
      const { duplicate } = await work;
      this.answered += 1;
      if (duplicate !== true) this.accepted += 1;
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      this.refused(thrown.code);
    }
  }

  refused(code: WireCode): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }
}

it('[MO1] under load the counts are those of the journal, and the refusals those that clients saw', async () => {
  const data = tempFolder();
  const http = await HttpHub.open({}, { data });
  const names = ['alice', 'bob', 'carol', 'dave'];
  const tokens = await Promise.all(names.map((name) => http.member(name)));
  const clients = await Promise.all(
    names.map((name, at) => connect(http.url, { name, token: tokens[at] ?? '', onMessage() {} })),
  );
  const [alice, bob] = clients;
  if (alice === undefined || bob === undefined) throw new Error('nobody is there');
  const sessions = await Promise.all([
    alice.open('conversation', ['bob']),
    bob.open('discussion', ['carol', 'dave']),
    alice.open('discussion', {
      participants: ['bob', 'carol'],
      expectations: [{ name: 'max_turns', params: { turns: 1 }, on_violation: 'warn' }],
    }),
  ]);
  const before = await scraped(http);
  const seen = new Seen();
  const work = Array.from({ length: 600 }, async (_, n) => {
    const { id: session_id } = sessions[n % 3] ?? { id: '' };
    const at = n % 4;
    // Some repeat a key, some are malformed, some are from non-participants or out of turn.
    const idempotency_key = n % 5 === 0 ? `k${n % 50}` : null;
    const post = {
      session_id,
      event_type: n % 7 === 0 ? 'no such' : 'msg.text',
      event_data: { text: `${n % 50}` },
      idempotency_key,
    };
    if (n % 6 !== 5) return seen.by(clients[at]?.call('post', post) ?? Promise.reject(new Error('nobody')));
    const { status, body } = await http.post('/post', post, { token: tokens[at] });
    if (status === 200) return seen.by(Promise.resolve(body));
    seen.refused(body.error.code);
  });
  await Promise.all(work);
  expect(seen.accepted).toBeGreaterThan(50);
  expect(seen.refusals.size).toBeGreaterThan(2);
  for (const bad of [() => http.get('/agents'), () => http.send('POST', '/api/v1/post', '{', { token: tokens[0] })]) {
    seen.refused((await bad()).body.error.code);
  }
  const after = await scraped(http);
  const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(grown('parley_envelopes_total{by="participant"}')).toBe(seen.accepted);
  expect(grown('parley_ack_seconds_count')).toBe(seen.answered);
  const refused = [...refusalsIn(after)].map(
    ([code, count]) => [code, count - (refusalsIn(before).get(code) ?? 0)] as const,
  );
  expect(new Map(refused.filter(([, count]) => count > 0))).toEqual(seen.refusals);
  expect(after.get('parley_ack_seconds_bucket{le="+Inf"}')).toBe(after.get('parley_ack_seconds_count'));
  expect(grown('parley_sync_seconds_count')).toBeGreaterThan(0);
  await http.hub.stop();
  const entries = await entriesIn(
    data,
    sessions.map(({ id }) => id),
  );
  const byHub = entries.filter(({ sender_id }) => sender_id === 'hub').length;
  expect(after.get('parley_envelopes_total{by="participant"}')).toBe(entries.length - byHub);
  expect(after.get('parley_envelopes_total{by="hub"}')).toBe(byHub);
  const violations = entries.filter(({ event_type }) => event_type === 'expectation.violated').length;
  expect(violations).toBeGreaterThan(0);
  expect(after.get('parley_violations_total{name="max_turns"}')).toBe(violations);
}, 60_000);

async function entriesIn(data: string, sessionIds: readonly string[]) {
  const hub = await createHub({ data });
  await hub.agent('reader');
  await hub.grant('reader', ['observe']);
  const logs: { sender_id: string; event_type: string }[] = [];
  for (const id of sessionIds) logs.push(...(await logOf(hub, 'reader', id)).map((line) => JSON.parse(line)));
  await hub.stop();
  return logs;
}

it('[MO1] says what there is: connections, bound identities, sessions by type and state, what waits, and the event loop', async () => {
  const http = await HttpHub.open();
  const tokens = [await http.member('alice'), await http.member('bob')];
  const bob = await connect(http.url, { name: 'bob', token: tokens[1] ?? '', onMessage() {} });
  const alice = await connect(http.url, { name: 'alice', token: tokens[0] ?? '' });
  const session = await alice.open('conversation', ['bob']);
  await alice.open('discussion', ['bob']);
  const figures = await scraped(http);
  const expected = {
    parley_connections: 2,
    parley_bound: 2,
    parley_sessions_live: 2,
    'parley_sessions{type="conversation",state="ACTIVE"}': 1,
    'parley_sessions{type="discussion",state="ACTIVE"}': 1,
    parley_sessions_loaded: 2,
    'parley_sessions_total{type="conversation",event="opened"}': 1,
    parley_staged_units: 0,
    parley_staged_bytes: 0,
    parley_held_up: 0,
    parley_slow_consumers_total: 0,
    parley_ready: 1,
  };
  for (const [name, value] of Object.entries(expected)) expect([name, figures.get(name)]).toEqual([name, value]);
  for (const name of ['parley_unacked', 'parley_lateness_seconds_count', 'nodejs_eventloop_lag_seconds']) {
    expect([name, figures.get(name)]).toEqual([name, expect.any(Number)]);
  }
  await session.close();
  await expect
    .poll(async () => (await scraped(http)).get('parley_sessions_total{type="conversation",event="ended"}'))
    .toBe(1);
  for (const client of [alice, bob]) client.close();
});

it('[MO1] a histogram counts each value once, in the first range that holds it', () => {
  const histogram = new Histogram([1, 5]);
  for (const value of [0.5, 1, 1.1, 5, 6]) histogram.observe(value);
  expect(histogram).toMatchObject({ counts: [2, 2], count: 5, sum: 13.6 });
});

it('[MO2] metrics are for this machine; through a proxy they take a credential with observe or operate', async () => {
  const http = await HttpHub.open();
  const far = { 'x-forwarded-for': '203.0.113.9' };
  const ask = async (token?: string, headers: Record<string, string> = far) =>
    (await http.send('GET', '/metrics', null, { token, headers })).status;
  expect(await ask(undefined, {})).toBe(200);
  expect(await ask()).toBe(401);
  for (const header of ['forwarded', 'via', 'x-real-ip']) expect(await ask(undefined, { [header]: 'x' })).toBe(401);
  expect(await ask('parley_wrong')).toBe(401);
  expect(await ask((await http.hub.createToken({ grants: ['enrol'] })).token)).toBe(403);
  expect(await ask((await http.hub.createToken({ grants: ['observe'] })).token)).toBe(200);
  expect(await ask((await http.hub.createToken({ grants: ['operate'] })).token)).toBe(200);
  expect(await ask(undefined, { host: 'evil.example' })).toBe(403);
});

it('[MO1] each range of a histogram has all below it', () => {
  const ackMs = new Histogram([1, 10, 100]);
  for (const ms of [0.5, 0.6, 5, 50, 500]) ackMs.observe(ms);
  const measure = MEASURES.find(({ name }) => name === 'parley_ack_seconds');
  const figures = { counted: { ackMs } } as unknown as Figures;
  const samples = measure === undefined ? [] : samplesOf(measure, figures);
  expect(samples.filter(({ labels }) => 'le' in labels).map(({ labels, value }) => [labels.le, value])).toEqual([
    [0.001, 2],
    [0.01, 3],
    [0.1, 4],
    ['+Inf', 5],
  ]);
});
