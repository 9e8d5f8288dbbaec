/** Sample lines, and the messages of a view for them. */

import type { JsonObject, View, ViewLine, ViewMessage } from 'parley-hub/core';

export interface Said {
  readonly by: string;
  readonly text: string;
}

/** The lines as bob sees them; hub lines are violations. */
export function linesOf(...said: readonly Said[]): readonly ViewLine[] {
  return said.map(({ by, text }, i) => {
    const seq = i + 4;
    const sender_id = by === 'hub' ? 'hub' : `id-${by}`;
    const envelope = {
      session_id: '0'.repeat(32),
      sender_id,
      audience: null,
      event_type: by === 'hub' ? 'expectation.violated' : 'msg.text',
      event_data: { text },
      causation_id: null,
      task_id: null,
      traceparent: null,
      priority: 'normal' as const,
      idempotency_key: null,
      ttl_seconds: null,
      envelope_id: '0'.repeat(32),
      seq,
      depth: 0,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    return { seq, sender_id, name: by, own: by === 'bob', text, envelope };
  });
}

export function shownBy(view: View, given: JsonObject, lines: readonly ViewLine[]): readonly ViewMessage[] {
  const params = view.parseParams(given);
  const takes = view.window(params);
  const stop = lines.findLastIndex((line) => !takes(line)) + 1;
  const before = lines.slice(0, stop);
  const names = ['alice', 'bob', 'carol', 'hub'].filter((name) => before.some((line) => line.name === name));
  return view.show(lines.slice(stop), { count: stop, names }, params);
}

/** `role content`, one per message. */
export function told(messages: readonly ViewMessage[]): readonly string[] {
  return messages.map(({ role, content }) => `${role} ${content}`);
}
