import { discussion } from 'parley-hub/adapters/discussion';
import { turnWithin } from 'parley-hub/expectations/entries';
import {
  adapterChecks,
  createdMetadata,
  describeAdapter,
  History,
  type HistoryOptions,
  idOf,
} from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { readGolden } from './read-golden.ts';
import { refusal, refusedAs } from './refusal.ts';

describeAdapter(discussion, {
  goodCreates: [{ participants: 2 }, { participants: 8, knobs: { rounds: 3 } }],
  badCreates: [{ participants: 1 }],
  golden: readGolden('discussion-1'),
});
describeAdapter(discussion, { name: 'a discussion of two rounds', participants: 5, knobs: { rounds: 2 } });
describeAdapter(discussion, { name: 'a discussion of two', participants: 2 });

type Session = History<ReturnType<typeof discussion.initialState>>;

function aDiscussion(options: HistoryOptions = {}): Session {
  return new History(discussion, options);
}

/** Lets the holders of the turn post `turns` times; returns their names. */
function speakers(session: Session, turns: number): string {
  return Array.from({ length: turns }, () => {
    const name = expected(session) ?? 'nobody';
    session.say(name, 'I think …');
    return name;
  }).join(' ');
}

function expected({ turn, metadata }: Session): string | undefined {
  return metadata.participants.find(({ agent_id }) => agent_id === turn?.agent_id)?.name;
}

const hide = (session: Session, name: string) => session.hub('session.participant.hidden', { agent_id: idOf(name) });
const back = (session: Session, name: string) => session.hub('session.participant.returned', { agent_id: idOf(name) });
const remove = (session: Session, name: string) => session.hub('session.participant.removed', { agent_id: idOf(name) });
const join = (session: Session, name: string, order: number) =>
  session.hub('session.participant.joined', { agent_id: idOf(name), name, role: 'participant', order });

