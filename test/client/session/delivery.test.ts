import type { Message } from 'parley-hub/client';
import type { GapFrame } from 'parley-hub/core';
import { expect, it } from 'vitest';
import { deferred, HELLO, keptLog, ME, metadata, notify, receipt, S1, S2, type ScriptedHub } from '../scripted-hub.ts';
import { agent, heardAfter, tell } from '../world.ts';

async function reader(handle: (message: Message) => void | Promise<void> = () => {}) {
  const read: string[] = [];
  const gaps: GapFrame[] = [];
  const log = keptLog();
  const world = await agent({
    onMessage: async (message) => {
      read.push(message.text);
      await handle(message);
    },
    onGap: (gap) => void gaps.push(gap),
    log,
  });
  return { ...world, read, gaps, log };
}

const resume = (seq: number, epoch = 1): string =>
  `${HELLO.slice(0, -1)},"resume":{"${S1}":{"seq":${seq},"epoch":${epoch}}}}`;

it('[CL5, CL6] acks a message after handling it', async () => {
  const done = deferred();
  const { hub, read } = await reader(() => done.promise);
  await tell(hub, notify({ seq: 3, prev: 0 }));
  expect([read, await hub.heard()]).toEqual([['text 3'], []]);
  done.resolve();
  expect(await hub.heard()).toEqual([receipt(3)]);
});

it('[CL5] acks a repeat of an acked message without handling it again', async () => {
  const { hub, read } = await reader();
  expect(await heardAfter(hub, notify({ seq: 1 }), notify({ seq: 2 }))).toEqual([receipt(1), receipt(2)]);
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }), notify({ seq: 1 }));
  expect(await hub.heard()).toEqual([receipt(1), receipt(2), receipt(1)]);
  expect(read).toEqual(['text 1', 'text 2']);
});

it('[CL5] acks a repeat of a message being handled once, when that is done', async () => {
  const done = deferred();
  const { hub, read } = await reader(() => done.promise);
  expect(await heardAfter(hub, notify({ seq: 1 }), notify({ seq: 1 }))).toEqual([]);
  done.resolve();
  expect([read, await hub.heard()]).toEqual([['text 1'], [receipt(1)]]);
});

it('[CL6] nacks with the message of the throw, and handles the repeat, even after later messages', async () => {
  let broken = true;
  const { hub, read, log } = await reader(({ text }) => {
    if (broken && text === 'text 1') throw new Error('no disk');
  });
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }));
  expect(await hub.heard()).toEqual([receipt(1, 'nack', 'no disk'), receipt(2)]);
  expect(log.lines).toEqual([`a handler failed {"session_id":"${S1}","error":"no disk"}`]);
  broken = false;
  await tell(hub, notify({ seq: 1, attempt: 2 }));
  expect([read, await hub.heard()]).toEqual([['text 1', 'text 2', 'text 1'], [receipt(1)]]);
});

it('[CL6] does not wait for what the hub has given up on', async () => {
  const { hub, read } = await reader(({ text }) => {
    if (text === 'text 1') throw new Error('poison');
  });
  for (const attempt of [1, 2, 3, 4, 5, 6]) await tell(hub, notify({ seq: 1, attempt }));
  await tell(hub, notify({ seq: 2 }));
  expect(read).toEqual([...Array(6).fill('text 1'), 'text 2']);
  await hub.heard();
  expect(await heardAfter(hub, notify({ seq: 4 }))).toEqual([resume(2)]);
  await hub.welcome();
  expect(await heardAfter(hub, notify({ seq: 3, prev: 2 }), notify({ seq: 4 }))).toEqual([receipt(3), receipt(4)]);
});

