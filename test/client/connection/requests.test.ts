import { DEFAULT_LIMITS } from 'parley-hub/core';
import { expect, it } from 'vitest';
import { ME, notify, S1, WELCOME } from '../scripted-hub.ts';
import { agent } from '../world.ts';

it('[CL2] matches answers to requests by id, in any order', async () => {
  const { hub, client } = await agent();
  const agents = client.call('list_agents', {});
  const turns = client.call('pending_turns', {}, { deadlineMs: 250 });
  expect(await hub.heard()).toEqual([
    `{"kind":"request","request_id":"r1","op":"list_agents","as":"${ME}","params":{}}`,
    `{"kind":"request","request_id":"r2","op":"pending_turns","as":"${ME}","params":{},"deadline_ms":250}`,
  ]);
  hub.say('{"kind":"response","request_id":"r2","ok":true,"result":{"turns":[]}}');
  expect(await turns).toEqual({ turns: [] });
  hub.say('{"kind":"response","request_id":"r1","ok":true,"result":{"agents":[],"next":null}}');
  expect(await agents).toEqual({ agents: [], next: null });
});

it('[CL2] rejects with the code, message and details of the hub', async () => {
  const { hub, client } = await agent();
  const posting = client.session(S1).send('hi', { expectedSeq: 3 });
  await hub.refuse('post', { code: 'conflict', message: 'session is at seq 4', details: { head: 4 } });
  await expect(posting).rejects.toMatchObject({
    name: 'WireError',
    code: 'conflict',
    message: 'session is at seq 4',
    details: { head: 4 },
  });
});

it('[CL3] distinguishes sent requests with an unknown outcome from unsent ones when the link closes', async () => {
  const { hub, client } = await agent();
  const calls = Array.from({ length: 33 }, () => client.call('health', {}).catch((error) => error));
  await hub.flush();
  hub.close();
  const errors = await Promise.all(calls);
  expect(errors.map(({ code }) => code)).toEqual(Array(33).fill('unavailable'));
  expect(errors.map(({ details }) => details.outcome)).toEqual([...Array(32).fill('unknown'), 'refused']);
  await expect(client.call('health', {})).rejects.toMatchObject({ details: { outcome: 'refused' } });
  expect(await client.closed).toEqual({ by: 'link' });
});

it('[CL4] bounds open requests; the others follow in order', async () => {
  const { hub, client } = await agent();
  const sent = Array.from({ length: 100 }, (_, i) => client.session(S1).send(`${i}`));
  const opened = Array.from({ length: 100 }, () => client.open('conversation', ['bob']));
  for (const call of [...sent, ...opened]) call.catch(() => {});
  const first = await hub.heard();
  expect(first.length).toBeLessThanOrEqual(DEFAULT_LIMITS.maxOpenRequests);
  const texts: string[] = [];
  const answer = { envelope_id: 'e', seq: 1, created_at: '', turn: null };
  for (let frames = first; frames.length > 0; frames = await hub.heard()) {
    for (const { request_id, op, params } of frames.map((text) => JSON.parse(text))) {
      if (op !== 'post') continue;
      texts.push(params.event_data.text);
      hub.say({ kind: 'response', request_id, ok: true, result: answer });
    }
  }
  expect(texts).toEqual(Array.from({ length: 100 }, (_, i) => `${i}`));
  await Promise.all(sent);
  client.close();
});

it('[CL4] answers invites and sends messages while the maximum of opens waits for people', async () => {
  const { hub, client } = await agent();
  for (let i = 0; i < 100; i++) client.open('conversation', ['bob']).catch(() => {});
  await hub.heard();
  const sessionIds = Array.from({ length: 20 }, (_, i) => `${i}`.padStart(32, '0'));
  for (const session of sessionIds) hub.say(notify({ session, seq: 2, prev: null, type: 'session.invite' }));
  for (const session_id of sessionIds)
    expect(await hub.answer('ack_invite', { state: 'ACTIVE' })).toEqual({ session_id });
  client
    .session(S1)
    .send('hi')
    .catch(() => {});
  await hub.request('post');
  client.close();
});

it('[CL4] rejects a request that fits in no frame', async () => {
  const { hub, client } = await agent();
  const huge = client.session(S1).send('ä'.repeat(600_000));
  await expect(huge).rejects.toMatchObject({
    code: 'too_large',
    message: 'event_data: 1200011 bytes of JSON; at most 262144 are allowed',
    details: { field: 'event_data', expected: 'at most 262144 bytes', received: '1200011 bytes' },
  });
  const checkpoint = client
    .session(S1)
    .task('a'.repeat(32))
    .checkpoint({ all: 'x'.repeat(2_000_000) });
  await expect(checkpoint).rejects.toMatchObject({
    details: { field: 'params.data', expected: 'at most 262144 bytes' },
  });
  const prompt = client.session(S1).delegate('bob', 'x'.repeat(2_000_000));
  await expect(prompt).rejects.toMatchObject({ details: { field: 'params.prompt', expected: 'at most 262144 bytes' } });
  const knobs = client.open('conversation', { participants: ['bob'], knobs: { x: 'x'.repeat(2_000_000) } });
  await expect(knobs).rejects.toMatchObject({
    message: expect.stringMatching(/^create_session: 2\d{6} bytes of JSON, most of it in params.knobs; a frame takes/),
    details: { field: 'params.knobs', expected: 'a frame of at most 1048576 bytes' },
  });
  hub.say(WELCOME.replace('1048576', '1000'));
  await hub.flush();
  await expect(client.session(S1).send('a'.repeat(1000))).rejects.toMatchObject({ code: 'too_large' });
  expect(await hub.heard()).toEqual([]);
});