describe('discussion', () => {
  it('[DI1] requires two participants and takes an ordering and a number of rounds', () => {
    expect(discussion.manifest).toEqual({
      type: 'discussion',
      version: 1,
      participants: { min: 2, max: null, roles: ['initiator', 'respondent', 'participant'] },
      knobs_schema: {
        type: 'object',
        properties: {
          ordering: {
            type: 'string',
            enum: ['round_robin', 'raise_hand', 'moderated', 'random'],
            default: 'round_robin',
          },
          rounds: { type: 'integer', minimum: 1 },
        },
        additionalProperties: false,
      },
      default_view: { name: 'windowed_summary', params: { recent_n: 4, named: true } },
      expectations: [turnWithin(120, 'warn'), turnWithin(600, 'hide', { onFailure: true })],
    });
    expect(refusal(() => discussion.validateCreate(createdMetadata(discussion, { participants: 1 })))).toEqual(
      refusedAs('protocol_error', 'discussion needs at least 2 participants, got 1', { field: 'participants' }),
    );
  });

  it('[DI1] shows two named messages per remaining participant', () => {
    const session = aDiscussion({ participants: 5 });
    const shown = () => discussion.defaultView?.(session.metadata, idOf('bob'));
    expect(shown()).toEqual({ name: 'windowed_summary', params: { recent_n: 10, named: true } });
    remove(session, 'erin');
    hide(session, 'dave');
    expect(shown()).toEqual({ name: 'windowed_summary', params: { recent_n: 8, named: true } });
    const asked = aDiscussion({ participants: 4, joined: 3 });
    asked.hub('session.invite.reject', { agent_id: idOf('dave'), reason: 'busy' });
    expect(discussion.defaultView?.(asked.metadata, idOf('bob')).params.recent_n).toBe(6);
    for (const name of ['alice', 'bob', 'carol']) remove(asked, name);
    expect(discussion.defaultView?.(asked.metadata, idOf('bob')).params.recent_n).toBe(4);
  });

  it('[DI2] follows the order of the participants, beginning with the creator', () => {
    const session = aDiscussion();
    expect(session.state).toEqual({
      participant_order: [idOf('alice'), idOf('bob'), idOf('carol')],
      active: [idOf('alice'), idOf('bob'), idOf('carol')],
      expected_next_speaker: idOf('alice'),
      last_speaker_id: null,
      last_seq: 6,
      turn_count: 0,
      rounds_done: 0,
      turns_left: 0,
      pending_close_reason: null,
      is_named: false,
      hands: null,
    });
    expect(speakers(session, 7)).toBe('alice bob carol alice bob carol alice');
    expect(session.turn).toEqual({ agent_id: idOf('bob'), since_seq: 13 });
    expect(session.state).toMatchObject({
      turn_count: 7,
      last_speaker_id: idOf('alice'),
      last_seq: 13,
      rounds_done: 2,
    });
  });

  it('[DI2] begins with the creator, wherever it is listed', () => {
    const metadata = { ...createdMetadata(discussion), creator_id: idOf('bob'), state: 'ACTIVE' } as const;
    const there = metadata.participants.map((one) => ({ ...one, status: 'active' as const }));
    const opened = { ...new History(discussion).log.at(-1) } as Parameters<typeof discussion.fold>[0];
    const state = discussion.fold(opened, discussion.initialState(metadata), { ...metadata, participants: there });
    expect(state.expected_next_speaker).toBe(idOf('bob'));
  });

  it('[DI2] gives no turn before the session is open, even if participants join or leave', () => {
    const metadata = createdMetadata(discussion);
    const there = metadata.participants.map((one) => ({ ...one, status: 'active' as const }));
    const before = discussion.initialState(metadata);
    for (const event_type of ['session.participant.joined', 'session.participant.removed']) {
      const envelope = { ...aDiscussion().log.at(-1), event_type } as Parameters<typeof discussion.fold>[0];
      const state = discussion.fold(envelope, before, { ...metadata, participants: there });
      expect(state).toEqual({ ...before, active: ['alice', 'bob', 'carol'].map(idOf) });
    }
  });

  it('[DI3] rejects texts of others with not_your_turn and names the holder', () => {
    const session = aDiscussion();
    session.say('alice', 'hello');
    expect(refusal(() => session.say('carol', 'me!'))).toEqual(
      refusedAs('not_your_turn', "discussion expects 'bob' to speak, got 'carol'", { expected: idOf('bob') }),
    );
    const closed = createdMetadata(discussion);
    const draft = { ...session.log.at(-1) } as Parameters<typeof discussion.validateSend>[1];
    expect(refusal(() => discussion.validateSend(closed, draft, discussion.initialState(closed))).message).toBe(
      "discussion expects nobody to speak, got 'alice'",
    );
  });

  it('[DI4] skips hidden and removed participants, and keeps their place', () => {
    const session = aDiscussion({ participants: 4 });
    hide(session, 'bob');
    expect(speakers(session, 3)).toBe('alice carol dave');
    back(session, 'bob');
    remove(session, 'carol');
    expect(speakers(session, 4)).toBe('alice bob dave alice');
    expect(session.state.participant_order).toEqual(['alice', 'bob', 'carol', 'dave'].map(idOf));
  });

  it('[DI4] moves the turn in the fold that hides or removes its holder', () => {
    const session = aDiscussion({ participants: 4 });
    session.say('alice', 'hello');
    hide(session, 'bob');
    expect(session.turn).toEqual({ agent_id: idOf('carol'), since_seq: session.metadata.head_seq });
    remove(session, 'carol');
    expect(session.turn).toEqual({ agent_id: idOf('dave'), since_seq: session.metadata.head_seq });
    back(session, 'bob');
    expect(session.turn).toEqual({ agent_id: idOf('dave'), since_seq: session.metadata.head_seq - 1 });
    expect(session.state.turn_count).toBe(1);
  });

  it('[DI4] gives no turn when nobody is active, then the turn to the first that returns', () => {
    const session = aDiscussion({ participants: 2 });
    session.say('alice', 'hello');
    hide(session, 'bob');
    hide(session, 'alice');
    expect(session.turn).toBeNull();
    back(session, 'alice');
    expect(session.turn).toEqual({ agent_id: idOf('alice'), since_seq: session.metadata.head_seq });
  });

  it('[DI4] gives the turn to the first that returns, even before the first text', () => {
    const session = aDiscussion();
    for (const name of ['alice', 'bob', 'carol']) hide(session, name);
    expect(session.turn).toBeNull();
    back(session, 'carol');
    expect(session.turn).toEqual({ agent_id: idOf('carol'), since_seq: session.metadata.head_seq });
  });

  it('[DI5] gives late invitees their place, and new participants the last one', () => {
    const session = aDiscussion({ participants: 4, joined: 2 });
    expect(speakers(session, 3)).toBe('alice bob alice');
    session.hub('session.invite.ack', { agent_id: idOf('dave') });
    join(session, 'dave', 3);
    expect(speakers(session, 3)).toBe('bob dave alice');
    session.hub('session.invite.ack', { agent_id: idOf('carol') });
    join(session, 'carol', 2);
    join(session, 'zoe', 4);
    expect(session.state.participant_order).toEqual(['alice', 'bob', 'carol', 'dave', 'zoe'].map(idOf));
    expect(speakers(session, 5)).toBe('bob carol dave zoe alice');
  });

  it('[DI6] ends with rounds_complete after the configured rounds', () => {
    const session = aDiscussion({ knobs: { rounds: 2 } });
    expect(speakers(session, 5)).toBe('alice bob carol alice bob');
    expect(session.say('carol', 'done')).toEqual({ next_state: 'CLOSING', close_reason: 'rounds_complete' });
    expect(session.state.expected_next_speaker).toBeNull();
    expect(aDiscussion({ knobs: { rounds: 1 }, participants: 2 }).say('alice', 'hi')).toEqual({});
  });

  it('[DI6] ends a round when the turn reaches or passes the creator’s place', () => {
    const session = aDiscussion({ participants: 4, knobs: { rounds: 2 } });
    hide(session, 'alice');
    expect(speakers(session, 2)).toBe('bob carol');
    back(session, 'alice');
    expect(session.state.rounds_done).toBe(0);
    expect(speakers(session, 1)).toBe('dave');
    expect(session.state.rounds_done).toBe(1);
    remove(session, 'dave');
    expect(speakers(session, 2)).toBe('alice bob');
    expect(session.say('carol', 'done').close_reason).toBe('rounds_complete');
  });

  it('[DI6] ends a round with every text of a lone participant', () => {
    for (const name of ['alice', 'carol']) {
      const session = aDiscussion({ knobs: { rounds: 2 } });
      for (const other of ['alice', 'bob', 'carol']) if (other !== name) hide(session, other);
      const { rounds_done } = session.state;
      session.say(name, 'anyone?');
      expect(session.state.rounds_done).toBe(rounds_done + 1);
    }
  });

  it('[DI6] counts rounds from the creator, wherever it is listed', () => {
    const { position, log, metadata: first } = aDiscussion();
    const metadata = { ...first, creator_id: idOf('bob') };
    const texts = ['bob', 'carol', 'alice', 'bob'].map((name) => ({ ...log.at(-1), sender_id: idOf(name) }));
    let state = position.adapter_state as Session['state'];
    const rounds = texts.map((text) => {
      const envelope = { ...text, event_type: 'msg.text' } as Parameters<typeof discussion.fold>[0];
      state = discussion.fold(envelope, state, metadata);
      return state.rounds_done;
    });
    expect(rounds).toEqual([0, 0, 1, 1]);
  });

  it('[DI6] counts a round whose last speaker leaves, and closes with the next text', () => {
    const session = aDiscussion({ knobs: { rounds: 1 } });
    speakers(session, 2);
    hide(session, 'carol');
    expect(session.state.rounds_done).toBe(1);
    expect(expected(session)).toBe('alice');
    expect(session.say('bob', { event_type: 'x.note', event_data: {} })).toEqual({});
    expect(session.say('alice', 'last word').close_reason).toBe('rounds_complete');
  });

  it('[DI7] accepts other content without moving the turn, and rejects types it does not fold', () => {
    const session = aDiscussion();
    const before = { state: session.state, turn: session.turn };
    expect(session.say('carol', { event_type: 'x.note', event_data: { text: 'fyi' } })).toEqual({});
    expect({ state: session.state, turn: session.turn }).toEqual(before);
    for (const event_type of ['msg.packet', 'context.set']) {
      expect(refusal(() => session.say('alice', { event_type, event_data: {} }))).toEqual(
        refusedAs('protocol_error', `discussion does not take "${event_type}"; send "msg.text"`, { event_type }),
      );
    }
  });

  it('[DI7] gives a new holder the text, or tells it that it is its turn', () => {
    const session = aDiscussion();
    session.say('alice', 'hello');
    hide(session, 'bob');
    const inputs = session.log.slice(-2).map((envelope) => discussion.turnInput?.(envelope));
    expect(inputs).toEqual(['hello', 'It is your turn.']);
  });

  it('[DI2] keeps unchanged members of the state for a text', () => {
    const session = aDiscussion({ participants: 8 });
    const before = session.state;
    session.say('alice', 'hello');
    expect(session.state.participant_order).toBe(before.participant_order);
    expect(session.state.active).toBe(before.active);
  });

  it('[DI4, AD15] finds a discussion that ignores hiding', () => {
    const blind = {
      ...discussion,
      fold: (...[envelope, state, metadata]: Parameters<typeof discussion.fold>) =>
        envelope.event_type === 'session.participant.hidden' ? state : discussion.fold(envelope, state, metadata),
    };
    const check = adapterChecks(blind).find(({ title }) => title.startsWith('[AD15]'));
    expect(() => check?.run()).toThrow(/expected id-\w+, but active are/);
  });
});
