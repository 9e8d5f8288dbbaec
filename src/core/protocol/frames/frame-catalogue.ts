/** Documents every kind of frame: its direction and fields. docs/wire.md is generated from it. */

import type { ClientFrame, HubFrame } from './frames.ts';

export type FrameKind = (ClientFrame | HubFrame)['kind'];

export interface FieldDoc {
  /** The type in words, for readers; a final `?` marks an optional field. */
  readonly type: string;
  readonly help: string;
}

type KeysOf<Frame> = Frame extends unknown ? Exclude<keyof Frame, 'kind'> : never;
type FrameOf<Kind> = Extract<ClientFrame | HubFrame, { readonly kind: Kind }>;

export interface FrameDoc<Kind extends FrameKind> {
  readonly direction: 'client → hub' | 'hub → client' | 'both';
  readonly help: string;
  /** All fields of the frame; fails to compile unless complete. */
  readonly fields: { readonly [Key in KeysOf<FrameOf<Kind>>]: FieldDoc };
}

function field(type: string, help: string): FieldDoc {
  return { type, help };
}

const session_id = field('id', 'The session.');
const recipient_id = field('id', 'The identity bound to this connection that it is for.');
const epoch = field(
  'number',
  'The version of the log’s history; it changes when a repair or restore rewrites the past.',
);
const errorRecord = field('{code, message, details?}', 'See [errors](#errors).');

