import { conversation } from 'parley-hub/adapters/conversation';
import { maxSilence } from 'parley-hub/expectations/entries';
import { createdMetadata, describeAdapter, History, idOf } from 'parley-hub/testing';
import { windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { readGolden } from './read-golden.ts';
import { refusal, refusedAs } from './refusal.ts';

describeAdapter(conversation, {
  badCreates: [{ participants: 1 }, { participants: 3 }],
  golden: readGolden('conversation-1'),
});

describe('conversation', () => {
  it('[CV1] requires an initiator and a respondent, and has no knobs', () => {
    expect(conversation.manifest).toEqual({
      type: 'conversation',
      version: 1,
      participants: { min: 2, max: 2, roles: ['initiator', 'respondent'] },
      knobs_schema: { type: 'object', properties: {}, additionalProperties: false },
      default_view: windowedSummary(10),
      expectations: [maxSilence(3600, 'audit')],
    });
    const three = createdMetadata(conversation, { participants: 3 });
    expect(refusal(() => conversation.validateCreate(three)).message).toBe(
      'conversation needs exactly 2 participants, got 3',
    );
  });

  it('[CV2] accepts texts of both at any time and counts them', () => {
    const session = new History(conversation);
    expect(session.state).toEqual({ turn_count: 0, last_speaker_id: null, last_seq: 0 });
    session.say('bob', 'hi');
    session.say('bob', 'anybody there?');
    expect(session.state).toEqual({ turn_count: 2, last_speaker_id: idOf('bob'), last_seq: 6 });
    session.say('alice', 'yes');
    expect(session.state).toEqual({ turn_count: 3, last_speaker_id: idOf('alice'), last_seq: 7 });
  });

  it('[CV3] gives no turns and never closes by itself', () => {
    const session = new History(conversation);
    for (const name of ['alice', 'bob', 'alice', 'bob']) {
      expect(session.turn).toBeNull();
      expect(session.say(name, 'bye')).toEqual({});
    }
  });

  it('[CV4] accepts other content without counting it', () => {
    const session = new History(conversation);
    const { state } = session;
    expect(session.say('bob', { event_type: 'x.note', event_data: { text: 'fyi' } })).toEqual({});
    expect(session.state).toEqual(state);
  });

  it.each(['msg.packet', 'context.set'])('[CV5] rejects %s, which it does not fold', (event_type) => {
    const session = new History(conversation);
    expect(refusal(() => session.say('alice', { event_type, event_data: {} }))).toEqual(
      refusedAs('protocol_error', `conversation does not take "${event_type}"; send "msg.text"`, { event_type }),
    );
  });
});
