// Operator reads over real sockets: identity, overview, sessions and health.

import { createHub, type LocalHub } from 'parley-hub';
import type { Grant, Result } from 'parley-hub/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Peer } from '../../src/testing/doubles/peer.ts';
import { boundWith, NOWHERE } from './auth/authorization-scene.ts';

let hub: LocalHub;
let url: string;
let people: Readonly<Record<'alice' | 'bob' | 'carol' | 'mallory' | 'olive' | 'ops', Peer>>;

beforeEach(async () => {
  hub = await createHub();
  ({ url } = await hub.listen({ port: 0 }));
  const join = async (name: string, grants: readonly Grant[] = []): Promise<Peer> =>
    boundWith(url, name, (await hub.createToken({ name, grants })).token);
  people = {
    alice: await join('alice'),
    bob: await join('bob'),
    carol: await join('carol'),
    mallory: await join('mallory'),
    olive: await join('olive', ['observe']),
    ops: await join('ops', ['operate']),
  };
});
afterEach(() => hub.stop());

async function opened(type: string, others: readonly Peer[], more: object = {}): Promise<string> {
  const participants = others.map(({ agentId }) => agentId);
  const { session } = await people.alice.call('create_session', { type, participants, wait: 'created', ...more });
  for (const other of others) await other.call('ack_invite', { session_id: session.session_id });
  return session.session_id;
}

const say = (peer: Peer, session_id: string, text: string, more: object = {}, data: object = {}) =>
  peer.call('post', { session_id, event_type: 'msg.text', event_data: { text, ...data }, ...more });

async function described(peer: Peer, ...session_ids: string[]): Promise<Result<'describe_sessions'>['sessions']> {
  return (await peer.call('describe_sessions', { session_ids })).sessions;
}

describe('identities and types', () => {
  it('[CN5] whoami says who asks, and the grants it has itself or by its credential, as they are now', async () => {
    const { alice, olive } = people;
    const me = { agent_id: alice.agentId, name: 'alice', kind: 'agent', grants: [] };
    expect(await alice.call('whoami', {})).toEqual(me);
    expect((await olive.call('whoami', {})).grants).toEqual(['observe']);
    await hub.grant('alice', ['operate', 'approve']);
    expect((await alice.call('whoami', {})).grants).toEqual(['operate', 'approve']);
    await hub.revoke('alice', ['operate']);
    expect((await alice.call('whoami', {})).grants).toEqual(['approve']);
    // Over HTTP it asks with what this token allows, not with what the connection has.
    const { token } = await hub.createToken({ name: 'olive' });
    const asked = await fetch(`${url.replace(/^ws/, 'http')}/api/v1/whoami`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await asked.json()).toMatchObject({ name: 'olive', grants: [] });
  });

  it('[CN6] list_types has the newest manifest of every type, and of those with graphs what they may name', async () => {
    const { types } = await people.mallory.call('list_types', {});
    const names = types.map(({ manifest }) => manifest.type);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['consulting', 'conversation', 'discussion', 'governed', 'workflow']));
    expect(types.filter(({ graph }) => graph !== null).map(({ manifest }) => manifest.type)).toEqual(['workflow']);
    const graph = types.find(({ manifest }) => manifest.type === 'workflow')?.graph;
    expect(graph?.conditions).toContainEqual({ name: 'not', version: 1, agents: [], conditions: ['condition'] });
    expect(graph?.targets).toContainEqual({ name: 'agent', version: 1, agents: ['agent_id'], conditions: [] });
    hub.registerTarget({ name: 'oldest', version: 3, choose: () => null });
    const later = (await people.mallory.call('list_types', {})).types.find(({ graph: has }) => has !== null);
    expect(later?.graph?.targets.map(({ name }) => name)).toContain('oldest');
  });

  it('[CN10] check_graph says what is wrong with a graph and where, and draws what there is of it', async () => {
    const check = (graph: object) => people.mallory.call('check_graph', { graph: graph as never });
    expect(await check({})).toEqual({
      ok: false,
      errors: [{ field: 'graph.initial_speaker', message: expect.stringContaining('expected a participant') }],
      ...{ warnings: [], nodes: [], edges: [], initial: null },
    });
    const transitions = [
      { when: { name: 'from_speaker', args: { agent_id: 'ann' } }, then: { name: 'agent', args: { agent_id: 'ben' } } },
    ];
    const odd = [{ when: { name: 'when_it_rains', args: {} }, then: { name: 'stay', args: {} } }];
    const wrong = await check({ initial_speaker: 'ann', transitions: odd });
    expect(wrong).toMatchObject({ ok: false, errors: [{ field: 'graph.transitions.0.when.name' }] });
    expect(wrong.nodes.length).toBeGreaterThan(0);
    const good = await check({ initial_speaker: 'ann', transitions });
    expect(good).toMatchObject({ ok: true, errors: [], warnings: [] });
    const [ann, ben] = ['ann', 'ben'].map((name) => good.nodes.find(({ agent }) => agent === name)?.id ?? '');
    expect(good.initial).toBe(ann);
    expect(good.edges).toContainEqual({ from: ann, to: ben, label: '' });
    const endless = await check({ initial_speaker: 'ann', default_target: { name: 'round_robin', args: {} } });
    expect(endless.warnings).toEqual([expect.stringContaining('nothing in it ends the session')]);
    const none = people.mallory.call('check_graph', { graph: {}, type: 'consulting' });
    await expect(none).rejects.toMatchObject({ code: 'not_found', details: { field: 'params.type' } });
  });

  it('[CN10] a graph that is hostile is a refusal or a report, and the hub goes on', async () => {
    const deep = JSON.parse(`${'{"name":"not","args":{"condition":'.repeat(20)}{}${'}}'.repeat(20)}`);
    const many = Array.from({ length: 5_000 }, () => ({
      when: { name: 'always', args: {} },
      then: { name: 'stay', args: {} },
    }));
    for (const transitions of [[{ when: deep, then: { name: 'stay', args: {} } }], many, 'none', [null], [[]]]) {
      const frame = await people.mallory.ask('check_graph', { graph: { initial_speaker: '__proto__', transitions } });
      expect(frame.ok ? (frame.result as { ok: boolean }).ok : frame.error.code).not.toBe('internal');
      expect((await people.mallory.call('health', {})).ready).toBe(true);
    }
  });
});

