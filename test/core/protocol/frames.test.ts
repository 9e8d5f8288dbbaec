import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/core/lib/errors.ts';
import {
  encodeFrame,
  encodeNotify,
  errorFromRecord,
  errorRecord,
  parseClientFrame,
  parseHubFrame,
} from '../../../src/core/protocol/frames/frame-codec.ts';
import { type ClientFrame, FINAL_GOODBYES, type HubFrame } from '../../../src/core/protocol/frames/frames.ts';
import { envelope } from '../../support/sample-records.ts';
import { refused, wrongField } from '../refused.ts';

const MAX = 1024 * 1024;
const SESSION = '0123456789abcdef0123456789abcdef';

/** Frames as wire text. */
const clientFrames: readonly (readonly [string, ClientFrame])[] = [
  [
    '{"kind":"hello","protocol":1,"name":"alice","auth":{"scheme":"none"}}',
    { kind: 'hello', protocol: 1, name: 'alice', auth: { scheme: 'none' } },
  ],
  [
    `{"kind":"hello","protocol":1,"name":"alice","auth":{"scheme":"token","token":"t"},"resume":{"${SESSION}":{"seq":7,"epoch":1}}}`,
    {
      kind: 'hello',
      protocol: 1,
      name: 'alice',
      auth: { scheme: 'token', token: 't' },
      resume: { [SESSION]: { seq: 7, epoch: 1 } },
    },
  ],
  [
    `{"kind":"request","request_id":"r1","op":"post","params":{"session_id":"${SESSION}","event_type":"msg.text","event_data":{"text":"hi"}}}`,
    {
      kind: 'request',
      request_id: 'r1',
      op: 'post',
      params: { session_id: SESSION, event_type: 'msg.text', event_data: { text: 'hi' } },
    },
  ],
  [
    '{"kind":"request","request_id":"r2","op":"health","params":{},"as":"bob","deadline_ms":5000}',
    { kind: 'request', request_id: 'r2', op: 'health', params: {}, as: 'bob', deadline_ms: 5000 },
  ],
  [
    `{"kind":"receipt","recipient_id":"id-bob","session_id":"${SESSION}","seq":3,"status":"ack"}`,
    { kind: 'receipt', recipient_id: 'id-bob', session_id: SESSION, seq: 3, status: 'ack' },
  ],
  [
    `{"kind":"receipt","recipient_id":"id-bob","session_id":"${SESSION}","seq":3,"status":"nack","reason":"busy"}`,
    { kind: 'receipt', recipient_id: 'id-bob', session_id: SESSION, seq: 3, status: 'nack', reason: 'busy' },
  ],
  [
    `{"kind":"delta","session_id":"${SESSION}","sender_id":"id-bob","turn_id":"t1","audience":null,"index":0,"text":"Hel"}`,
    { kind: 'delta', session_id: SESSION, sender_id: 'id-bob', turn_id: 't1', audience: null, index: 0, text: 'Hel' },
  ],
  ['{"kind":"ping"}', { kind: 'ping' }],
  ['{"kind":"pong"}', { kind: 'pong' }],
];

const hubFrames: readonly (readonly [string, HubFrame])[] = [
  [
    '{"kind":"welcome","name":"alice","agent_id":"a1","endpoint_id":"e1","hub_id":"h1","hub_time":"2026-01-01T00:00:00.000Z","limits":{"max_frame_bytes":1048576,"max_event_bytes":262144,"window":256,"max_open_requests":64,"max_subscriptions":256,"ping_ms":20000},"features":["deltas"]}',
    {
      kind: 'welcome',
      name: 'alice',
      agent_id: 'a1',
      endpoint_id: 'e1',
      hub_id: 'h1',
      hub_time: '2026-01-01T00:00:00.000Z',
      limits: {
        max_frame_bytes: 1_048_576,
        max_event_bytes: 262_144,
        window: 256,
        max_open_requests: 64,
        max_subscriptions: 256,
        ping_ms: 20_000,
      },
      features: ['deltas'],
    },
  ],
  [
    '{"kind":"response","request_id":"r1","ok":true,"result":{"seq":4}}',
    { kind: 'response', request_id: 'r1', ok: true, result: { seq: 4 } },
  ],
  [
    '{"kind":"response","request_id":"r1","ok":false,"error":{"code":"conflict","message":"at 5","details":{"head":5}}}',
    {
      kind: 'response',
      request_id: 'r1',
      ok: false,
      error: { code: 'conflict', message: 'at 5', details: { head: 5 } },
    },
  ],
  [
    '{"kind":"gap","recipient_id":"id-bob","session_id":"s1","epoch":1,"from_seq":3,"to_seq":5,"reason":"expired"}',
    {
      kind: 'gap',
      recipient_id: 'id-bob',
      session_id: 's1',
      epoch: 1,
      from_seq: 3,
      to_seq: 5,
      reason: 'expired',
    },
  ],
  [
    '{"kind":"goodbye","reason":"replaced","recipient_id":"id-bob"}',
    { kind: 'goodbye', reason: 'replaced', recipient_id: 'id-bob' },
  ],
  [
    '{"kind":"error","error":{"code":"bad_frame","message":"frame: no"}}',
    { kind: 'error', error: { code: 'bad_frame', message: 'frame: no' } },
  ],
];

