import { discussion } from 'parley-hub/adapters/discussion';
import { finish, handoff, type JsonObject } from 'parley-hub/core';
import { describeAdapter, History, type HistoryOptions, idOf } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { readGolden } from '../read-golden.ts';
import { refusal } from '../refusal.ts';

const RAISE = 'hand.raise';

describeAdapter(discussion, {
  name: 'a discussion with raised hands',
  participants: 4,
  knobs: { ordering: 'raise_hand' },
  folds: [RAISE],
  drafts: ({ random }) => [{ event_type: RAISE, event_data: { bid: random.below(10) } }],
  golden: readGolden('discussion-raise-hand-1'),
});
describeAdapter(discussion, {
  name: 'two rounds with raised hands',
  participants: 3,
  knobs: { ordering: 'raise_hand', rounds: 2 },
  folds: [RAISE],
  drafts: ({ random }) => [{ event_type: RAISE, event_data: { bid: random.below(12) - 1 } }],
});
describeAdapter(discussion, {
  name: 'a moderated discussion',
  participants: 4,
  knobs: { ordering: 'moderated' },
  drafts: ({ metadata, random }) => [handoff(random.pick(metadata.participants).name, { body: 'you?' })],
  golden: readGolden('discussion-moderated-1'),
});
describeAdapter(discussion, {
  name: 'a moderated discussion of three rounds',
  knobs: { ordering: 'moderated', rounds: 3 },
  drafts: ({ metadata, random }) => [handoff(random.pick(metadata.participants).agent_id), finish()],
});
describeAdapter(discussion, {
  name: 'a discussion at random',
  participants: 4,
  knobs: { ordering: 'random' },
  golden: readGolden('discussion-random-1'),
  badCreates: [{ knobs: { ordering: 'by_age' } }],
});
describeAdapter(discussion, {
  name: 'two rounds at random',
  participants: 5,
  knobs: { ordering: 'random', rounds: 2 },
});

type Session = History<ReturnType<typeof discussion.initialState>>;

function aDiscussion(ordering: string, more: HistoryOptions = {}): Session {
  return new History(discussion, { ...more, knobs: { ordering, ...more.knobs } });
}

const raise = (bid: unknown) => ({ event_type: RAISE, event_data: { bid } as JsonObject });

function expected({ turn, metadata }: Session): string {
  return metadata.participants.find(({ agent_id }) => agent_id === turn?.agent_id)?.name ?? 'nobody';
}

/**
 * Plays a line such as `say, hide bob, say` and gives who is expected after each step: `say` is a text of whoever has the turn,
 * `>bob` its handoff to bob, `bob=7` a bid.
 */
function play(session: Session, line: string): string {
  return line
    .split(', ')
    .map((step) => {
      const [verb = '', name = ''] = step.split(' ');
      const changes: Record<string, string> = { hide: 'hidden', back: 'returned', remove: 'removed' };
      if (verb === 'say') session.say(expected(session), 'I think …');
      else if (verb.startsWith('>')) session.say(expected(session), handoff(verb.slice(1)));
      else if (verb.includes('=')) session.say(verb.split('=')[0] ?? '', raise(Number(verb.split('=')[1])));
      else
        session.hub(`session.participant.${changes[verb]}` as 'session.participant.hidden', { agent_id: idOf(name) });
      return expected(session);
    })
    .join(' ');
}

type Row = readonly [title: string, participants: number, line: string, next: string];