describe('how sessions stand', () => {
  it('[CN7] a row has who is in it, whose turn it is and since when, what is due next, what it cost, and the newest line', async () => {
    const { alice, bob } = people;
    const id = await opened('conversation', [bob], { ttl: '1h', labels: { topic: 'soup' } });
    await say(alice, id, 'Soup?\nOr bread?', {}, { cost_usd: 0.5, usage: { fresh: 7, output: 3 } });
    await say(bob, id, 'Soup.', {}, { cost_usd: 0.25 });
    const [row] = await described(alice, id);
    const { session, turn } = await alice.call('get_session', { session_id: id });
    const { envelopes } = await alice.call('read_log', { session_id: id });
    expect(row).toEqual({
      session_id: id,
      head_seq: session.head_seq,
      state: 'ACTIVE',
      participants: session.participants.map(({ agent_id, name, role, status }) => ({ agent_id, name, role, status })),
      turn: turn === null ? null : { ...turn, since_at: envelopes[turn.since_seq - 1]?.created_at },
      awaits: null,
      next_deadline: { at: session.expires_at, what: 'ttl', agent_id: null },
      cost_usd: 0.75,
      usage: { usd: 0.75, tokens: 10, unpriced: 0 },
      text: 'Soup.',
    });
    await say(alice, id, `${'é'.repeat(200)}\nmore`);
    expect((await described(bob, id))[0]?.text).toBe(`${'é'.repeat(159)}…`);
  });

  it('[CN7] names pending waits with who must act', async () => {
    const { alice, bob } = people;
    const id = await opened('discussion', [bob], {
      expectations: [{ name: 'turn_within', on_violation: 'warn', params: { seconds: 300 } }],
    });
    const [row] = await described(alice, id);
    expect(row?.turn).not.toBe(null);
    expect(row?.next_deadline).toMatchObject({ what: 'turn_within', agent_id: row?.turn?.agent_id });
    const due = Date.parse(row?.next_deadline?.at ?? '') - Date.parse(row?.turn?.since_at ?? '');
    expect(due).toBe(300_000);
  });

  it('[CN7, L7] gives a non-participant nothing, and no sign that the session exists', async () => {
    const id = await opened('conversation', [people.bob]);
    expect(await described(people.mallory, id, NOWHERE)).toEqual([]);
    expect(await described(people.ops, id)).toEqual([]);
    expect((await described(people.alice, NOWHERE, id, id)).map(({ session_id }) => session_id)).toEqual([id]);
  });

  it('[CN7] gives an observer the row without content, and an invitee or removed participant only names and turns', async () => {
    const { alice, bob, carol, olive } = people;
    const id = await opened('discussion', [bob, carol]);
    await say(alice, id, 'hello', {}, { cost_usd: 1 });
    expect(await described(olive, id)).toMatchObject([{ cost_usd: 1, text: null, participants: { length: 3 } }]);
    await hub.removeParticipant(id, 'carol');
    expect(await described(carol, id)).toMatchObject([
      { cost_usd: null, usage: null, text: null, next_deadline: null },
    ]);
    const { session } = await alice.call('create_session', {
      ...{ type: 'conversation', participants: ['bob'], wait: 'created' },
    });
    const [invite] = await described(bob, session.session_id);
    expect(invite).toMatchObject({ state: 'INVITED', text: null, next_deadline: null });
    const [own] = await described(alice, session.session_id);
    expect(own?.next_deadline).toMatchObject({ what: expect.stringMatching(/^(invites|acks_within|ttl)$/) });
  });

  it('[CN7, L7] a whisper to others is not the newest line, nor is what is no text', async () => {
    const { alice, bob, carol } = people;
    const id = await opened('discussion', [bob, carol]);
    await say(alice, id, 'to all');
    const whisper = { event_type: 'aside.note', event_data: { text: 'psst' }, audience: [bob.agentId] };
    await alice.call('post', { session_id: id, ...whisper });
    await alice.call('post', { session_id: id, event_type: 'aside.count', event_data: { left: 3 } });
    expect((await described(bob, id))[0]?.text).toBe('psst');
    expect((await described(carol, id))[0]?.text).toBe('to all');
  });

  it('[CN7] at most 100 are described at once', async () => {
    const session_ids = Array.from({ length: 101 }, (_, i) => i.toString(16).padStart(32, '0'));
    await expect(people.alice.call('describe_sessions', { session_ids })).rejects.toMatchObject({
      code: 'bad_frame',
      details: { field: 'params.session_ids' },
    });
    expect(await described(people.alice, ...session_ids.slice(1))).toEqual([]);
  });
});