it('[CL6] shortens the nack reason to what the hub accepts', async () => {
  const { hub } = await reader(() => {
    throw new Error(`\ud83d half ${'😀'.repeat(2000)}`);
  });
  await tell(hub, notify({ seq: 1 }));
  const [frame = ''] = await hub.heard();
  const { reason } = JSON.parse(frame);
  expect([reason.length <= 1024, reason.startsWith(' half 😀'), frame.includes('\\ud83d')]).toEqual([
    true,
    true,
    false,
  ]);
});

it('[CL7] drops what follows a loss and resumes on the same link from the last ack', async () => {
  const { hub, read } = await reader();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }));
  await hub.heard();
  expect(await heardAfter(hub, notify({ seq: 4 }), notify({ seq: 5 }))).toEqual([resume(2)]);
  await hub.welcome();
  await tell(hub, notify({ seq: 3 }), notify({ seq: 4 }), notify({ seq: 5 }));
  expect(await hub.heard()).toEqual([receipt(3), receipt(4), receipt(5)]);
  expect(read).toEqual(['text 1', 'text 2', 'text 3', 'text 4', 'text 5']);
});

it('[CL7] takes a hole in seq alone for envelopes of others', async () => {
  const { hub, read } = await reader();
  await tell(hub, notify({ seq: 2, prev: 0 }), notify({ seq: 9, prev: 2 }), notify({ seq: 11, prev: 9 }));
  expect(await hub.heard()).toEqual([receipt(2), receipt(9), receipt(11)]);
  expect(read).toEqual(['text 2', 'text 9', 'text 11']);
});

it('[CL7] starts in the middle of a session without a loss or a resume point', async () => {
  const { hub, read } = await reader();
  expect(await heardAfter(hub, notify({ seq: 70, prev: 68 }))).toEqual([receipt(70)]);
  expect(await heardAfter(hub, notify({ seq: 72 }))).toEqual([HELLO]);
  await hub.welcome();
  await tell(hub, notify({ seq: 68 }), notify({ seq: 70, prev: 68 }), notify({ seq: 71 }));
  expect(await hub.heard()).toEqual([receipt(70), receipt(68), receipt(71)]);
  expect(read).toEqual(['text 70', 'text 68', 'text 71']);
});

it('[CL7] resumes once at a time for all losses', async () => {
  const { hub, read } = await reader();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 1, session: S2 }));
  await hub.heard();
  await tell(hub, notify({ seq: 3 }), notify({ seq: 3, session: S2 }), notify({ seq: 4 }));
  const hellos = await hub.heard();
  expect(hellos.map((text) => JSON.parse(text))).toMatchObject([
    { kind: 'hello', resume: { [S1]: { seq: 1, epoch: 1 }, [S2]: { seq: 1, epoch: 1 } } },
  ]);
  await hub.welcome();
  await tell(
    hub,
    notify({ seq: 2 }),
    notify({ seq: 3 }),
    notify({ seq: 2, session: S2 }),
    notify({ seq: 3, session: S2 }),
  );
  expect(read.sort()).toEqual(['text 1', 'text 1', 'text 2', 'text 2', 'text 3', 'text 3']);
});

it('[CL7] resumes from the last ack, so that unacked messages are redelivered', async () => {
  const first = deferred();
  const { hub, read } = await reader(({ text }) => (text === 'text 2' ? first.promise : undefined));
  expect(await heardAfter(hub, notify({ seq: 1 }), notify({ seq: 2 }), notify({ seq: 3 }))).toEqual([receipt(1)]);
  expect(await heardAfter(hub, notify({ seq: 5 }))).toEqual([resume(1)]);
  await hub.welcome();
  await tell(hub, notify({ seq: 2 }), notify({ seq: 3 }), notify({ seq: 4 }), notify({ seq: 5 }));
  first.resolve();
  expect(await hub.heard()).toEqual([receipt(2), receipt(3), receipt(4), receipt(5)]);
  expect(read).toEqual(['text 1', 'text 2', 'text 3', 'text 4', 'text 5']);
});