const HANDS: readonly Row[] = [
  ['with no hand up, whoever has been silent longest is next', 3, 'say, say, say, say', 'bob carol alice bob'],
  ['the highest bid is next, and is used up', 4, 'dave=5, carol=3, say, say, say', 'alice alice dave carol bob'],
  ['a bid replaces the one before', 4, 'dave=5, carol=4, dave=0, say', 'alice alice alice carol'],
  [
    'of equal bids the longest silence counts',
    3,
    'say, say, say, alice=4, carol=4, say, say',
    'bob carol alice alice alice carol bob',
  ],
  ['a hand that goes up never moves the turn', 3, 'say, carol=9', 'bob bob'],
  ['one’s own bid does not let it follow itself', 3, 'alice=9, say', 'alice bob'],
  ['the fold that hides the expected speaker chooses by bids', 4, 'say, dave=2, hide bob', 'bob bob dave'],
  ['so does the one that removes it', 4, 'say, dave=2, remove bob', 'bob bob dave'],
  ['who is hidden takes its hand down', 4, 'dave=9, hide dave, back dave, say', 'alice alice alice bob'],
  [
    'who was hidden is passed over and comes back to its place',
    3,
    'hide bob, say, say, back bob, say',
    'alice carol alice alice bob',
  ],
  ['one who is left alone goes on', 2, 'say, hide alice, say, back alice, say', 'bob bob bob bob alice'],
  ['nobody is there, then the first who returns', 2, 'hide alice, hide bob, back bob, say', 'bob nobody bob bob'],
  [
    'three that cannot be put off any more are served one after the other, whatever the bids',
    5,
    'bob=9, say, alice=9, say, bob=9, say, alice=9, say, say, say, say',
    'alice bob bob alice alice carol carol dave erin bob alice',
  ],
];

const MODERATED: readonly Row[] = [
  [
    'the moderator begins, names who is next, and is next after each',
    3,
    '>carol, say, >bob, say',
    'carol alice bob alice',
  ],
  ['its texts keep the turn', 3, 'say, say, >bob', 'alice alice bob'],
  ['a named speaker who is hidden gives the turn back at once', 3, '>bob, hide bob, back bob', 'bob alice alice'],
  ['one who is removed too', 3, '>bob, remove bob, >carol', 'bob alice carol'],
  [
    'while the moderator is away the next one moderates',
    4,
    'hide alice, >dave, say, back alice, say',
    'bob dave bob bob alice',
  ],
  [
    'a speaker speaks on when the moderator goes, and gives the turn to its stand-in',
    4,
    '>dave, hide alice, say',
    'dave dave bob',
  ],
  ['a stand-in of its own keeps the turn', 3, '>bob, hide alice, say, >carol, say', 'bob bob bob carol bob'],
  ['a moderator who is removed is followed by the next for good', 3, 'remove alice, >carol, say', 'bob carol bob'],
  ['one who is alone talks to itself', 2, 'hide bob, say, back bob, >bob', 'alice alice alice bob'],
  [
    'nobody is there, then the first who returns moderates',
    3,
    'hide alice, hide bob, hide carol, back carol, back bob, say',
    'bob carol nobody carol carol bob',
  ],
];

const RANDOM: readonly Row[] = [
  ['of two the other is next', 2, 'say, say, say', 'bob alice bob'],
  ['one who is alone goes on', 2, 'hide bob, say, back bob, say', 'alice alice alice bob'],
  ['nobody is there, then the first who returns', 2, 'hide alice, hide bob, back alice', 'bob nobody alice'],
  [
    'the fold that hides whoever has the turn gives it to another than the last speaker',
    3,
    'say, hide carol, hide bob',
    'carol bob alice',
  ],
];