describe('how the hub is doing', () => {
  it('[CN11] hub_figures counts what there is and what was done, and says who is waited for', async () => {
    const { alice, bob, carol, olive } = people;
    const id = await opened('discussion', [bob]);
    await say(alice, id, 'hello');
    await expect(say(alice, id, 'again')).rejects.toMatchObject({ code: 'not_your_turn' });
    const { session } = await alice.call('create_session', {
      ...{ type: 'conversation', participants: [carol.agentId], wait: 'created' },
    });
    const figures = await olive.call('hub_figures', {});
    expect(figures).toMatchObject({ agents_connected: 6, connections: 6, is_partial: false });
    expect(figures.sessions).toMatchObject({ ACTIVE: 1, INVITED: 1 });
    expect(figures.totals.posts).toBe(1);
    expect(figures.totals.refused).toBeGreaterThanOrEqual(1);
    expect(figures.totals.delivered).toBeGreaterThan(0);
    const { turn } = await alice.call('get_session', { session_id: id });
    const waits = figures.waits.map(({ session_id, agent_id, what }) => ({ session_id, agent_id, what }));
    expect(waits).toContainEqual({ session_id: id, agent_id: turn?.agent_id, what: 'turn' });
    expect(waits).toContainEqual({ session_id: session.session_id, agent_id: carol.agentId, what: 'invite' });
    const load = figures.agents.find(({ agent_id }) => agent_id === bob.agentId);
    expect(load).toMatchObject({ name: 'bob', connected: true, sessions: 1, open_turns: 1 });
    const times = figures.waits.map(({ since_at }) => since_at);
    expect(times).toEqual([...times].sort());
  });

  it('[CN11] it keeps a series of the last seconds', async () => {
    const { alice, bob, olive } = people;
    const id = await opened('conversation', [bob]);
    await say(alice, id, 'hello');
    let points = (await olive.call('hub_figures', {})).series;
    for (const end = Date.now() + 10_000; points.every(({ posts_per_s }) => posts_per_s === 0) && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      points = (await olive.call('hub_figures', {})).series;
    }
    const busy = points.find(({ posts_per_s }) => posts_per_s > 0);
    expect(busy?.ack_p50_ms).toBeGreaterThan(0);
    expect(busy?.ack_p99_ms).toBeGreaterThanOrEqual(busy?.ack_p50_ms ?? 0);
    expect(points.length).toBeLessThanOrEqual(60);
  });

  it('[CN12] read_feed is newest first, violations for who observes and the rest for who operates, a page at a time', async () => {
    const { alice, bob, olive, ops, mallory } = people;
    const id = await opened('conversation', [bob], {
      expectations: [{ name: 'max_turns', on_violation: 'warn', params: { turns: 1 } }],
    });
    await say(alice, id, 'one');
    await say(bob, id, 'two');
    await say(alice, id, 'three');
    const seen = await olive.call('read_feed', {});
    expect(seen.entries.length).toBeGreaterThan(0);
    expect(new Set(seen.entries.map(({ kind, what, session_id }) => `${kind} ${what} ${session_id}`))).toEqual(
      new Set([`violation max_turns ${id}`]),
    );
    const done = await ops.call('read_feed', { limit: 200 });
    expect(done.entries.map(({ kind }) => kind)).not.toContain('violation');
    expect(done.entries.map(({ what }) => what)).toEqual(expect.arrayContaining(['agent_bound', 'session_created']));
    expect(done.entries.find(({ what }) => what === 'session_created')).toMatchObject({
      session_id: id,
      name: 'alice',
    });
    const numbers = done.entries.map(({ number }) => number);
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    await expect(mallory.call('read_feed', {})).rejects.toMatchObject({ code: 'forbidden' });
    await hub.grant('ops', ['observe']);
    const all: number[] = [];
    for (let after: number | undefined, more = true; more; ) {
      const page: Result<'read_feed'> = await ops.call('read_feed', { after, limit: 3 });
      all.push(...page.entries.map(({ number }) => number));
      more = page.next !== null;
      after = page.next ?? undefined;
    }
    const audit = await hub.audit({ limit: 1_000 });
    expect(all).toEqual(
      audit
        .map(({ number }) => number)
        .filter((number) => number <= (all[0] ?? 0))
        .reverse(),
    );
    const newest = all[2] ?? 0;
    expect((await ops.call('read_feed', { since: newest })).entries.every(({ number }) => number > newest)).toBe(true);
  });
});
