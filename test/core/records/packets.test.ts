import { type ContextUpdates, callTool, finish, handoff } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import { parseEventData } from '../../../src/core/records/session/event-data.ts';

describe('packets that route', () => {
  it('[WF4] contain target, reason and changes, but no undefined members', () => {
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

  it('[WF4] report a tool call without a target', () => {
    expect(callTool('search')).toEqual({
      event_type: 'msg.packet',
      event_data: { body: null, routing: { kind: 'tool', tool: 'search' } },
    });
    expect(callTool('search', { body: { found: 3 }, contextUpdates: { set: { found: 3 } } }).event_data).toEqual({
      body: { found: 3 },
      routing: { kind: 'tool', tool: 'search' },
      context_updates: { set: { found: 3 } },
    });
  });

  it('[WF4, RE10] keep unknown changes, so that the hub rejects them by name', () => {
    const { event_type, event_data } = handoff('bob', { contextUpdates: { a: 1 } as ContextUpdates });
    expect(() => parseEventData(event_type, event_data, DEFAULT_LIMITS)).toThrow(
      'event_data.context_updates.a: expected set or delete',
    );
  });

  it('[WF4, RE10] are valid content', () => {
    const nothing = { contextUpdates: {} };
    for (const { event_type, event_data } of [
      handoff('bob'),
      finish({ body: { text: 'x' }, ...nothing }),
      callTool('x'),
    ]) {
      expect(parseEventData(event_type, event_data, DEFAULT_LIMITS)).toEqual(event_data);
    }
  });
});
