// Clients and a real hub, over any link: in process and over sockets.

import {
  AgentClient,
  type AgentOptions,
  HumanClient,
  type HumanOptions,
  type Message,
  type Session,
} from 'parley-hub/client';
import type { Envelope, ForwardedDelta, Link } from 'parley-hub/core';
import { type LocalHub, systemClock, systemIds } from 'parley-hub/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deferred } from './scripted-hub.ts';

export interface RunningHub extends Pick<LocalHub, 'grant' | 'revoke' | 'hideParticipant' | 'removeParticipant'> {
  connect(): Link;
  stop(): Promise<void>;
}

export function describeEndToEnd(over: string, start: () => Promise<RunningHub>): void {
  describe(`over ${over}`, () => {
    let hub: RunningHub;
    beforeEach(async () => {
      hub = await start();
    });
    afterEach(() => hub.stop());

    const agent = (name: string, options: Partial<AgentOptions> = {}): Promise<AgentClient> =>
      AgentClient.connect({ link: () => hub.connect(), name, ids: systemIds, ...options });
    const human = (name: string, options: Partial<HumanOptions> = {}): Promise<HumanClient> =>
      HumanClient.connect({ link: () => hub.connect(), name, ids: systemIds, ...options });

    it('[CL1] registers a name once and binds it afterwards', async () => {
      const first = await agent('alice');
      first.close();
      const second = await agent('alice');
      expect(second.agentId).toBe(first.agentId);
      await expect(agent('nobody', { register: false })).rejects.toMatchObject({ code: 'unauthenticated' });
    });

    it('[CL16, CL17, CL18] asks, answers and ends a consultation', async () => {
      const bob = await agent('bob', {
        onMessage: async (message) => void (await message.reply(`to ${message.text}`)),
      });
      const alice = await agent('alice');
      const session = await alice.open('consulting', ['bob']);
      await session.send('why?');
      const answers: string[] = [];
      for await (const { from, text } of session) answers.push(`${from}: ${text}`);
      expect(answers).toEqual(['bob: to why?']);
      expect(await session.ended()).toEqual({ state: 'CLOSED', reason: 'consulting_complete' });
      expect(await bob.session(session.id).ended()).toEqual({ state: 'CLOSED', reason: 'consulting_complete' });
      await expect(session.send('and?')).rejects.toMatchObject({ code: 'session_closed' });
    });

    it('[CL19] runs a consultation with agents that only take turns', async () => {
      await agent('bob', { onTurn: async ({ message }, session) => void (await session.send(`to ${message?.text}`)) });
      const alice = await agent('alice', { onTurn: async (_turn, session) => void (await session.send('why?')) });
      const session = await alice.open('consulting', { participants: ['bob'] });
      await session.ended();
      expect(await texts(session.log())).toEqual(['why?', 'to why?']);
    });

    it('[ID1, ID4, ID7] finds agents by their profile', async () => {
      const [alice, bob] = [await agent('alice'), await agent('bob')];
      expect(await bob.setResume({ claimedCapabilities: ['review'], domains: ['rust'] })).toMatchObject({ version: 1 });
      expect(await alice.resume('bob')).toMatchObject({ claimed_capabilities: ['review'], version: 1 });
      await expect(bob.setResume({ summary: 'x', expectedVersion: 7 })).rejects.toMatchObject({ code: 'conflict' });
      expect(await alice.skill('bob')).toMatchObject({ rendered: true });
      await bob.setSkill('---\ndescription: Reads patches.\n---\nSend one.');
      expect(await bob.skill()).toMatchObject({ body: 'Send one.', rendered: false });
      const found: string[] = [];
      for await (const { name, bound } of alice.findAgents({ capability: 'Review', text: 'patches' }))
        found.push(`${name} ${bound}`);
      expect(found).toEqual(['bob true']);
      const session = await alice.open('consulting', [{ capability: 'review' }]);
      expect((await session.info()).session.participants.map(({ name }) => name)).toEqual(['alice', 'bob']);
    });

    it('[MB1, CL17] leaving is final for the one who leaves', async () => {
      const [alice, bob] = [await agent('alice'), await agent('bob')];
      const session = await alice.open('conversation', ['bob']);
      const theirs = bob.session(session.id);
      const ended = theirs.ended();
      await theirs.leave();
      expect(await ended).toEqual({ state: 'REMOVED', reason: 'left' });
      await expect(theirs.waitFor('msg.text')).rejects.toMatchObject({ code: 'session_ended' });
      expect(await session.ended()).toEqual({ state: 'CLOSED', reason: 'below_minimum' });
    });

    it('[CL22] a person talks with an agent', async () => {
      await agent('echo', { onMessage: async (message) => void (await message.reply(message.text.toUpperCase())) });
      const ends: string[] = [];
      const ann = await human('ann', {
        onEvent: ({ event_type }) => {
          if (event_type === 'session.closed') ends.push(event_type);
        },
      });
      const session = await ann.open('conversation', ['echo']);
      await session.send('one');
      expect((await ann.next())?.text).toBe('ONE');
      const pushed: Message[] = [];
      const remove = ann.onMessage((message) => void pushed.push(message));
      await session.send('two');
      await session.close('bye', { wait: 'closed' });
      expect(await session.ended()).toEqual({ state: 'CLOSED', reason: 'bye' });
      remove();
      expect(pushed.map(({ from, text }) => `${from}: ${text}`)).toEqual(['echo: TWO']);
      expect(ends).toEqual(['session.closed']);
      ann.close();
      expect(await ann.next()).toBeNull();
    });

    it('[CL15] the invitee decides, and knows who invites', async () => {
      const invites: string[] = [];
      await agent('bob', {
        onInvite: ({ from, type, role }) => {
          invites.push(`${from} ${type} ${role}`);
          return { reject: 'on holiday' };
        },
      });
      const alice = await agent('alice');
      await expect(alice.open('conversation', ['bob'])).rejects.toMatchObject({
        code: 'session_closed',
        details: { close_reason: 'invite_rejected' },
      });
      expect(invites).toEqual(['alice conversation respondent']);
    });

    it('[CL5, CL21] delivers unhandled messages, and only those, to the next client of the name', async () => {
      const alice = await agent('alice');
      const before = await agent('bob');
      const session = await alice.open('conversation', ['bob']);
      for (const text of ['one', 'two', 'three']) await session.send(text);
      expect((await before.session(session.id).waitFor('msg.text')).event_data.text).toBe('one');
      before.close();
      await session.send('four');
      const bob = await human('bob');
      expect(await pull(bob, 3)).toEqual(['two', 'three', 'four']);
      const log = bob.session(session.id).log({ pageSize: 2 });
      expect(await texts(log)).toEqual(['one', 'two', 'three', 'four']);
    });

    it('[VW1, VW10] shows a participant its view, now and at an earlier seq', async () => {
      const alice = await agent('alice');
      const bob = await agent('bob', { onMessage: () => {} });
      const session = await alice.open('conversation', ['bob']);
      const first = await session.send('one');
      await bob.session(session.id).send('two');
      const now = await session.view({ view: { name: 'full_transcript', params: { named: true } } });
      expect(now.messages).toEqual([
        { role: 'assistant', content: 'one', seq: first.seq, name: 'alice' },
        { role: 'user', content: '[bob]: two', seq: first.seq + 1, name: 'bob' },
      ]);
      const then = await session.view({ atSeq: first.seq, deadlineMs: 1000 });
      expect(then).toMatchObject({ at_seq: first.seq, messages: [{ content: 'one' }], earlier: 0, next: null });
      const typo = { at_seq: 4 } as Parameters<typeof session.view>[0];
      await expect(session.view(typo)).rejects.toMatchObject({ code: 'bad_frame', details: { field: 'at_seq' } });
    });

    const endings: readonly (readonly [string, (session: Session) => Promise<unknown>])[] = [
      ['closes', (session) => session.close('enough')],
      ['goes on without it', (session) => hub.hideParticipant(session.id, 'bob')],
      ['has put it out', (session) => hub.removeParticipant(session.id, 'bob')],
    ];

    it.each(endings)('[CL13, CL14] aborts a running turn immediately when the session %s', async (_how, end) => {
      const [begun, aborted] = [deferred(), deferred()];
      const read: string[] = [];
      await agent('bob', {
        onMessage: ({ text }) => void read.push(text),
        onTurn: ({ signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          begun.resolve();
          // Never ends by itself: only events handled ahead of its queue can reach it.
          return aborted.promise;
        },
      });
      const alice = await agent('alice');
      await agent('carol');
      const session = await alice.open('discussion', ['bob', 'carol']);
      await session.send('one');
      await begun.promise;
      await end(session);
      await aborted.promise;
      expect(read).toEqual(['one']);
    });

    it('[OB2, OV1] shows an observer everything, live and from the start, unseen by others', async () => {
      const alice = await agent('alice');
      await agent('bob', { onMessage: () => {} });
      const olga = await agent('olga');
      const session = await alice.open('conversation', ['bob']);
      await expect(olga.observe(session.id, () => {})).rejects.toMatchObject({ code: 'not_found' });
      await hub.grant('olga', ['observe']);
      const seen: string[] = [];
      const observation = await olga.observe(session.id, ({ event_type }) => seen.push(event_type), { afterSeq: 0 });
      await expect(olga.observe(session.id, () => {})).rejects.toMatchObject({ code: 'already_observed' });
      await session.send('one');
      await session.send('psst', { to: ['bob'] });
      await session.close('done', { wait: 'closed' });
      expect(await observation.ended).toEqual({ by: 'session' });
      const log: string[] = [];
      for await (const { event_type } of olga.session(session.id).log()) log.push(event_type);
      expect(seen).toEqual(log);
      expect(seen.slice(-4)).toEqual(['msg.text', 'msg.text', 'session.closing', 'session.closed']);
      const info = await olga.session(session.id).info();
      expect(info.session.participants.map(({ name }) => name)).toEqual(['alice', 'bob']);
    });

    it('[OB5, OV3] tells observers that lost the grant, then stops', async () => {
      const alice = await agent('alice');
      await agent('bob');
      const olga = await agent('olga');
      await hub.grant('olga', ['observe']);
      const session = await alice.open('conversation', ['bob']);
      const observation = await olga.observe(session.id, () => {});
      await hub.revoke('olga', ['observe']);
      expect(await observation.ended).toMatchObject({ by: 'refusal', error: { code: 'forbidden' } });
    });

    it('[OV2] continues an observation after a lost link', async () => {
      const links: Link[] = [];
      const link = (): Link => {
        const opened = hub.connect();
        links.push(opened);
        return opened;
      };
      const reconnect = { clock: systemClock, random: Math.random, minMs: 1, maxMs: 5 };
      const alice = await agent('alice');
      await agent('bob', { onMessage: () => {} });
      const olga = await agent('olga', { link, reconnect });
      await hub.grant('olga', ['observe']);
      const session = await alice.open('conversation', ['bob']);
      const seen: number[] = [];
      const observation = await olga.observe(session.id, ({ seq }) => seen.push(seq), { afterSeq: 0 });
      for (let i = 0; i < 30; i++) {
        await session.send(`m${i}`);
        if (i % 10 === 5) links.at(-1)?.close();
      }
      await session.close('done', { wait: 'closed' });
      expect(await observation.ended).toEqual({ by: 'session' });
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 1));
      expect(seen.length).toBeGreaterThan(30);
      expect(links.length).toBeGreaterThan(1);
    });

    it('[DT1, DT3, DT5] shows deltas to recipients and observers', async () => {
      const shown: string[] = [];
      const onDelta = (who: string) => (delta: ForwardedDelta) =>
        void shown.push(`${who} ${delta.index} ${delta.text} ${delta.turn_id}`);
      const said = deferred<Envelope>();
      const alice = await agent('alice', { onDelta: onDelta('alice') });
      const onMessage = ({ envelope, from }: Message): void => void (from === 'bob' && said.resolve(envelope));
      await agent('carol', { onDelta: onDelta('carol'), onMessage });
      await agent('bob', {
        onMessage: async (message) => {
          const to = ['carol'];
          // Parts of a model may split a character.
          for (const part of ['Hel', 'lo \ud83d', '\ude00']) await message.delta(part, { to });
          await message.reply('Hello 😀', { to });
        },
      });
      const olga = await agent('olga');
      await hub.grant('olga', ['observe']);
      const session = await alice.open('discussion', ['bob', 'carol']);
      const observation = await olga.observe(session.id, () => {}, { onDelta: onDelta('olga') });
      const { envelope_id } = await session.send('hi');
      expect((await said.promise).causation_id).toBe(envelope_id);
      await session.close('done', { wait: 'closed' });
      await observation.ended;
      const parts = [`0 Hel ${envelope_id}`, `1 lo  ${envelope_id}`, `2 😀 ${envelope_id}`];
      const expected = ['carol', 'olga'].flatMap((who) => parts.map((part) => `${who} ${part}`));
      expect(shown.sort()).toEqual(expected.sort());
    });

    it('[CL23] a second client of a name replaces the first', async () => {
      const first = await agent('alice');
      const waiting = first.closed;
      await agent('alice');
      expect(await waiting).toMatchObject({ by: 'hub', reason: 'replaced', final: true });
    });

    it('[CL7, CL8] recovers envelopes lost on the link', async () => {
      const alice = await agent('alice');
      const read: string[] = [];
      const done = deferred();
      await agent('bob', {
        link: () => losing(hub.connect(), (envelope) => ['m3', 'm4', 'm11'].includes(String(envelope.event_data.text))),
        onMessage: ({ text }) => {
          read.push(text);
          if (text === 'm19') done.resolve();
        },
      });
      const session = await alice.open('conversation', ['bob']);
      const all = Array.from({ length: 20 }, (_, i) => `m${i}`);
      for (const text of all) await session.send(text);
      await done.promise;
      expect(read).toEqual(all);
    });

    it('[CL6] redelivers a message whose handler threw', async () => {
      const attempts: string[] = [];
      await agent('bob', {
        onMessage: async (message) => {
          attempts.push(message.text);
          if (attempts.length === 1) throw new Error('try again');
          await message.reply('done');
        },
      });
      const alice = await agent('alice');
      const session = await alice.open('consulting', ['bob']);
      await session.send('do it');
      expect((await session.waitFor('msg.text')).event_data.text).toBe('done');
      expect(attempts).toEqual(['do it', 'do it']);
    });

    it('[CL20] logs a send repeated under its key once', async () => {
      await agent('bob');
      const alice = await agent('alice');
      const session = await alice.open('conversation', ['bob']);
      const first = await session.send('once', { key: 'k' });
      expect(await session.send('once', { key: 'k' })).toMatchObject({ seq: first.seq, duplicate: true });
      await expect(session.send('twice', { key: 'k' })).rejects.toMatchObject({ code: 'duplicate' });
      await expect(session.send('late', { expectedSeq: first.seq - 1 })).rejects.toMatchObject({ code: 'conflict' });
      await session.send('for you', { to: ['bob'] });
      expect(await texts(session.log())).toEqual(['once', 'for you']);
      expect((await session.canSend()).can).toBe(true);
    });

    it('[CL4, CL12] two clients that open many sessions with each other all succeed', async () => {
      const heard = new Map<string, string[]>();
      const onMessage = ({ text, session }: Message): void => {
        heard.set(session.id, [...(heard.get(session.id) ?? []), text]);
      };
      const [alice, bob] = [await agent('alice', { onMessage }), await agent('bob', { onMessage })];
      const opens = Array.from({ length: 100 }, () => [
        alice.open('conversation', ['bob']),
        bob.open('conversation', ['alice']),
      ]);
      const sessions = await Promise.all(opens.flat());
      await Promise.all(sessions.flatMap((session) => ['a', 'b', 'c'].map((text) => session.send(text))));
      await Promise.all(sessions.map((session) => session.close('done', { wait: 'closed' })));
      expect(sessions.map(({ id }) => heard.get(id))).toEqual(sessions.map(() => ['a', 'b', 'c']));
      const ended: string[] = [];
      for await (const { close_reason } of alice.sessions({ states: ['CLOSED'] })) ended.push(close_reason ?? '');
      expect(ended).toEqual(Array(200).fill('done'));
    });

    it('[CL17, CL23] unregistering ends the sessions that need the identity', async () => {
      const bob = await agent('bob');
      const alice = await agent('alice');
      const session = await alice.open('conversation', ['bob']);
      await bob.unregister();
      expect(bob.state).toBe('closed');
      expect(await session.ended()).toEqual({ state: 'CLOSED', reason: 'below_minimum' });
      await expect(agent('bob')).rejects.toMatchObject({
        code: 'unauthenticated',
        message: 'name "bob" is taken; it belonged to an identity that was retired (and hello was refused)',
      });
      const later = await agent('alice');
      await expect(later.session(session.id).waitFor('msg.text')).rejects.toMatchObject({ code: 'session_ended' });
    });

    it('[CL21, CL23] disconnects everyone when the hub stops', async () => {
      const alice = await agent('alice');
      await agent('bob');
      const session = await alice.open('conversation', ['bob']);
      const waiting = expect(session.waitFor('msg.text')).rejects.toMatchObject({ code: 'client_closed' });
      await hub.stop();
      await waiting;
      expect(await alice.closed).toMatchObject({ by: 'hub', reason: 'shutdown', final: false });
    });
  });
}

async function texts(log: AsyncIterable<Envelope>): Promise<string[]> {
  const found: string[] = [];
  for await (const { event_type, event_data } of log)
    if (event_type === 'msg.text') found.push(String(event_data.text));
  return found;
}

async function pull(client: HumanClient, count: number): Promise<(string | undefined)[]> {
  const pulled: (string | undefined)[] = [];
  while (pulled.length < count) pulled.push((await client.next())?.text);
  return pulled;
}

/** A link that loses the first delivery of some envelopes. */
function losing(link: Link, loses: (envelope: Envelope) => boolean): Link {
  const lost = new Set<number>();
  return {
    send: (text) => link.send(text),
    onClose: (closed) => link.onClose(closed),
    close: () => link.close(),
    onMessage: (receive) =>
      link.onMessage((text) => {
        const frame = JSON.parse(text);
        const isLost = frame.kind === 'notify' && !lost.has(frame.envelope.seq) && loses(frame.envelope);
        if (isLost) lost.add(frame.envelope.seq);
        else receive(text);
      }),
  };
}
