import { finish, handoff } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { parseEventData } from '../../src/core/event-data.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';

describe('packets that route', () => {
  it('[WF4] say who is next, why, and what changes; nothing that was not given is in them', () => {
    expect(handoff('bob')).toEqual({
      event_type: 'msg.packet',
      event_data: { body: null, routing: { kind: 'handoff', target: 'bob' } },
    });
    const options = {
      body: 'please',
      reason: 'tax',
      tool: 'ask',
      contextUpdates: { set: { a: 1 }, delete: ['b'] },
    };
    expect(handoff('bob', options).event_data).toEqual({
      body: 'please',
      routing: { kind: 'handoff', target: 'bob', reason: 'tax', tool: 'ask' },
      context_updates: { set: { a: 1 }, delete: ['b'] },
    });
    expect(finish().event_data).toEqual({ body: null, routing: { kind: 'finish' } });
    expect(finish({ reason: 'solved', contextUpdates: { delete: ['b'] } }).event_data).toEqual({
      body: null,
      routing: { kind: 'finish', reason: 'solved' },
      context_updates: { delete: ['b'] },
    });
  });

  it('[WF4, RE10] are content the hub takes', () => {
    for (const { event_type, event_data } of [handoff('bob'), finish({ body: { text: 'x' }, contextUpdates: {} })]) {
      expect(parseEventData(event_type, event_data, DEFAULT_LIMITS)).toEqual(event_data);
    }
  });
});