it('[CL7] stops asking about a hole the hub cannot fill', async () => {
  const { hub, read } = await reader();
  expect(await heardAfter(hub, notify({ seq: 1 }))).toEqual([receipt(1)]);
  for (let times = 1; times <= 5; times++) {
    expect(await heardAfter(hub, notify({ seq: 7 }))).toEqual([resume(1)]);
    await hub.welcome();
  }
  expect(await heardAfter(hub, notify({ seq: 7 }), notify({ seq: 8 }))).toEqual([receipt(7), receipt(8)]);
  expect(read).toEqual(['text 1', 'text 7', 'text 8']);
});

it('[CL7] detects a missing redelivery as a loss', async () => {
  const slow = deferred();
  const { hub, read } = await reader(({ text }) => (text === 'text 1' ? slow.promise : undefined));
  expect(await heardAfter(hub, notify({ seq: 1 }), notify({ seq: 3 }))).toEqual([HELLO]);
  await hub.welcome();
  slow.resolve();
  await hub.flush();
  expect(await heardAfter(hub, notify({ seq: 2 }), notify({ seq: 3 }))).toEqual([resume(1)]);
  await hub.welcome();
  expect(await heardAfter(hub, notify({ seq: 2 }), notify({ seq: 3 }))).toEqual([receipt(2), receipt(3)]);
  expect(read).toEqual(['text 1', 'text 2', 'text 3']);
});

it('[CL7] ends when the resume is rejected', async () => {
  const { hub, client } = await reader();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 3 }));
  hub.say('{"kind":"error","error":{"code":"bad_frame","message":"some other frame"}}');
  hub.say('{"kind":"error","error":{"code":"unauthenticated","message":"revoked"}}');
  expect(await client.closed).toMatchObject({ by: 'refusal', error: { code: 'unauthenticated' } });
});

it('[CL8] sends no receipt between hello and welcome, and acks the redelivery', async () => {
  const slow = deferred();
  const { hub, read } = await reader(({ text }) => (text === 'text 2' ? slow.promise : undefined));
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }));
  expect(await heardAfter(hub, notify({ seq: 4 }))).toEqual([receipt(1), resume(1)]);
  slow.resolve();
  hub.say(notify({ seq: 1 }));
  expect(await hub.heard()).toEqual([]);
  await hub.welcome();
  expect(await hub.heard()).toEqual([]);
  await tell(hub, notify({ seq: 2 }), notify({ seq: 3 }), notify({ seq: 4 }));
  expect(await hub.heard()).toEqual([receipt(2), receipt(3), receipt(4)]);
  expect(read).toEqual(['text 1', 'text 2', 'text 3', 'text 4']);
});

it('[CL8] handles a message again that was nacked before a resume', async () => {
  let broken = true;
  const { hub, read } = await reader(() => {
    if (broken) throw new Error('later');
  });
  await tell(hub, notify({ seq: 1 }));
  await hub.heard();
  broken = false;
  expect(await heardAfter(hub, notify({ seq: 3 }))).toEqual([HELLO]);
  await hub.welcome();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }), notify({ seq: 3 }));
  expect(await hub.heard()).toEqual([receipt(1), receipt(2), receipt(3)]);
  expect(read).toEqual(['text 1', 'text 1', 'text 2', 'text 3']);
});

it('[CL9] starts fresh in a new epoch and acks nothing of the old one', async () => {
  const done = deferred();
  const { hub, read } = await reader(({ text }) => (text === 'text 1' ? done.promise : undefined));
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }));
  await tell(hub, notify({ seq: 2, prev: 0, epoch: 2 }), notify({ seq: 2, prev: 0, epoch: 2 }));
  done.resolve();
  expect([read, await hub.heard()]).toEqual([['text 1', 'text 2'], [receipt(2)]]);
  expect(await heardAfter(hub, notify({ seq: 5, epoch: 2 }))).toEqual([resume(2, 2)]);
});

