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
 * Plays a line such as `say, hide bob, say` and returns the holder after each step: `say` is a text of the holder,
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
  ['without bids, gives the turn to the longest silent participant', 3, 'say, say, say, say', 'bob carol alice bob'],
  [
    'gives the turn to the highest bid and uses it up',
    4,
    'dave=5, carol=3, say, say, say',
    'alice alice dave carol bob',
  ],
  ['replaces an earlier bid', 4, 'dave=5, carol=4, dave=0, say', 'alice alice alice carol'],
  ['breaks ties by silence', 3, 'say, say, say, alice=4, carol=4, say, say', 'bob carol alice alice alice carol bob'],
  ['does not move the turn for a bid', 3, 'say, carol=9', 'bob bob'],
  ['does not give the turn back to its holder', 3, 'alice=9, say', 'alice bob'],
  ['chooses by bids when the holder is hidden', 4, 'say, dave=2, hide bob', 'bob bob dave'],
  ['chooses by bids when the holder is removed', 4, 'say, dave=2, remove bob', 'bob bob dave'],
  ['drops the bid of a hidden participant', 4, 'dave=9, hide dave, back dave, say', 'alice alice alice bob'],
  [
    'skips a hidden participant and keeps its place',
    3,
    'hide bob, say, say, back bob, say',
    'alice carol alice alice bob',
  ],
  ['lets a lone participant continue', 2, 'say, hide alice, say, back alice, say', 'bob bob bob bob alice'],
  ['nobody is there, then the first who returns', 2, 'hide alice, hide bob, back bob, say', 'bob nobody bob bob'],
  [
    'serves participants at their limit first, whatever the bids',
    5,
    'bob=9, say, alice=9, say, bob=9, say, alice=9, say, say, say, say',
    'alice bob bob alice alice carol carol dave erin bob alice',
  ],
];

const MODERATED: readonly Row[] = [
  ['lets the moderator name each speaker and speak after each', 3, '>carol, say, >bob, say', 'carol alice bob alice'],
  ['keeps the turn for texts of the moderator', 3, 'say, say, >bob', 'alice alice bob'],
  ['returns the turn of a hidden speaker at once', 3, '>bob, hide bob, back bob', 'bob alice alice'],
  ['returns the turn of a removed speaker at once', 3, '>bob, remove bob, >carol', 'bob alice carol'],
  [
    'lets the next participant moderate while the moderator is hidden',
    4,
    'hide alice, >dave, say, back alice, say',
    'bob dave bob bob alice',
  ],
  ['returns the turn to the substitute moderator', 4, '>dave, hide alice, say', 'dave dave bob'],
  ['keeps the turn for a substitute that was named', 3, '>bob, hide alice, say, >carol, say', 'bob bob bob carol bob'],
  ['replaces a removed moderator permanently', 3, 'remove alice, >carol, say', 'bob carol bob'],
  ['lets a lone moderator continue', 2, 'hide bob, say, back bob, >bob', 'alice alice alice bob'],
  [
    'lets the first that returns moderate',
    3,
    'hide alice, hide bob, hide carol, back carol, back bob, say',
    'bob carol nobody carol carol bob',
  ],
];

const RANDOM: readonly Row[] = [
  ['alternates between two', 2, 'say, say, say', 'bob alice bob'],
  ['lets a lone participant continue', 2, 'hide bob, say, back bob, say', 'alice alice alice bob'],
  ['nobody is there, then the first who returns', 2, 'hide alice, hide bob, back alice', 'bob nobody alice'],
  ['avoids the last speaker when the holder is hidden', 3, 'say, hide carol, hide bob', 'carol bob alice'],
];

