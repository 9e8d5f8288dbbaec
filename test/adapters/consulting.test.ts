import { consulting } from 'parley-hub/adapters/consulting';
import { acksWithin, replyWithin } from 'parley-hub/expectations/entries';
import { createdMetadata, describeAdapter, History, idOf } from 'parley-hub/testing';
import { fullTranscript } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { readGolden } from './read-golden.ts';
import { refusal, refusedAs } from './refusal.ts';

describeAdapter(consulting, {
  badCreates: [{ participants: 1 }, { participants: 3 }],
  golden: readGolden('consulting-1'),
});

describe('consulting', () => {
  it('[CO1] requires an initiator and a respondent, and has no knobs', () => {
    expect(consulting.manifest).toEqual({
      type: 'consulting',
      version: 1,
      participants: { min: 2, max: 2, roles: ['initiator', 'respondent'] },
      knobs_schema: { type: 'object', properties: {}, additionalProperties: false },
      default_view: fullTranscript(),
      expectations: [acksWithin(30, 'auto_close'), replyWithin(600, 'auto_close')],
    });
    const three = createdMetadata(consulting, { participants: 3 });
    expect(refusal(() => consulting.validateCreate(three))).toEqual(
      refusedAs('protocol_error', 'consulting needs exactly 2 participants, got 3', { field: 'participants' }),
    );
    const two = createdMetadata(consulting);
    const twice = { ...two, participants: two.participants.map((one) => ({ ...one, role: 'initiator' })) };
    expect(refusal(() => consulting.validateCreate(twice)).message).toBe(
      'consulting needs an initiator and a respondent, got initiator and initiator',
    );
  });

  it('[CO2] completes with a question and a reply', () => {
    const session = new History(consulting);
    expect(session.state).toEqual({ initiator_sent: false, respondent_replied: false, last_seq: 4 });
    expect(session.say('alice', 'how far is the moon?')).toEqual({});
    expect(session.state).toEqual({ initiator_sent: true, respondent_replied: false, last_seq: 5 });
    expect(session.say('bob', '384,400 km')).toEqual({
      next_state: 'CLOSING',
      close_reason: 'consulting_complete',
    });
    expect(session.state).toEqual({ initiator_sent: true, respondent_replied: true, last_seq: 6 });
  });

  it('[CO3] rejects texts of others and names the holder of the turn', () => {
    const session = new History(consulting);
    expect(refusal(() => session.say('bob', 'me first'))).toEqual(
      refusedAs('not_your_turn', "consulting expects 'alice' (initiator) to ask first, got 'bob'", {
        expected: idOf('alice'),
      }),
    );
    session.say('alice', 'how far is the moon?');
    expect(refusal(() => session.say('alice', 'well?'))).toEqual(
      refusedAs('not_your_turn', "consulting expects 'bob' (respondent) to reply, got 'alice'", {
        expected: idOf('bob'),
      }),
    );
    session.say('bob', '384,400 km');
    for (const name of ['alice', 'bob']) {
      expect(refusal(() => session.say(name, 'and Mars?'))).toEqual(
        refusedAs('protocol_error', 'consulting is already complete: asked and answered'),
      );
    }
  });

  it('[CO4] gives the turn to the initiator, then to the respondent, then to nobody', () => {
    const session = new History(consulting);
    expect(session.turn).toEqual({ agent_id: idOf('alice'), since_seq: 4 });
    session.say('alice', 'how far is the moon?');
    expect(session.turn).toEqual({ agent_id: idOf('bob'), since_seq: 5 });
    session.say('bob', '384,400 km');
    expect(session.turn).toBeNull();
  });

  it('[CO5] gives no turn before it is open', () => {
    const metadata = createdMetadata(consulting);
    expect(consulting.expectedNext?.(metadata, consulting.initialState(metadata))).toBeNull();
  });

  it('[CO6] suspends the turn while its holder is hidden', () => {
    const session = new History(consulting);
    session.say('alice', 'how far is the moon?');
    const { state } = session;
    session.hub('session.participant.hidden', { agent_id: idOf('bob') });
    expect(session.turn).toBeNull();
    session.hub('session.participant.returned', { agent_id: idOf('bob') });
    expect(session.turn).toEqual({ agent_id: idOf('bob'), since_seq: 5 });
    expect(session.state).toEqual(state);
  });

  it('[CO7] accepts other content at any time without moving the turn', () => {
    const session = new History(consulting);
    const before = { state: session.state, turn: session.turn };
    for (const name of ['bob', 'alice', 'bob']) {
      expect(session.say(name, { event_type: 'x.note', event_data: { text: 'fyi' } })).toEqual({});
    }
    expect({ state: session.state, turn: session.turn }).toEqual(before);
  });

  it.each(['msg.packet', 'context.set'])('[CO8] rejects %s, which it does not fold', (event_type) => {
    const session = new History(consulting);
    expect(refusal(() => session.say('alice', { event_type, event_data: {} }))).toEqual(
      refusedAs('protocol_error', `consulting does not take "${event_type}"; send "msg.text"`, { event_type }),
    );
  });
});