it('[CL9] an ended session can continue in a new epoch', async () => {
  const { hub, client } = await agent();
  const session = client.session(S1);
  const bobs = { agent_id: 'id-bob', since_seq: 5 };
  await tell(hub, notify({ seq: 5, turn: bobs }), notify({ seq: 6, type: 'session.closed', data: { reason: 'done' } }));
  expect([session.state, session.isMyTurn]).toEqual(['CLOSED', false]);
  await tell(hub, notify({ seq: 1, epoch: 2, type: 'session.opened', turn: { agent_id: ME, since_seq: 1 } }));
  expect([session.state, session.turn]).toEqual(['ACTIVE', { agent_id: ME, since_seq: 1 }]);
  const waiting = session.waitFor('msg.text');
  await tell(hub, notify({ seq: 2, epoch: 2 }));
  expect((await waiting).seq).toBe(2);
});

it('[CL9, CL10] reports the gap of a new epoch and handles the same seqs again', async () => {
  const { hub, read, gaps } = await reader();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }));
  await hub.heard();
  const gap = { kind: 'gap', recipient_id: ME, session_id: S1, epoch: 2, from_seq: 1, to_seq: 2, reason: 'epoch' };
  await tell(hub, gap, notify({ seq: 1, epoch: 2 }), notify({ seq: 2, epoch: 2 }));
  expect(await heardAfter(hub, notify({ seq: 2, epoch: 2 }))).toEqual([receipt(1), receipt(2), receipt(2)]);
  expect(read).toEqual(['text 1', 'text 2', 'text 1', 'text 2']);
  expect(gaps).toEqual([gap]);
});

it('[CL10] does not take a gap for a loss', async () => {
  const { hub, read, gaps } = await reader();
  const gap = { kind: 'gap', recipient_id: ME, session_id: S1, epoch: 1, from_seq: 2, to_seq: 8, reason: 'overflow' };
  await tell(hub, notify({ seq: 1 }), gap, notify({ seq: 9 }));
  expect([read, gaps, await hub.heard()]).toEqual([['text 1', 'text 9'], [gap], [receipt(1), receipt(9)]]);
  expect(await heardAfter(hub, notify({ seq: 11 }))).toEqual([resume(9)]);
});

it('[CL10] drops untaken messages in a gap', async () => {
  const { hub, client } = await agent();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }), notify({ seq: 3 }));
  const gap = { kind: 'gap', recipient_id: ME, session_id: S1, epoch: 1, from_seq: 1, to_seq: 2, reason: 'overflow' };
  expect(await heardAfter(hub, gap)).toEqual([receipt(1), receipt(2)]);
  const messages = client.session(S1)[Symbol.asyncIterator]();
  const next = messages.next();
  await tell(hub);
  expect((await next).value?.text).toBe('text 3');
});

it('[CL10] a gap after a loss does not hide it', async () => {
  const { hub, read } = await reader();
  const gap = { kind: 'gap', recipient_id: ME, session_id: S1, epoch: 1, from_seq: 4, to_seq: 4, reason: 'expired' };
  await tell(hub, notify({ seq: 1 }));
  await tell(hub, notify({ seq: 3 }), gap);
  expect((await hub.heard()).at(-1)).toBe(resume(1));
  await hub.welcome();
  await tell(hub, notify({ seq: 2 }), notify({ seq: 3 }), gap, notify({ seq: 5 }));
  expect(await hub.heard()).toEqual([receipt(2), receipt(3), receipt(5)]);
  expect(read).toEqual(['text 1', 'text 2', 'text 3', 'text 5']);
});

it('[CL10] does not miss a redelivery that became a gap', async () => {
  const slow = deferred();
  const { hub } = await reader(({ text }) => (text === 'text 1' ? slow.promise : undefined));
  expect(await heardAfter(hub, notify({ seq: 1 }), notify({ seq: 3 }))).toEqual([HELLO]);
  await hub.welcome();
  const gap = { kind: 'gap', recipient_id: ME, session_id: S1, epoch: 1, from_seq: 1, to_seq: 1, reason: 'expired' };
  await tell(hub, gap, notify({ seq: 2 }));
  slow.resolve();
  expect(await hub.heard()).toEqual([receipt(2)]);
});

