/** Units that lie in the archive are packed: each by itself, so that one can be read without the others. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What most units have in common. A part of the data format: another one could not read what this one packed. */
const DICTIONARY: Buffer = Buffer.from(
  '"reason":"explicit_close""session.closed""session.closing""session.opened""session.invite.ack""session.invite""agent_id":"' +
    '{"entries":[{"envelope":{"session_id":"","sender_id":"hub","audience":null,"event_type":"msg.text","event_data":{"text":"",' +
    '"causation_id":null,"task_id":null,"traceparent":null,"priority":"normal","idempotency_key":null,"ttl_seconds":null,' +
    '"envelope_id":"019","seq":1,"depth":0,"created_at":"2026-01-01T00:00:00.000Z"},"turn":null}]}',
);

export function packed(text: string): Buffer {
  return deflateRawSync(Buffer.from(text), { dictionary: DICTIONARY });
}

export function unpacked(bytes: Uint8Array): string {
  return inflateRawSync(bytes, { dictionary: DICTIONARY }).toString();
}
