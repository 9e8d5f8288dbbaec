/** Every kind of frame with its direction and each of its fields, in words. The reference of the wire is made from it. */

import type { ClientFrame, HubFrame } from './frames.ts';

export type FrameKind = (ClientFrame | HubFrame)['kind'];

export interface FieldDoc {
  /** As people write it; `?` at its end = the field may be absent. */
  readonly type: string;
  readonly help: string;
}

type KeysOf<Frame> = Frame extends unknown ? Exclude<keyof Frame, 'kind'> : never;
type FrameOf<Kind> = Extract<ClientFrame | HubFrame, { readonly kind: Kind }>;

export interface FrameDoc<Kind extends FrameKind> {
  readonly direction: 'client → hub' | 'hub → client' | 'both';
  readonly help: string;
  /** Each of the frame's own and none beside them, or it does not compile. */
  readonly fields: { readonly [Key in KeysOf<FrameOf<Kind>>]: FieldDoc };
}

function field(type: string, help: string): FieldDoc {
  return { type, help };
}

const session_id = field('id', 'The session.');
const recipient_id = field('id', 'Which of the identities bound here it is for.');
const epoch = field(
  'number',
  'The history of the session this seq belongs to; a restored or repaired one has another.',
);
const errorRecord = field('{code, message, details?}', 'See [errors](#errors).');

