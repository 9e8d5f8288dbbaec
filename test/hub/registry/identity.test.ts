import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import type { Resume } from '../../../src/core/records/identity/resume.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, aWorld, leave, logOf, refusal, refused, releaseHold, SECOND, watch } from '../scene.ts';
import { resumeOf, SKILL, skillOf } from './scene.ts';

describe('a resume', () => {
  it('[ID1, ID2] is empty at version 0 until it is set', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const empty: Resume = {
      agent_id: bob.agentId,
      claimed_capabilities: [],
      domains: [],
      summary: '',
      examples: [],
      observed: {},
      version: 0,
      last_updated: null,
    };
    expect(await resumeOf(world, bob)).toEqual(empty);
    expect(await resumeOf(world, alice, 'bob')).toEqual(empty);
    expect(await resumeOf(world, alice, bob.agentId)).toEqual(empty);
  });

  it('[ID1] gets a new version with each change, and keeps fields left out', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const first = await world.answer(
      bob.call('set_resume', {
        claimed_capabilities: ['review'],
        domains: ['rust'],
        summary: 'I read.',
        examples: ['a'],
      }),
    );
    expect(first).toMatchObject({ version: 1, last_updated: '2026-01-01T00:00:00.000Z' });
    await world.pass(SECOND);
    const second = await world.answer(bob.call('set_resume', { summary: 'I read a lot.', domains: [] }));
    expect(second).toEqual({
      ...first,
      domains: [],
      summary: 'I read a lot.',
      version: 2,
      last_updated: '2026-01-01T00:00:01.000Z',
    });
    expect(await resumeOf(world, alice, 'bob')).toEqual(second);
    expect(await resumeOf(world, alice)).toMatchObject({ version: 0 });
  });

  it('[ID1] gets no version without a change, and drops words repeated in another case', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    const claim = { claimed_capabilities: ['review', 'Review', 'draw', 'review'], domains: ['Rust', 'rust'] };
    const first = await world.answer(bob.call('set_resume', claim));
    expect(first).toMatchObject({ claimed_capabilities: ['review', 'draw'], domains: ['Rust'], version: 1 });
    const log = logOf(world.store, REGISTRY_LOG);
    for (const same of [{}, claim, { summary: '', expected_version: 1 }]) {
      expect(await world.answer(bob.call('set_resume', same))).toEqual(first);
    }
    expect(logOf(world.store, REGISTRY_LOG)).toEqual(log);
    await refused(world, bob.call('set_resume', { expected_version: 7 }), 'conflict');
  });

  it('[ID1] rejects another expected version with the current one, and changes nothing', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_resume', { summary: 'one', expected_version: 0 }));
    const log = logOf(world.store, REGISTRY_LOG);
    for (const expected_version of [0, 2]) {
      expect(await refusal(world, bob.call('set_resume', { summary: 'two', expected_version }))).toEqual({
        code: 'conflict',
        message: `the resume is at version 1, expected_version was ${expected_version}; read it and try again`,
        details: { version: 1 },
      });
    }
    expect(logOf(world.store, REGISTRY_LOG)).toEqual(log);
    expect(await resumeOf(world, bob)).toMatchObject({ summary: 'one', version: 1 });
  });

  it('[ID1, ID6] accepts one of several changes with the same expected version, the others once it is durable', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    world.hold = true;
    const calls = ['a', 'b', 'c'].map((summary) => watch(bob.call('set_resume', { summary, expected_version: 0 })));
    await world.settle();
    expect(calls.map(({ state }) => state)).toEqual(['open', 'open', 'open']);
    await releaseHold(world);
    expect(calls.map(({ state }) => state)).toEqual(['answered', 'refused', 'refused']);
    expect(await resumeOf(world, bob)).toMatchObject({ summary: 'a', version: 1 });
  });

  it('[ID2] ignores observations claimed by a client', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    const observed = { review: { n: 9, completed: 9, failed: 0, expired: 0, p50_latency_ms: 1 } };
    const frame = await world.answer(bob.ask('set_resume', { summary: 'best', observed, version: 99, agent_id: 'x' }));
    expect(frame).toMatchObject({ ok: true, result: { agent_id: bob.agentId, observed: {}, version: 1 } });
    expect(JSON.stringify(logOf(world.store, REGISTRY_LOG))).not.toContain('observed');
  });

  it.each([
    ['claimed_capabilities', Array(65).fill('a')],
    ['claimed_capabilities.1', ['a', 'b'.repeat(65)]],
    ['claimed_capabilities.0', ['']],
    ['claimed_capabilities.0', [' review']],
    ['claimed_capabilities.0', ['review\n']],
    ['claimed_capabilities.0', ['\ud800']],
    ['domains', Array(65).fill('a')],
    ['domains.0', ['b'.repeat(65)]],
    ['summary', 'x'.repeat(2049)],
    ['examples', Array(17).fill('a')],
    ['examples.0', ['x'.repeat(513)]],
    ['expected_version', -1],
  ])('[ID3] rejects %s beyond its limit, naming it', async (field, value) => {
    const { world, bob } = await aCast(['alice', 'bob']);
    const log = logOf(world.store, REGISTRY_LOG);
    const name = field.split('.')[0] ?? '';
    const frame = await world.answer(bob.ask('set_resume', { [name]: value }));
    expect(frame).toMatchObject({ ok: false, error: { code: 'bad_frame', details: { field: `params.${field}` } } });
    expect(logOf(world.store, REGISTRY_LOG)).toEqual(log);
  });
});

