import { fullTranscript } from 'parley-hub/views/full-transcript';
import { describe, expect, it } from 'vitest';
import { roomsOf } from '../rooms-of.ts';
import { aConversation, aWorld, refusal, refused, say, VIEWS } from '../scene.ts';

describe('a legal request does not block others', () => {
  it('[ID8, L8] reads the registry once, however many capabilities are named', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    for (const name of ['bob', 'carol', 'dave']) {
      const peer = await world.peer(name);
      await world.answer(peer.call('set_resume', { claimed_capabilities: ['review', 'test'] }));
    }
    const { registry } = roomsOf(world.hub);
    let walks = 0;
    const after = registry.after.bind(registry);
    registry.after = (name) => {
      walks += 1;
      return after(name);
    };
    const participants = ['review', 'Test', 'review'].map((capability) => ({ capability }));
    const created = alice.call('create_session', { type: 'panel', participants, wait: 'created' });
    const names = (await world.answer(created)).session.participants.map(({ name }) => name);
    expect({ names, walks }).toEqual({ names: ['alice', 'bob', 'carol', 'dave'], walks: 1 });
  });

  it('[VW13, L8] drops lines that grew too long together, not one by one', async () => {
    let showings = 0;
    const swelling = {
      ...fullTranscript,
      name: 'swelling',
      show: (...given: Parameters<typeof fullTranscript.show>) => {
        showings += 1;
        return fullTranscript.show(...given).map((one) => ({ ...one, content: one.content.repeat(100) }));
      },
    };
    const { world, alice, id } = await aConversation({ maxResponseBytes: 20_000 }, { views: [...VIEWS, swelling] });
    for (let i = 0; i < 80; i++) await say(world, alice, id, `line ${i} of many`);
    const asked = alice.call('read_view', { session_id: id, view: { name: 'swelling' } });
    const { messages, earlier, next } = await world.answer(asked);
    expect(JSON.stringify(messages).length).toBeLessThanOrEqual(20_000);
    expect([messages.length + earlier, next !== null, showings]).toEqual([80, true, 2]);
    expect(messages.length).toBeGreaterThan(5);
  });
});

it('[RE5, L7] rejects a name that looks like an id', async () => {
  const world = await aWorld();
  const alice = await world.peer('alice');
  const impostor = world.stranger();
  const refused = await refusal(world, impostor.call('register', { name: alice.agentId }));
  expect(refused).toMatchObject({ code: 'bad_frame', details: { field: 'params.name' } });
  expect(refused.message).toContain('32 hex digits are an id');
});

it.each(['constructor', 'toString', '__proto__'])('[VW9] rejects "%s" as a view', async (name) => {
  const { world, alice, id } = await aConversation({}, { views: VIEWS });
  const asked = alice.call('read_view', { session_id: id, view: { name } });
  await refused(world, asked, 'bad_frame', 'params.view.name');
});

it('[ID4] the skill rendered from the longest profile can be set', async () => {
  const world = await aWorld();
  const alice = await world.peer('alice');
  await world.answer(alice.call('set_resume', { summary: '\u4e16'.repeat(2048) }));
  const { text, rendered } = await world.answer(alice.call('get_skill', {}));
  expect(rendered).toBe(true);
  expect(await world.answer(alice.call('set_skill', { text }))).toMatchObject({ version: 1, rendered: false });
});