it('[CL11] sends no receipt outside the stream', async () => {
  const { hub, client } = await reader();
  await tell(hub, notify({ seq: 9, prev: null, type: 'session.closed', data: { reason: 'invite_timeout' } }));
  expect(await hub.heard()).toEqual([]);
  expect(await client.session(S1).ended()).toEqual({ state: 'CLOSED', reason: 'invite_timeout' });
});

it('[CL12] handles messages in order within a session, concurrently between sessions', async () => {
  const gates = [deferred(), deferred(), deferred()];
  const steps: string[] = [];
  const { hub } = await reader(async ({ text, session }) => {
    const at = session.id === S2 ? 2 : text === 'text 1' ? 0 : 1;
    steps.push(`start ${at}`);
    await gates[at]?.promise;
    steps.push(`end ${at}`);
  });
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }), notify({ seq: 1, session: S2 }));
  expect(steps).toEqual(['start 0', 'start 2']);
  gates[2]?.resolve();
  gates[0]?.resolve();
  expect(await hub.heard()).toEqual([receipt(1, 'ack', undefined, S2), receipt(1)]);
  gates[1]?.resolve();
  await hub.flush();
  expect(steps).toEqual(['start 0', 'start 2', 'end 2', 'end 0', 'start 1', 'end 1']);
});

it('[CL13] processes and acks the end of a session on arrival, ahead of waiting messages', async () => {
  const done = deferred();
  const signals: AbortSignal[] = [];
  const { hub, client, read } = await reader(({ signal }) => {
    signals.push(signal);
    return done.promise;
  });
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2 }));
  expect([signals[0]?.aborted, client.session(S1).state]).toEqual([false, 'ACTIVE']);
  await tell(hub, notify({ seq: 3, type: 'session.closing', data: { reason: 'enough' } }));
  expect([signals[0]?.aborted, client.session(S1).state]).toEqual([true, 'CLOSING']);
  expect(await hub.heard()).toEqual([receipt(3)]);
  done.resolve();
  expect(await hub.heard()).toEqual([receipt(1), receipt(2)]);
  expect(read).toEqual(['text 1', 'text 2']);
});

it.each(['hidden', 'removed'])('[CL13] being %s aborts the signal', async (change) => {
  const done = deferred();
  const signals: AbortSignal[] = [];
  const { hub } = await reader(({ signal }) => {
    signals.push(signal);
    return done.promise;
  });
  await tell(hub, notify({ seq: 1 }));
  await tell(hub, notify({ seq: 2, type: `session.participant.${change}`, data: { agent_id: 'id-bob' } }));
  expect(signals[0]?.aborted).toBe(false);
  await tell(hub, notify({ seq: 3, type: `session.participant.${change}`, data: { agent_id: ME } }));
  expect(signals[0]?.aborted).toBe(true);
  expect(await hub.heard()).toEqual([receipt(2), receipt(3)]);
});

it('[CL13] may post again after returning', async () => {
  const signals: AbortSignal[] = [];
  const { hub } = await reader(({ signal }) => void signals.push(signal));
  await tell(hub, notify({ seq: 1, type: 'session.participant.hidden', data: { agent_id: ME } }), notify({ seq: 2 }));
  await tell(hub, notify({ seq: 3, type: 'session.participant.returned', data: { agent_id: ME } }), notify({ seq: 4 }));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

it('[CL14] acks a throw after the signal was aborted', async () => {
  const done = deferred();
  const { hub } = await reader(async ({ signal }) => {
    await done.promise;
    signal.throwIfAborted();
  });
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2, type: 'session.expired', data: { reason: 'ttl_expired' } }));
  done.resolve();
  expect(await hub.heard()).toEqual([receipt(2), receipt(1)]);
});

