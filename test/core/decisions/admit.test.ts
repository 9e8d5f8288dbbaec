import { consulting } from 'parley-hub/adapters/consulting';
import { describe, expect, it } from 'vitest';
import { admitPost, type PostFacts, turnIsVisible } from '../../../src/core/decisions/admit.ts';
import { ProtocolError, WireError } from '../../../src/core/lib/errors.ts';
import { completeAdapter, type SessionAdapter } from '../../../src/core/ports/adapter.ts';
import { type Draft, HUB_EVENT_TYPES } from '../../../src/core/records/session/envelope.ts';
import { keyRecord } from '../../../src/core/records/session/keys.ts';
import type { LifecycleState, ParticipantStatus } from '../../../src/core/records/session/session.ts';
import type { SessionState } from '../../../src/core/state/state.ts';
import { idOf } from '../../../src/testing/lib/history.ts';
import { envelope } from '../../support/sample-records.ts';
import { type Refused, refusedAs, refusedBy } from '../refused.ts';
import { anyoneSpeaks, draft, openSession, SESSION_ID, type TestSession } from '../session.ts';

const open = () => openSession({ names: ['alice', 'bob', 'carol', 'dave'] });

function factsOf({ state }: { readonly state: SessionState }, given: Partial<PostFacts> = {}): PostFacts {
  return {
    state,
    adapter: completeAdapter(anyoneSpeaks()),
    unavailable: null,
    bound: true,
    repeat: undefined,
    expectedSeq: null,
    denied: null,
    retryAfterMs: 0,
    inbox: null,
    ...given,
  };
}

function refusing(thrown: unknown): PostFacts['adapter'] {
  const validateSend = () => {
    throw thrown;
  };
  return completeAdapter(anyoneSpeaks({ validateSend }));
}

function inState(session: TestSession, state: LifecycleState): SessionState {
  return { ...session.state, metadata: { ...session.metadata, state, close_reason: 'enough' } };
}

function withStatus(state: SessionState, name: string, status: ParticipantStatus | null): SessionState {
  const participants = state.metadata.participants
    .map((one) => (one.name === name && status !== null ? { ...one, status } : one))
    .filter((one) => one.name !== name || status !== null);
  return { ...state, metadata: { ...state.metadata, participants } };
}