describe('raise_hand', () => {
  it.each(HANDS)('[DI8] %s', (_title, participants, line, next) => {
    expect(play(aDiscussion('raise_hand', { participants }), line)).toBe(next);
  });

  it.each([undefined, null, -1, 10, 1.5, '5', true, [5]])('[DI8] refuses a bid of %j', (bid) => {
    const session = aDiscussion('raise_hand');
    const data = bid === undefined ? {} : { bid: bid as never };
    expect(refusal(() => session.say('bob', { event_type: RAISE, event_data: data }))).toMatchObject({
      code: 'protocol_error',
      details: { field: 'bid', expected: 'a whole number from 0 to 9', received: JSON.stringify(bid) ?? 'nothing' },
    });
  });

  it('[DI8] anyone active may bid at any time; in other orderings a raised hand means nothing', () => {
    const session = aDiscussion('raise_hand');
    for (const name of ['alice', 'bob', 'carol']) expect(session.say(name, raise(3))).toEqual({});
    expect(session.state.hands?.bids).toEqual({ 'id-alice': 3, 'id-bob': 3, 'id-carol': 3 });
    const other = aDiscussion('random');
    const before = other.state;
    other.say('carol', raise('high'));
    expect(other.state).toEqual(before);
  });

  it('[DI8] shows the bids, and offers a tool to raise a hand to all who are there', () => {
    const session = aDiscussion('raise_hand');
    play(session, 'bob=7, hide carol');
    const { metadata, state } = session;
    expect(discussion.publicState?.(metadata, state, idOf('alice'))).toEqual({
      turn_count: 0,
      rounds_done: 0,
      bids: { 'id-bob': 7 },
    });
    const offered = ['alice', 'bob', 'carol'].map((name) => discussion.tools?.(metadata, state, idOf(name)).length);
    expect(offered).toEqual([1, 1, 0]);
  });
});

describe('moderated', () => {
  it.each(MODERATED)('[DI9] %s', (_title, participants, line, next) => {
    expect(play(aDiscussion('moderated', { participants }), line)).toBe(next);
  });

  it('[DI9] a text of the moderator is no new turn', () => {
    const session = aDiscussion('moderated');
    const { turn } = session;
    session.say('alice', 'Welcome.');
    session.say('alice', { event_type: 'msg.packet', event_data: { body: 'Let us begin.' } });
    expect(session.turn).toEqual(turn);
    expect(session.state.turn_count).toBe(2);
  });

  it('[DI9] a name or an id names who is next; anyone else is refused by the field, and the moderator itself too', () => {
    const session = aDiscussion('moderated', { participants: 4 });
    session.hub('session.participant.hidden', { agent_id: idOf('dave') });
    for (const target of ['dave', 'zoe', 'alice', idOf('alice')]) {
      expect(refusal(() => session.say('alice', handoff(target)))).toMatchObject({
        code: 'protocol_error',
        details: {
          field: 'routing.target',
          expected: 'another active participant (bob, carol)',
          received: `"${target}"`,
        },
      });
    }
    session.say('alice', handoff(idOf('carol')));
    expect(expected(session)).toBe('carol');
  });

  it('[DI9] only the moderator hands off and finishes', () => {
    const session = aDiscussion('moderated');
    session.say('alice', handoff('bob'));
    for (const packet of [handoff('carol'), finish()]) {
      expect(refusal(() => session.say('bob', packet))).toMatchObject({
        code: 'protocol_error',
        details: { field: 'routing.kind', expected: `"tool", or nothing, from anyone but 'alice', who moderates` },
      });
    }
    expect(refusal(() => session.say('carol', handoff('bob'))).code).toBe('not_your_turn');
    session.say('bob', { event_type: 'msg.packet', event_data: { body: 'Done.' } });
    expect(expected(session)).toBe('alice');
  });

  it('[DI9] a packet that finishes ends the session with its reason', () => {
    const session = aDiscussion('moderated');
    expect(session.say('alice', finish({ reason: 'agreed' }))).toEqual({
      next_state: 'CLOSING',
      close_reason: 'agreed',
    });
    expect(session.turn).toBeNull();
    expect(aDiscussion('moderated').say('alice', finish()).close_reason).toBe('finished');
  });

  it('[DI9] there is no context to change', () => {
    const session = aDiscussion('moderated');
    const packet = handoff('bob', { contextUpdates: { set: { a: 1 } } });
    expect(refusal(() => session.say('alice', packet)).details).toMatchObject({ field: 'context_updates' });
    expect(refusal(() => session.say('alice', { event_type: 'context.set', event_data: {} })).code).toBe(
      'protocol_error',
    );
  });

  it('[DI9] offers the moderator its tools, and says who moderates', () => {
    const session = aDiscussion('moderated');
    const offered = () =>
      ['alice', 'bob'].map((name) =>
        discussion.tools?.(session.metadata, session.state, idOf(name)).map((tool) => tool.name),
      );
    expect(offered()).toEqual([['handoff', 'finish'], []]);
    session.say('alice', handoff('bob'));
    expect(offered()).toEqual([[], []]);
    play(session, 'hide alice');
    expect(discussion.publicState?.(session.metadata, session.state, idOf('bob'))).toMatchObject({
      moderator_id: idOf('bob'),
    });
  });
});