it('[CL21] aborts a running handler on close and does not ack its message', async () => {
  const done = deferred();
  const signals: AbortSignal[] = [];
  const { hub, client } = await reader(({ signal }) => {
    signals.push(signal);
    return done.promise;
  });
  await tell(hub, notify({ seq: 1 }));
  client.close();
  expect(signals[0]?.aborted).toBe(true);
  done.resolve();
  expect(await hub.heard()).toEqual([]);
});

it('[CL24] logs a throwing onEvent or onGap and goes on', async () => {
  const log = keptLog();
  const { hub } = await agent({
    log,
    onEvent: (async () => {
      throw new Error('later');
    }) as () => void,
    onGap: () => {
      throw new Error('at once');
    },
  });
  const gap = { kind: 'gap', recipient_id: ME, session_id: S1, epoch: 1, from_seq: 1, to_seq: 1, reason: 'expired' };
  expect(await heardAfter(hub, gap, notify({ seq: 2, type: 'session.opened' }))).toEqual([receipt(2)]);
  expect(log.lines).toEqual(['onGap threw {"error":"at once"}', 'onEvent threw {"error":"later"}']);
});

it('[CL5] does not resume an ended session, but recognises its repeats', async () => {
  const { hub, read } = await reader();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2, type: 'session.closed', data: { reason: 'done' } }));
  await tell(hub, notify({ seq: 1, session: S2 }));
  await tell(hub, notify({ seq: 3, session: S2 }));
  const hello = (await hub.heard()).at(-1) ?? '';
  expect(JSON.parse(hello).resume).toEqual({ [S2]: { seq: 1, epoch: 1 } });
  await hub.welcome();
  await tell(hub, notify({ seq: 1 }), notify({ seq: 2, type: 'session.closed', data: { reason: 'done' } }));
  expect(await hub.heard()).toEqual([receipt(1), receipt(2)]);
  expect(read).toEqual(['text 1', 'text 1']);
});

it('[CL26] forgets the oldest ended sessions', async () => {
  const { hub, client, read } = await reader();
  const ids = Array.from({ length: 1001 }, (_, i) => i.toString(16).padStart(32, '0'));
  const [oldest = '', newest = ''] = [ids[0], ids.at(-1)];
  const [live, ended] = [client.session(S1), client.session(oldest)];
  for (const session of ids) {
    hub.say(notify({ session, seq: 1, type: 'session.opened' }));
    hub.say(notify({ session, seq: 2, type: 'session.closed', data: { reason: 'done' } }));
  }
  await hub.heard();
  expect([client.session(S1) === live, client.session(oldest) === ended]).toEqual([true, false]);
  await tell(hub, notify({ session: newest, seq: 1 }), notify({ session: oldest, seq: 1 }));
  expect(read).toEqual(['text 1']);
});

it('[CL5] asks for names once and falls back to ids', async () => {
  const from: string[] = [];
  const { hub } = await agent({ onMessage: ({ from: name }) => void from.push(name) });
  hub.say(notify({ seq: 1 }), notify({ seq: 2, from: 'id-eve' }), notify({ seq: 3, from: 'id-eve' }));
  await hub.answer('get_session', { session: metadata(), turn: null, unavailable: null });
  await hub.refuse('get_session', { code: 'unavailable', message: 'later' });
  await hub.flush();
  hub.say(notify({ seq: 4, type: 'session.participant.joined', data: { agent_id: 'id-dan', name: 'dan' } }));
  hub.say(notify({ seq: 5, from: 'id-dan' }));
  await acked(hub, 5);
  expect(from).toEqual(['bob', 'id-eve', 'id-eve', 'dan']);
});

async function acked(hub: ScriptedHub, seq: number): Promise<void> {
  expect((await hub.heard()).filter((text) => text === receipt(seq))).toHaveLength(1);
}