describe('the order of the checks', () => {
  const session = open();
  const head = session.metadata.head_seq;
  const other = keyRecord(envelope({ seq: 2, event_data: { text: 'something else' } }));
  const full = new WireError('inbox_full', 'carol has too much unread');
  const allWrong = {
    draft: draft('bob', { event_type: 'session.opened', audience: ['id-mallory'], idempotency_key: 'k' }),
    facts: factsOf(
      { state: withStatus(inState(session, 'CLOSED'), 'bob', null) },
      {
        bound: false,
        repeat: other,
        expectedSeq: head - 1,
        adapter: null,
        unavailable: 'no adapter plain 1',
        denied: 'no',
        retryAfterMs: 20,
        inbox: full,
      },
    ),
  };
  type Case = typeof allWrong;
  const fact = (given: Partial<PostFacts>) => (at: Case) => ({ ...at, facts: { ...at.facts, ...given } });
  const said = (given: Partial<Draft>) => (at: Case) => ({ ...at, draft: { ...at.draft, ...given } });
  const hiddenAt = { ...session.state.status_seq, 'id-bob': 6 };
  const hidden = (state: LifecycleState) => withStatus(inState(session, state), 'bob', 'hidden');

  /** The first thing wrong, and what puts it right. */
  const steps: readonly (readonly [string, Partial<Refused>, (at: Case) => Case])[] = [
    [
      'bound',
      {
        code: 'unauthenticated',
        message: 'id-bob is no longer bound to this connection; say hello again',
        details: undefined,
      },
      fact({ bound: true }),
    ],
    [
      'known here',
      { code: 'not_found', message: `no session ${SESSION_ID}`, details: undefined },
      fact({ state: { ...hidden('CLOSED'), status_seq: hiddenAt } }),
    ],
    [
      'repeated key',
      {
        code: 'duplicate',
        message: 'idempotency_key "k" was used for other content (seq 2); take a new key',
        details: { envelope_id: other.envelope_id, seq: 2, created_at: other.created_at },
      },
      fact({ repeat: undefined }),
    ],
    [
      'outbound access and depth',
      { code: 'forbidden', message: 'this post is not allowed: no', details: { reason: 'no' } },
      fact({ denied: null }),
    ],
    [
      'not ended',
      {
        code: 'session_closed',
        message: `session ${SESSION_ID} is CLOSED (enough); "session.opened" needs an active session`,
        details: { session_id: SESSION_ID, state: 'CLOSED', close_reason: 'enough' },
      },
      fact({ state: { ...hidden('INVITED'), status_seq: hiddenAt } }),
    ],
    [
      'active session',
      { code: 'protocol_error', details: { state: 'INVITED', pending_acks: [] } },
      fact({ state: { ...hidden('ACTIVE'), status_seq: hiddenAt } }),
    ],
    [
      'active sender',
      {
        code: 'not_your_turn',
        message: `you are hidden in session ${SESSION_ID} since seq 6 and cannot post; return to the session first (return_to_session)`,
        details: { turn_passed_at_seq: 6 },
      },
      fact({ state: session.state }),
    ],
    [
      'expected seq',
      {
        code: 'conflict',
        message: `session ${SESSION_ID} is at seq ${head}, expected_seq was ${head - 1}; read on and try again`,
        details: { head },
      },
      fact({ expectedSeq: head }),
    ],
    [
      'rate',
      {
        code: 'rate_limited',
        message: 'you post faster than your access rule allows (limits.rate); try again in 20 ms',
        details: { retry_after_ms: 20 },
      },
      fact({ retryAfterMs: 0 }),
    ],
    ['inbox', { code: 'inbox_full', message: 'carol has too much unread' }, fact({ inbox: null })],
    [
      'type',
      {
        code: 'protocol_error',
        message: '"session.opened" can only be created by the hub',
        details: { event_type: 'session.opened' },
      },
      said({ event_type: 'msg.text' }),
    ],
    [
      'audience',
      {
        code: 'protocol_error',
        message: `audience: expected at least one other participant of session ${SESSION_ID}, got none that can receive it`,
        details: { field: 'audience' },
      },
      said({ audience: ['id-carol', 'id-mallory'] }),
    ],
    [
      'adapter there',
      {
        code: 'unavailable',
        message: `session ${SESSION_ID} is unavailable: no adapter plain 1`,
        details: { outcome: 'refused' },
      },
      fact({ adapter: refusing(new ProtocolError('not like that', { expected: 'id-carol' }, 'not_your_turn')) }),
    ],
    [
      'adapter',
      { code: 'not_your_turn', message: 'not like that', details: { expected: 'id-carol' } },
      fact({ adapter: completeAdapter(anyoneSpeaks()) }),
    ],
  ];

  it('[AM1] reports the first failing check of a draft that fails all of them', () => {
    let at = allWrong;
    for (const [check, answer, putRight] of steps) {
      expect({ check, ...refusedBy(admitPost(at.draft, at.facts)) }).toMatchObject({ check, ...answer });
      at = putRight(at);
    }
    expect(admitPost(at.draft, at.facts)).toMatchObject({
      kind: 'append',
      drafts: [{ ...at.draft, audience: ['id-carol'] }],
    });
  });
});

describe('who may post', () => {
  it.each(['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'] as const)(
    '[AM2] returns not_found to a non-participant of a session that is %s',
    (state) => {
      const facts = factsOf({ state: inState(open(), state) }, { expectedSeq: 99, adapter: null });
      expect(refusedBy(admitPost(draft('mallory', { event_type: 'task.start' }), facts))).toEqual(
        refusedAs('not_found', `no session ${SESSION_ID}`),
      );
    },
  );

  it.each(['CLOSING', 'CLOSED', 'EXPIRED'] as const)('[L4, L6] rejects posts to a session that is %s', (state) => {
    const facts = factsOf({ state: inState(open(), state) });
    expect(refusedBy(admitPost(draft('alice'), facts))).toMatchObject({
      code: 'session_closed',
      details: { state, close_reason: 'enough' },
    });
  });

  it('[AM1] names the pending invitees to a sender before the opening', () => {
    const session = open();
    const state = inState(session, 'INVITED');
    const metadata = { ...state.metadata, pending_acks: ['id-bob', 'id-dave'] };
    expect(refusedBy(admitPost(draft('alice'), factsOf({ state: { ...state, metadata } })))).toEqual(
      refusedAs(
        'protocol_error',
        `session ${SESSION_ID} is INVITED; "msg.text" needs an active session (waiting for bob, dave)`,
        { state: 'INVITED', pending_acks: ['id-bob', 'id-dave'] },
      ),
    );
  });

  it('[AM1] tells a hidden sender the seq at which its turn passed, and accepts its posts after its return', () => {
    const session = open();
    const seq = session.hub('session.participant.hidden', { agent_id: 'id-bob' }).after.metadata.head_seq;
    session.say('alice', 'go on');
    expect(refusedBy(admitPost(draft('bob'), factsOf(session)))).toMatchObject({
      code: 'not_your_turn',
      details: { turn_passed_at_seq: seq },
    });
    session.hub('session.participant.returned', { agent_id: 'id-bob' });
    expect(admitPost(draft('bob'), factsOf(session)).kind).toBe('append');
  });

  it.each([
    ['invited', 'protocol_error', `answer the invite to session ${SESSION_ID} before you post`],
    ['removed', 'forbidden', `you are no longer a participant of session ${SESSION_ID} (removed)`],
    ['rejected', 'forbidden', `you are no longer a participant of session ${SESSION_ID} (rejected)`],
  ] as const)('[AM1] answers a sender that is %s with %s', (status, code, message) => {
    const state = withStatus(open().state, 'bob', status);
    expect(refusedBy(admitPost(draft('bob'), factsOf({ state })))).toMatchObject({ code, message });
  });
});