describe('frames of clients', () => {
  it.each(clientFrames)('[RE1] parses and encodes %s', (text, frame) => {
    expect(parseClientFrame(text, MAX)).toEqual(frame);
    expect(encodeFrame(frame)).toBe(text);
  });

  it('[RE1] ignores unknown fields', () => {
    for (const [text, frame] of clientFrames) {
      const extended = JSON.stringify({ ...JSON.parse(text), extra: [1], trace: null });
      expect(parseClientFrame(extended, MAX)).toEqual(frame);
    }
  });

  const kinds = 'one of hello, request, receipt, delta, ping, pong';
  const hello = { kind: 'hello', protocol: 1, name: 'alice', auth: {} };
  const request = { kind: 'request', request_id: 'r1', op: 'post', params: {} };
  const receipt = { kind: 'receipt', recipient_id: 'b', session_id: 's', seq: 1, status: 'ack' };
  const id = 'text of 1 to 64 characters';
  const seq = 'a whole number from 0 to 9007199254740991';
  const bad: readonly (readonly [unknown, string, string, string])[] = [
    [{}, 'frame.kind', kinds, 'nothing'],
    [[], 'frame', 'one JSON object', 'an array of 0'],
    [null, 'frame', 'one JSON object', 'null'],
    [42, 'frame', 'one JSON object', '42'],
    // It could be a token.
    ['hello', 'frame', 'one JSON object', 'a text'],
    [{ kind: 5 }, 'frame.kind', kinds, '5'],
    [{ kind: 'HELLO' }, 'frame.kind', kinds, '"HELLO"'],
    [{ kind: 'notify' }, 'frame.kind', kinds, '"notify"'],
    [{ kind: 'toString' }, 'frame.kind', kinds, '"toString"'],
    [{ ...hello, protocol: '1' }, 'frame.protocol', 'a protocol version', '"1"'],
    [{ ...hello, name: '' }, 'frame.name', id, '""'],
    [{ ...hello, auth: undefined }, 'frame.auth', 'an object', 'nothing'],
    [{ ...hello, auth: [] }, 'frame.auth', 'an object', 'an array'],
    [{ ...hello, resume: [] }, 'frame.resume', 'an object', 'an array of 0'],
    [
      { ...hello, resume: JSON.parse('{"__proto__":{"seq":1,"epoch":1}}') },
      'frame.resume',
      'ids of sessions as keys',
      'an object with __proto__',
    ],
    [{ ...hello, resume: { s1: 5 } }, 'frame.resume.s1', 'an object', '5'],
    [{ ...hello, resume: { s1: { seq: -1, epoch: 1 } } }, 'frame.resume.s1.seq', seq, '-1'],
    [{ ...hello, resume: { s1: { seq: 1 } } }, 'frame.resume.s1.epoch', seq, 'nothing'],
    [{ ...request, request_id: 7 }, 'frame.request_id', 'text of 1 to 128 characters', '7'],
    [{ ...request, op: 'x'.repeat(65) }, 'frame.op', id, `"${'x'.repeat(65)}"`],
    [{ ...request, params: null }, 'frame.params', 'an object', 'null'],
    [{ ...request, as: 5 }, 'frame.as', id, '5'],
    [{ ...request, deadline_ms: 0 }, 'frame.deadline_ms', 'a whole number from 1 to 86400000', '0'],
    [{ ...receipt, recipient_id: null }, 'frame.recipient_id', id, 'null'],
    [{ ...receipt, session_id: 1 }, 'frame.session_id', id, '1'],
    [{ ...receipt, seq: 1.5 }, 'frame.seq', seq, '1.5'],
    [{ ...receipt, status: 'acked' }, 'frame.status', 'ack, nack or seen', '"acked"'],
    [{ ...receipt, reason: 'x'.repeat(1025) }, 'frame.reason', 'text of 0 to 1024 characters', `"${'x'.repeat(76)}...`],
  ];

  it.each(bad)('[RE1] rejects %j and names the field', (frame, field, expected, received) => {
    expect(refused(() => parseClientFrame(JSON.stringify(frame), MAX))).toEqual(wrongField(field, expected, received));
  });

  it.each(['', 'hello', '{', '{"kind":"ping"', '{"kind":"ping"}{"kind":"ping"}', '\u0000', 'NaN', "{'kind':'ping'}"])(
    '[RE1, L7] rejects %j as invalid JSON, with its cause but without its text',
    (text) => {
      expect(refused(() => parseClientFrame(text, MAX)).details).toEqual({
        field: 'frame',
        expected: 'one JSON object',
        received: `${text.length} characters`,
      });
      expect(causeOf(() => parseClientFrame(text, MAX))).toBeInstanceOf(SyntaxError);
    },
  );

  it('[RE1, L8] parses random and mutated text or throws a WireError', () => {
    const golden = fc.constantFrom(...clientFrames.map(([text]) => text));
    const mutated = fc
      .tuple(golden, fc.nat(), fc.nat({ max: 5 }), fc.oneof(fc.string({ maxLength: 3 }), fc.json({ maxDepth: 1 })))
      .map(([text, place, length, put]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + put + text.slice(at + length);
      });
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), mutated, mutated), (text) => {
        try {
          parseClientFrame(text, MAX);
          taken += 1;
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(WireError);
          expect((thrown as WireError).details).toMatchObject({ field: expect.stringMatching(/^frame/) });
        }
      }),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it('[L8] rejects a million brackets', () => {
    const text = '['.repeat(1_000_000);
    expect(refused(() => parseClientFrame(text, MAX)).code).toBe('bad_frame');
    expect(refused(() => parseClientFrame(`${text}${']'.repeat(40_000)}`, MAX)).code).toBe('bad_frame');
    const closed = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
    expect(refused(() => parseClientFrame(closed, MAX)).code).toBe('bad_frame');
  });

  it.each([
    ['ASCII', 'x'],
    ['two bytes', 'ä'],
    ['four bytes', '😀'],
  ])('[RE1] limits a frame in bytes, not characters (%s)', (_what, unit) => {
    const text = `{"kind":"ping","pad":"${unit.repeat(50)}"}`;
    const bytes = Buffer.byteLength(text);
    expect(parseClientFrame(text, bytes)).toEqual({ kind: 'ping' });
    expect(refused(() => parseClientFrame(text, bytes - 1))).toEqual({
      code: 'too_large',
      message: `frame: at most ${bytes - 1} bytes are allowed`,
      details: { field: 'frame', expected: `at most ${bytes - 1} bytes`, received: `${bytes} bytes` },
    });
  });
});