export const FRAMES: { readonly [Kind in FrameKind]: FrameDoc<Kind> } = {
  hello: {
    direction: 'client → hub',
    help: 'Binds an identity to this connection. Answered by `welcome`, or by `error`.',
    fields: {
      protocol: field('1', 'The protocol version.'),
      name: field('text', 'The name of the identity.'),
      auth: field(
        'object',
        '`{scheme: "token", token}`, `{scheme: "jwt", token}` or, where it is allowed, `{scheme: "none"}`.',
      ),
      resume: field(
        '{session_id: {seq, epoch}}?',
        'Your resume point in each session you know: everything up to it counts as acked.',
      ),
    },
  },
  welcome: {
    direction: 'hub → client',
    help: 'The identity is bound. Deliveries follow.',
    fields: {
      name: field('text', 'The identity.'),
      agent_id: field('id', 'Its id, used as sender, audience, recipient and turn holder.'),
      endpoint_id: field('id', 'This connection.'),
      hub_id: field('id', 'The hub; it changes if the hub’s data was lost or replaced.'),
      hub_time: field('time', 'The hub’s clock.'),
      limits: field(
        'object',
        '`max_frame_bytes`, `max_event_bytes`, `window` (unacked deliveries of a stream), `max_open_requests`, `max_subscriptions`, `ping_ms` (null = this link needs none).',
      ),
      features: field(
        'list of text',
        'Optional features of this hub: `deltas` (forwards [deltas](#delta)), `observe` ([subscribe](#subscribe)), `stream_starts` (marks `starts`), `tokens` (issues [tokens](#create_token)).',
      ),
    },
  },
  request: {
    direction: 'client → hub',
    help: 'Requests an [operation](#operations). Requests run concurrently; posts to one session keep their order.',
    fields: {
      request_id: field('text, 1–128', 'Chosen by you; repeated in the response.'),
      op: field('text', 'The operation.'),
      params: field('object', 'Its parameters.'),
      as: field('name or id?', 'The identity that asks; required if the connection has several.'),
      deadline_ms: field(
        'number?',
        'Limits the wait for the answer, not the effect; then `timeout`. The request counts as open until its work ends.',
      ),
    },
  },
  response: {
    direction: 'hub → client',
    help: 'The answer to a request. Confirmed effects are durable.',
    fields: {
      request_id: field('text', 'Of the request.'),
      ok: field('true or false', 'Whether it succeeded.'),
      result: field('object?', 'With `ok: true`.'),
      error: { ...errorRecord, type: `${errorRecord.type}?`, help: `With \`ok: false\`. ${errorRecord.help}` },
    },
  },
  notify: {
    direction: 'hub → client',
    help: 'Delivers an envelope. Repeated until you ack it.',
    fields: {
      recipient_id,
      envelope: field('[Envelope](#envelope)', 'The envelope.'),
      epoch,
      prev_seq: field(
        'number or null',
        'The envelope before it in your stream; 0 = it is the first; null = it is outside the stream (an invite) and takes no receipt.',
      ),
      turn: field('[Turn](#turn) or null', 'The turn after this envelope; null = nobody holds it.'),
      starts: field(
        'true?',
        'The first delivery of the stream on this binding, but not of the stream: earlier envelopes were acked.',
      ),
      attempt: field('number?', 'The attempt, after a nack: 2 the first time.'),
      delegated: field('true?', 'You delegated this session: its content belongs to the delegation.'),
      observed: field('true?', 'You observe this session: send no receipt.'),
    },
  },
  delta: {
    direction: 'both',
    help: 'A live fragment of text that is not yet an envelope: forwarded or dropped, never stored.',
    fields: {
      session_id,
      sender_id: field('id', 'The author: an identity bound to the sending connection.'),
      turn_id: field('text', 'The `causation_id` of the envelope it will become.'),
      audience: field('list of ids or null', 'The recipients; the first delta of a turn decides for the whole turn.'),
      index: field('number', 'Counts from 0; a missing index is a dropped delta.'),
      text: field('text', 'The new text.'),
      recipient_id: { ...recipient_id, type: 'id?', help: `From the hub only. ${recipient_id.help}` },
      observed: field('true?', 'From the hub only. You observe this session.'),
    },
  },
  receipt: {
    direction: 'client → hub',
    help: 'The result of a delivery. Not answered.',
    fields: {
      recipient_id: field('id', 'As in the `notify`.'),
      session_id,
      seq: field('number', 'The envelope.'),
      status: field(
        'ack, nack or seen',
        '`ack`: handled. `nack`: deliver again. `seen`: displayed or in a prompt; the cursor does not move.',
      ),
      reason: field('text?', 'Why it was nacked.'),
    },
  },
  gap: {
    direction: 'hub → client',
    help: 'A range the hub will not deliver. Takes no receipt: ack later envelopes as usual.',
    fields: {
      recipient_id,
      session_id,
      epoch,
      from_seq: field('number', 'The first one.'),
      to_seq: field('number', 'The last one.'),
      reason: field(
        'text',
        '`epoch` (the history changed: discard your stream state), `overflow`, `expired`, `retention` or `archived`.',
      ),
    },
  },
  goodbye: {
    direction: 'hub → client',
    help: 'Ends a binding or, without `recipient_id`, the connection.',
    fields: {
      reason: field(
        'text',
        'Final, do not reconnect automatically: `replaced`, `unauthorized`, `unregistered`. Reconnect after: `shutdown`, `slow_consumer`, `bad_frames`.',
      ),
      recipient_id: field('id?', 'The binding that ends; other bindings of the connection continue.'),
      retry_after_ms: field('number?', 'Minimum delay before you reconnect.'),
    },
  },
  error: {
    direction: 'hub → client',
    help: 'The answer to a frame that is not a request: a rejected hello, an invalid frame, or a receipt for nothing.',
    fields: { error: errorRecord },
  },
  ping: {
    direction: 'both',
    help: 'Answered by `pong`, in both directions. WebSocket pings are answered too.',
    fields: {
      id: field('text?', 'From a client: asks for the hub’s open items, to detect lost frames.'),
    },
  },
  pong: {
    direction: 'both',
    help: 'Answers a `ping`. Only the hub sends the other fields, and only for a ping with an `id`.',
    fields: {
      id: field('text?', 'The id of the ping.'),
      open: field(
        'list of request ids?',
        'Requests the hub has not answered yet. If yours is missing, it or its answer was lost.',
      ),
      unacked: field('number?', 'Unacked deliveries. If you hold fewer, some were lost: send hello again.'),
      invites: field('number?', 'Invites you have not answered.'),
    },
  },
};