describe('expected_seq', () => {
  it('[AM4] must equal the head', () => {
    const session = open();
    const head = session.metadata.head_seq;
    expect(admitPost(draft('alice'), factsOf(session, { expectedSeq: head })).kind).toBe('append');
    for (const expectedSeq of [0, head - 1, head + 1]) {
      const refusal = refusedBy(admitPost(draft('alice'), factsOf(session, { expectedSeq })));
      expect(refusal).toMatchObject({ code: 'conflict', details: { head } });
    }
  });
});

describe('types', () => {
  const own = [...HUB_EVENT_TYPES, 'session.renamed', 'expectation.forgiven', 'task.progress', 'task.anything'];
  it.each(own)('[AM5] rejects "%s" from a participant', (event_type) => {
    expect(refusedBy(admitPost(draft('alice', { event_type }), factsOf(open())))).toMatchObject({
      code: 'protocol_error',
      details: { event_type },
    });
  });

  it.each(['msg.text', 'msg.packet', 'context.set', 'hand.raise', 'sessions.x', 'tasks', 'session', 'hub'])(
    '[AM5, RE10] accepts "%s" from a participant',
    (event_type) => {
      expect(admitPost(draft('alice', { event_type }), factsOf(open())).kind).toBe('append');
    },
  );
});

describe('an audience', () => {
  const session = open();
  session.hub('session.participant.hidden', { agent_id: 'id-carol' });
  session.hub('session.participant.removed', { agent_id: 'id-dave' });
  const stored = (audience: readonly string[] | null) => {
    const decision = admitPost(draft('alice', { audience }), factsOf(session));
    return decision.kind === 'append' ? decision.drafts[0]?.audience : refusedBy(decision).code;
  };

  it.each([
    [null, null],
    [['id-bob'], ['id-bob']],
    [
      ['id-carol', 'id-bob'],
      ['id-carol', 'id-bob'],
    ],
    [['id-bob', 'id-bob', 'id-mallory', 'id-dave'], ['id-bob']],
    [
      ['id-alice', 'id-bob'],
      ['id-alice', 'id-bob'],
    ],
    [['id-alice'], 'protocol_error'],
    [['id-mallory'], 'protocol_error'],
    [['id-dave'], 'protocol_error'],
    [['id-dave', 'id-alice', 'bob', 'hub'], 'protocol_error'],
  ])('[AM6] stores %j as %j', (audience, result) => {
    expect(stored(audience)).toEqual(result);
  });

  it('[AM6] may name an invitee, but not an agent that declined', () => {
    const invited = withStatus(session.state, 'bob', 'invited');
    const rejected = withStatus(session.state, 'bob', 'rejected');
    const whisper = draft('alice', { audience: ['id-bob'] });
    expect(admitPost(whisper, factsOf({ state: invited })).kind).toBe('append');
    expect(refusedBy(admitPost(whisper, factsOf({ state: rejected }))).details).toEqual({ field: 'audience' });
  });
});