describe('a skill', () => {
  it('[ID4] is rendered until it is set', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    expect(await skillOf(world, alice, 'bob')).toMatchObject({ name: 'bob', rendered: true, version: 0 });
    await world.answer(bob.call('set_resume', { summary: 'I read code.' }));
    expect(await skillOf(world, alice, 'bob')).toMatchObject({
      front_matter: { name: 'bob', description: 'I read code.' },
      rendered: true,
    });
    const skill = {
      agent_id: bob.agentId,
      name: 'bob',
      text: SKILL,
      front_matter: { name: 'reviewing', description: 'Reads code.' },
      body: '# How\n\nSend a diff.\n',
      rendered: false,
      version: 1,
      last_updated: '2026-01-01T00:00:00.000Z',
    };
    expect(await world.answer(bob.call('set_skill', { text: SKILL }))).toEqual(skill);
    expect(await skillOf(world, alice, bob.agentId)).toEqual(skill);
    expect(await world.answer(bob.call('set_skill', { text: 'Just ask.' }))).toMatchObject({
      front_matter: {},
      body: 'Just ask.',
      version: 2,
    });
    expect(await skillOf(world, bob)).toMatchObject({ text: 'Just ask.', version: 2 });
    expect(await skillOf(world, alice)).toMatchObject({ rendered: true });
  });

  it('[ID4, ID5] reports errors in its front matter, and changes nothing', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_skill', { text: SKILL }));
    const log = logOf(world.store, REGISTRY_LOG);
    for (const [text, details] of [
      ['---\nname: bob', { field: 'params.text', line: 1 }],
      ['---\nname: bob\nname: eve\n---\n', { field: 'params.text', line: 3 }],
      ['---\na: &a [1]\nb: *a\n---\n', { field: 'params.text', line: 2 }],
      [`---\n${'['.repeat(4000)}\n---\n`, { field: 'params.text', line: 2 }],
    ] as const) {
      await refused(world, bob.call('set_skill', { text }), 'bad_frame', details);
    }
    expect(logOf(world.store, REGISTRY_LOG)).toEqual(log);
    expect(await skillOf(world, bob)).toMatchObject({ version: 1 });
  });

  it('[ID4, ID6] is cleared by null, which is a version, and then rendered again', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_resume', { summary: 'I read.' }));
    const rendered = await skillOf(world, bob);
    await world.answer(bob.call('set_skill', { text: SKILL }));
    await world.pass(SECOND);
    const cleared = { ...rendered, version: 2, last_updated: '2026-01-01T00:00:01.000Z' };
    expect(await world.answer(bob.call('set_skill', { text: null }))).toEqual(cleared);
    await world.answer(bob.call('set_resume', { summary: 'I write.' }));
    await world.crash();
    const [again, other] = [await world.peer('bob'), await world.peer('alice')];
    expect(await skillOf(world, other, 'bob')).toMatchObject({ rendered: true, version: 2 });
    expect((await skillOf(world, other, 'bob')).body).toContain('I write.');
    expect(await world.answer(again.call('set_skill', { text: 'x' }))).toMatchObject({ version: 3, rendered: false });
    expect(alice.agentId).toBe(other.agentId);
  });

  it('[ID3] is limited in bytes by a configurable limit', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    expect(await world.answer(bob.call('set_skill', { text: 'x'.repeat(65_536) }))).toMatchObject({ version: 1 });
    for (const [text, bytes] of [
      ['x'.repeat(65_537), 65_537],
      ['ä'.repeat(32_769), 65_538],
    ] as const) {
      const [expected, received] = ['at most 65536 bytes', `${bytes} bytes`];
      expect(await refusal(world, bob.call('set_skill', { text }))).toEqual({
        code: 'too_large',
        message: `params.text: expected ${expected}, got ${received}`,
        details: { field: 'params.text', expected, received },
      });
    }
    expect((await refusal(world, bob.call('set_skill', { text: '' }))).message).toBe(
      'params.text: expected the text of a SKILL.md, or null for none, got ""',
    );
    const strict = await aWorld({ maxSkillBytes: 10 });
    const eve = await strict.peer('eve');
    await refused(strict, eve.call('set_skill', { text: 'x'.repeat(11) }), 'too_large');
    await refused(strict, eve.call('set_skill', { text: '' }), 'bad_frame');
  });

  it('[ID6] is read from the log and not kept in memory', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_skill', { text: SKILL }));
    const { read } = world.store.counts;
    await skillOf(world, bob);
    expect(world.store.counts.read).toBe(read + 1);
    await resumeOf(world, bob);
    expect(world.store.counts.read).toBe(read + 1);
  });
});