describe('random', () => {
  it.each(RANDOM)('[DI10] %s', (_title, participants, line, next) => {
    expect(play(aDiscussion('random', { participants }), line)).toBe(next);
  });

  it('[DI10] the creator begins, nobody follows itself, everybody comes up, and the same session goes the same way', () => {
    const line = Array(60).fill('say').join(', ');
    const order = play(aDiscussion('random', { participants: 5 }), line).split(' ');
    expect(order.every((name, i) => name !== (order[i - 1] ?? 'alice'))).toBe(true);
    expect(new Set(order).size).toBe(5);
    expect(play(aDiscussion('random', { participants: 5 }), line).split(' ')).toEqual(order);
  });
});

describe('rounds', () => {
  /** How many steps until it closes. */
  function length(session: Session, step: string): number {
    for (let turns = 1; turns < 100; turns++) {
      play(session, step);
      if (session.state.pending_close_reason !== null) {
        expect([session.state.pending_close_reason, expected(session)]).toEqual(['rounds_complete', 'nobody']);
        return turns;
      }
    }
    throw new Error('it does not end');
  }

  it.each(['raise_hand', 'random'])('[DI11] of %s are as many texts as were active when they began', (ordering) => {
    const knobs = { rounds: 2 };
    expect(length(aDiscussion(ordering, { participants: 4, knobs }), 'say')).toBe(8);
    const session = aDiscussion(ordering, { participants: 4, knobs });
    play(session, 'say, hide dave, say');
    // Two of the four turns of this round are left, and the next has three.
    expect(length(session, 'say')).toBe(5);
  });

  it('[DI11] of moderated are as many turns of others as were active when they began; the moderator’s are none', () => {
    const session = aDiscussion('moderated', { participants: 3, knobs: { rounds: 2 } });
    play(session, 'say, >bob, say, say, >bob');
    expect(session.state.rounds_done).toBe(0);
    play(session, 'say');
    expect(session.state.rounds_done).toBe(1);
    play(session, 'hide carol, >bob, say');
    expect(session.state.rounds_done).toBe(1);
    play(session, '>bob');
    expect(session.say('bob', 'last').close_reason).toBe('rounds_complete');
  });

  it('[DI11] of moderated count no turns that somebody has because the moderator was away', () => {
    const session = aDiscussion('moderated', { participants: 3, knobs: { rounds: 1 } });
    play(session, 'hide alice, back alice');
    expect(expected(session)).toBe('bob');
    play(session, 'say, >carol, say');
    expect([session.state.rounds_done, expected(session)]).toEqual([0, 'alice']);
    play(session, '>bob');
    expect(session.say('bob', 'last').close_reason).toBe('rounds_complete');
  });

  it('[DI11] of moderated count turns of those named before the moderator went away', () => {
    const session = aDiscussion('moderated', { participants: 4, knobs: { rounds: 1 } });
    play(session, '>carol, hide alice, say, >dave, back alice, say');
    expect([session.state.rounds_done, session.state.turns_left]).toEqual([0, 1]);
  });

  it('[DI11] one who is alone ends a round with each of its turns', () => {
    const session = aDiscussion('random', { participants: 2, knobs: { rounds: 3 } });
    play(session, 'hide bob, say, say');
    expect(session.state.rounds_done).toBe(1);
    play(session, 'say');
    expect(session.state.rounds_done).toBe(2);
    expect(session.say('alice', 'bye').close_reason).toBe('rounds_complete');
  });
});