describe('the new holder of the turn', () => {
  const ask = (governedBy: SessionAdapter, names: readonly string[], audience: readonly string[] | null) => {
    const session = openSession({ governedBy, names });
    return turnIsVisible(draft('alice', { audience }), session.say('alice', 'your turn', audience));
  };
  /** Always carol's turn, since the envelope that `since` says. */
  const carolsTurn = (since: (head: number) => number) =>
    anyoneSpeaks({ expectedNext: ({ head_seq }) => ({ agent_id: 'id-carol', since_seq: since(head_seq) }) });
  const three = ['alice', 'bob', 'carol'];

  it('[AM6] must be in the audience of the envelope that gives it the turn', () => {
    const given = carolsTurn((head) => head);
    expect(ask(given, three, null)).toBeNull();
    expect(ask(given, three, ['id-bob', 'id-carol'])).toBeNull();
    expect(ask(given, three, ['id-bob'])).toMatchObject({
      code: 'protocol_error',
      message:
        "this gives the turn to 'carol', who is not in its audience; add 'carol' to the audience, or send it to everyone",
      details: { field: 'audience' },
    });
    expect(ask(consulting, ['alice', 'bob'], ['id-bob'])).toBeNull();
  });

  it('[AM6] need not be in the audience of other envelopes or its own posts', () => {
    expect(
      ask(
        carolsTurn(() => 1),
        three,
        ['id-bob'],
      ),
    ).toBeNull();
    const alices = anyoneSpeaks({ expectedNext: ({ head_seq }) => ({ agent_id: 'id-alice', since_seq: head_seq }) });
    expect(ask(alices, three, ['id-bob'])).toBeNull();
  });
});

describe('the adapter', () => {
  it('[AM1] validates the cleaned draft with the state before it', () => {
    const session = open();
    const asked: unknown[] = [];
    const validateSend: SessionAdapter['validateSend'] = (metadata, said, state) => {
      asked.push(metadata, said, state);
    };
    const adapter = completeAdapter(anyoneSpeaks({ validateSend }));
    const said = draft('alice', { audience: ['id-bob', 'id-mallory'] });
    admitPost(said, factsOf(session, { adapter }));
    expect(asked).toEqual([session.metadata, { ...said, audience: ['id-bob'] }, session.state.adapter_state]);
  });

  it('[AM1] may throw a ProtocolError from another copy of this package', () => {
    const foreign = Object.assign(new Error('wait'), {
      name: 'ProtocolError',
      code: 'protocol_error',
      details: { n: 1 },
    });
    const refusal = refusedBy(admitPost(draft('alice'), factsOf(open(), { adapter: refusing(foreign) })));
    expect(refusal).toEqual({ code: 'protocol_error', message: 'wait', details: { n: 1 } });
  });

  it.each([
    ['a plain error', new Error('oops')],
    ['a TypeError', new TypeError('oops')],
    ['a WireError that is not its to throw', new WireError('session_closed', 'oops')],
    ['a WireError with the code of a ProtocolError', new WireError('protocol_error', 'oops')],
    ['one only called ProtocolError', Object.assign(new Error('oops'), { name: 'ProtocolError', code: 'forbidden' })],
    ['text', 'oops'],
  ])('[AM7] rejects as internal and keeps the cause when it throws %s', (_what, thrown) => {
    const decision = admitPost(draft('alice'), factsOf(open(), { adapter: refusing(thrown) }));
    expect(refusedBy(decision)).toEqual(refusedAs('internal', 'validateSend of plain failed: oops'));
    if (decision.kind === 'refuse' && thrown instanceof Error) expect(decision.error.cause).toBe(thrown);
  });

  it('[LC13] makes the session unavailable with a reason when it is missing', () => {
    const facts = factsOf(open(), { adapter: null });
    expect(refusedBy(admitPost(draft('alice'), facts)).message).toBe(
      `session ${SESSION_ID} is unavailable: its adapter is missing`,
    );
  });
});

describe('the answer', () => {
  it('[AM1, DL11] contains the stamp of the envelope and the turn after its unit', () => {
    const session = openSession({ governedBy: consulting, names: ['alice', 'bob'] });
    const adapter = completeAdapter(consulting);
    const post = (name: string) => session.carryOut(admitPost(draft(name), factsOf(session, { adapter })));
    const question = post('alice');
    expect(question).toEqual({
      answer: {
        envelope_id: session.log.at(-1)?.envelope_id,
        seq: 5,
        created_at: session.log.at(-1)?.created_at,
        turn: { agent_id: idOf('bob'), since_seq: 5 },
      },
      types: ['msg.text'],
    });
    const reply = post('bob');
    expect(reply.types).toEqual(['msg.text', 'session.closing']);
    expect(reply.answer).toMatchObject({ seq: 6, turn: null });
  });
});