describe('get_agent', () => {
  const agentOf = (world: World, peer: Peer, agent?: string) => world.answer(peer.call('get_agent', { agent }));

  it('[ID9] returns what the single operations do, by name or id, by default of the caller', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    await world.answer(bob.call('set_resume', { claimed_capabilities: ['review'], summary: 'I read.' }));
    await world.answer(bob.call('set_skill', { text: SKILL }));
    const own = await agentOf(world, bob);
    expect(own).toEqual({
      passport: expect.objectContaining({ name: 'bob', agent_id: bob.agentId }),
      resume: await resumeOf(world, bob),
      skill: await skillOf(world, bob),
      rule: await world.answer(bob.call('get_rule', {})),
      bound: true,
    });
    expect(await agentOf(world, alice, 'bob')).toEqual({ ...own, rule: null });
    expect(await agentOf(world, alice, bob.agentId)).toEqual({ ...own, rule: null });
    await leave(world, bob);
    expect(await agentOf(world, alice, 'bob')).toMatchObject({ bound: false });
  });

  it('[ID9] shows the rule of another to callers with the grant `rules` only', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    await world.answer(world.hub.grant('alice', ['operate', 'observe', 'enrol']));
    expect(await agentOf(world, alice, 'bob')).toMatchObject({ rule: null });
    await world.answer(world.hub.grant('alice', ['rules']));
    const rule = await world.answer(bob.call('get_rule', {}));
    expect(await agentOf(world, alice, 'bob')).toMatchObject({ rule });
  });

  it('[ID9] returns not_found for an unknown name', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    await refused(world, alice.call('get_agent', { agent: 'nobody' }), 'not_found');
  });
});