export const FRAMES: { readonly [Kind in FrameKind]: FrameDoc<Kind> } = {
  hello: {
    direction: 'client → hub',
    help: 'Binds an identity to this connection. Answered by `welcome`, or by `error`.',
    fields: {
      protocol: field('1', 'The version of this protocol.'),
      name: field('text', 'The name of the identity.'),
      auth: field(
        'object',
        '`{scheme: "token", token}`, `{scheme: "jwt", token}` or, where it is allowed, `{scheme: "none"}`.',
      ),
      resume: field(
        '{session_id: {seq, epoch}}?',
        'Where you are in each session you know: everything up to there counts as acked.',
      ),
    },
  },
  welcome: {
    direction: 'hub → client',
    help: 'The identity is bound. Deliveries follow.',
    fields: {
      name: field('text', 'The identity.'),
      agent_id: field('id', 'Its id: as sender, audience, recipient and turn it is always this.'),
      endpoint_id: field('id', 'This connection.'),
      hub_id: field('id', 'The hub; another one after its data was lost or replaced.'),
      hub_time: field('time', 'The time of the hub.'),
      limits: field(
        'object',
        '`max_frame_bytes`, `max_event_bytes`, `window` (unacked deliveries of a stream), `max_open_requests`, `max_subscriptions`, `ping_ms` (null = this link needs none).',
      ),
      features: field(
        'list of text',
        'What this hub can beyond what every hub can: `deltas` (forwards [deltas](#delta)), `observe` ([subscribe](#subscribe)), `stream_starts` (marks `starts`), `tokens` (makes [tokens](#create_token)).',
      ),
    },
  },
  request: {
    direction: 'client → hub',
    help: 'Asks for an [operation](#operations). Requests run side by side; posts into one session keep their order.',
    fields: {
      request_id: field('text, 1–128', 'Of your choosing; comes back in the response.'),
      op: field('text', 'The operation.'),
      params: field('object', 'Its parameters.'),
      as: field('name or id?', 'Which identity asks; needed once a connection spoke for several.'),
      deadline_ms: field(
        'number?',
        'Bounds the answer, not the effect: then `timeout`. Its place among the open requests is free when its work ends.',
      ),
    },
  },
  response: {
    direction: 'hub → client',
    help: 'The answer to a request. What it confirms is durable.',
    fields: {
      request_id: field('text', 'Of the request.'),
      ok: field('true or false', 'Whether it was done.'),
      result: field('object?', 'With `ok: true`.'),
      error: { ...errorRecord, type: `${errorRecord.type}?`, help: `With \`ok: false\`. ${errorRecord.help}` },
    },
  },
  notify: {
    direction: 'hub → client',
    help: 'An envelope for you. Repeated until you ack it.',
    fields: {
      recipient_id,
      envelope: field('[Envelope](#envelope)', 'What was said.'),
      epoch,
      prev_seq: field(
        'number or null',
        'The envelope before it in your stream; 0 = it is the first; null = it is outside of the stream (an invite) and gets no receipt.',
      ),
      turn: field('[Turn](#turn) or null', 'Whose turn it is after this envelope; null = nobody is expected.'),
      starts: field(
        'true?',
        'The first of its stream on this binding, though not of the stream: what came before it was acked.',
      ),
      attempt: field('number?', 'It was nacked, and comes again: 2 the first time.'),
      delegated: field('true?', 'You delegated this session: what is said in it is for the delegation.'),
      observed: field('true?', 'You observe this session: no receipt.'),
    },
  },
  delta: {
    direction: 'both',
    help: 'Part of a text that is still being written. A hint: forwarded or dropped, never kept.',
    fields: {
      session_id,
      sender_id: field('id', 'Who writes it: an identity bound to the connection it is sent on.'),
      turn_id: field('text', 'The `causation_id` of the envelope it will become.'),
      audience: field('list of ids or null', 'Who hears it; the first delta of a turn decides for all of it.'),
      index: field('number', 'From 0 on; a hole is a delta that was dropped.'),
      text: field('text', 'What is new.'),
      recipient_id: { ...recipient_id, type: 'id?', help: `From the hub only. ${recipient_id.help}` },
      observed: field('true?', 'From the hub only. You observe this session.'),
    },
  },
  receipt: {
    direction: 'client → hub',
    help: 'What became of a delivery. Not answered.',
    fields: {
      recipient_id: field('id', 'As in the `notify`.'),
      session_id,
      seq: field('number', 'Of the envelope.'),
      status: field(
        'ack, nack or seen',
        '`ack`: handled, never send it again. `nack`: send it again. `seen`: it is on a screen or in a prompt; moves nothing.',
      ),
      reason: field('text?', 'Why not.'),
    },
  },
  gap: {
    direction: 'hub → client',
    help: 'These will not come. No receipt: acking what follows is enough.',
    fields: {
      recipient_id,
      session_id,
      epoch,
      from_seq: field('number', 'The first of them.'),
      to_seq: field('number', 'The last of them.'),
      reason: field(
        'text',
        '`epoch` (another history: forget what you know of it), `overflow`, `expired`, `retention` or `archived`.',
      ),
    },
  },
  goodbye: {
    direction: 'hub → client',
    help: 'A binding ends or, without `recipient_id`, the connection.',
    fields: {
      reason: field(
        'text',
        '`replaced`, `unauthorized`, `unregistered` are final: do not come back by yourself. After `shutdown`, `slow_consumer` and `bad_frames` you may.',
      ),
      recipient_id: field('id?', 'The binding that ends; the others of this connection go on.'),
      retry_after_ms: field('number?', 'Not sooner than this.'),
    },
  },
  error: {
    direction: 'hub → client',
    help: 'The answer to a frame that is no request: a hello that is refused, a frame that does not parse, a receipt for nothing.',
    fields: { error: errorRecord },
  },
  ping: {
    direction: 'both',
    help: 'Answered by `pong`, whoever asks. WebSocket pings are answered too.',
    fields: {
      id: field('text?', 'From a client: asks what is open at the hub, so that it can tell what was lost on the way.'),
    },
  },
  pong: {
    direction: 'both',
    help: 'The answer to a `ping`; the rest only from the hub, to one with an `id`.',
    fields: {
      id: field('text?', 'Of the ping.'),
      open: field(
        'list of request ids?',
        'Requests that the hub has and has not answered. One that is missing here was lost, or its answer was.',
      ),
      unacked: field(
        'number?',
        'Deliveries that wait for a receipt. More than you have in hand: some were lost; say hello again.',
      ),
      invites: field('number?', 'Invites that wait for your answer.'),
    },
  },
};