describe('raise_hand', () => {
  it.each(HANDS)('[DI8] %s', (_title, participants, line, next) => {
    expect(play(aDiscussion('raise_hand', { participants }), line)).toBe(next);
  });

  it.each([undefined, null, -1, 10, 1.5, '5', true, [5]])('[DI8] rejects a bid of %j', (bid) => {
    const session = aDiscussion('raise_hand');
    const data = bid === undefined ? {} : { bid: bid as never };
    expect(refusal(() => session.say('bob', { event_type: RAISE, event_data: data }))).toMatchObject({
      code: 'protocol_error',
      details: { field: 'bid', expected: 'a whole number from 0 to 9', received: JSON.stringify(bid) ?? 'nothing' },
    });
  });

  it('[DI8] accepts bids at any time; other orderings ignore them', () => {
    const session = aDiscussion('raise_hand');
    for (const name of ['alice', 'bob', 'carol']) expect(session.say(name, raise(3))).toEqual({});
    expect(session.state.hands?.bids).toEqual({ 'id-alice': 3, 'id-bob': 3, 'id-carol': 3 });
    const other = aDiscussion('random');
    const before = other.state;
    other.say('carol', raise('high'));
    expect(other.state).toEqual(before);
  });

  it('[DI8] shows the bids, and offers the tool to active participants', () => {
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

  it('[DI9] does not start a new turn for texts of the moderator', () => {
    const session = aDiscussion('moderated');
    const { turn } = session;
    session.say('alice', 'Welcome.');
    session.say('alice', { event_type: 'msg.packet', event_data: { body: 'Let us begin.' } });
    expect(session.turn).toEqual(turn);
    expect(session.state.turn_count).toBe(2);
  });

  it('[DI9] accepts a name or id of another active participant, and rejects others by field', () => {
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

  it('[DI9] lets only the moderator hand off and finish', () => {
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

  it('[DI9] ends the session with the reason of a finish packet', () => {
    const session = aDiscussion('moderated');
    expect(session.say('alice', finish({ reason: 'agreed' }))).toEqual({
      next_state: 'CLOSING',
      close_reason: 'agreed',
    });
    expect(session.turn).toBeNull();
    expect(aDiscussion('moderated').say('alice', finish()).close_reason).toBe('finished');
  });

  it('[DI9] rejects context changes', () => {
    const session = aDiscussion('moderated');
    const packet = handoff('bob', { contextUpdates: { set: { a: 1 } } });
    expect(refusal(() => session.say('alice', packet)).details).toMatchObject({ field: 'context_updates' });
    expect(refusal(() => session.say('alice', { event_type: 'context.set', event_data: {} })).code).toBe(
      'protocol_error',
    );
  });

  it('[DI9] offers the tools to the moderator, and shows its id', () => {
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

  it('[DI10] begins with the creator, repeats nobody, reaches everybody and is repeatable', () => {
    const line = Array(60).fill('say').join(', ');
    const order = play(aDiscussion('random', { participants: 5 }), line).split(' ');
    expect(order.every((name, i) => name !== (order[i - 1] ?? 'alice'))).toBe(true);
    expect(new Set(order).size).toBe(5);
    expect(play(aDiscussion('random', { participants: 5 }), line).split(' ')).toEqual(order);
  });
});

describe('rounds', () => {
  /** The number of steps until it closes. */
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

  it.each(['raise_hand', 'random'])('[DI11] of %s have one text per participant active at their start', (ordering) => {
    const knobs = { rounds: 2 };
    expect(length(aDiscussion(ordering, { participants: 4, knobs }), 'say')).toBe(8);
    const session = aDiscussion(ordering, { participants: 4, knobs });
    play(session, 'say, hide dave, say');
    // Two of four turns are left in this round; the next one has three.
    expect(length(session, 'say')).toBe(5);
  });

  it('[DI11] of moderated count turns of others, but not of the moderator', () => {
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

  it('[DI11] of moderated ignore turns taken because the moderator was hidden', () => {
    const session = aDiscussion('moderated', { participants: 3, knobs: { rounds: 1 } });
    play(session, 'hide alice, back alice');
    expect(expected(session)).toBe('bob');
    play(session, 'say, >carol, say');
    expect([session.state.rounds_done, expected(session)]).toEqual([0, 'alice']);
    play(session, '>bob');
    expect(session.say('bob', 'last').close_reason).toBe('rounds_complete');
  });

  it('[DI11] of moderated count turns of speakers named before the moderator left', () => {
    const session = aDiscussion('moderated', { participants: 4, knobs: { rounds: 1 } });
    play(session, '>carol, hide alice, say, >dave, back alice, say');
    expect([session.state.rounds_done, session.state.turns_left]).toEqual([0, 1]);
  });

  it('[DI11] of a lone participant have one turn', () => {
    const session = aDiscussion('random', { participants: 2, knobs: { rounds: 3 } });
    play(session, 'hide bob, say, say');
    expect(session.state.rounds_done).toBe(1);
    play(session, 'say');
    expect(session.state.rounds_done).toBe(2);
    expect(session.say('alice', 'bye').close_reason).toBe('rounds_complete');
  });
});