describe('frames of the hub', () => {
  it.each(hubFrames)('[PK4] encodes and parses %s', (text, frame) => {
    expect(encodeFrame(frame)).toBe(text);
    expect(parseHubFrame(text)).toEqual(frame);
  });

  it('[DL1] encodes a notify around the text of its envelope', () => {
    const frame = { recipient_id: 'id-bob', epoch: 1, prev_seq: 0, turn: { agent_id: 'id-bob', since_seq: 4 } };
    const said = envelope({ seq: 4, session_id: 's1', event_type: 'msg.text' });
    expect(encodeNotify(frame, JSON.stringify(said))).toBe(
      '{"kind":"notify","recipient_id":"id-bob","epoch":1,"prev_seq":0,"turn":{"agent_id":"id-bob","since_seq":4},"envelope":{"session_id":"s1","sender_id":"alice","audience":null,"event_type":"msg.text","event_data":{"text":"message 4"},"causation_id":null,"task_id":null,"traceparent":null,"priority":"normal","idempotency_key":null,"ttl_seconds":null,"envelope_id":"00000000000000000000000000000004","seq":4,"depth":0,"created_at":"2026-01-01T00:00:04.000Z"}}',
    );
  });

  it('[DL1] encodes any notify as the JSON of the whole frame', () => {
    const turn = fc.option(fc.record({ agent_id: fc.string(), since_seq: fc.nat() }));
    const rest = fc.record(
      { recipient_id: fc.string(), epoch: fc.nat(), prev_seq: fc.option(fc.nat()), turn, attempt: fc.nat() },
      { requiredKeys: ['recipient_id', 'epoch', 'prev_seq', 'turn'] },
    );
    const data = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(rest, data, fc.nat(), (frame, event_data, seq) => {
        const said = JSON.parse(JSON.stringify({ ...envelope({ seq }), event_data }));
        const whole = { kind: 'notify', ...frame, envelope: said };
        const text = encodeNotify(frame, JSON.stringify(said));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(whole)));
        expect(parseHubFrame(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['', '[]', 'null', '5', '{}', '{"kind":5}', '"welcome"'])('[RE1] rejects %j in a client', (text) => {
    expect(refused(() => parseHubFrame(text))).toMatchObject({ code: 'bad_frame', details: { field: 'frame' } });
  });

  it('[RE1] passes an unknown kind to its reader', () => {
    expect(parseHubFrame('{"kind":"tomorrow"}')).toEqual({ kind: 'tomorrow' });
  });

  it('[RE1] converts errors to records and back', () => {
    const error = new WireError('conflict', 'at 5', { head: 5 }, { cause: new Error('kept here') });
    expect(errorRecord(error)).toEqual({ code: 'conflict', message: 'at 5', details: { head: 5 } });
    expect(errorRecord(errorFromRecord(errorRecord(error)))).toEqual(errorRecord(error));
    expect(errorRecord(new WireError('timeout', 'late'))).toEqual({ code: 'timeout', message: 'late' });
  });

  it('[PK4] lists the final reasons replaced, unauthorized and unregistered', () => {
    expect(FINAL_GOODBYES).toEqual(['replaced', 'unauthorized', 'unregistered']);
  });
});

function causeOf(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return (thrown as Error).cause;
  }
  return undefined;
}
