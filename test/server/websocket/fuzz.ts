/** Frames that are wrong in every way chance finds, over real sockets: each gets a typed answer or a close, and touches nobody else's log. */

import { once } from 'node:events';
import type { LocalHub } from 'parley-hub';
import { WIRE_CODES } from 'parley-hub/core';
import { WebSocket } from 'ws';
import { parseClientFrame } from '../../../src/core/protocol/frames/frame-codec.ts';
import { isOperation, OPERATIONS } from '../../../src/core/protocol/operations/operations.ts';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { goodParams } from '../../hub/every-operation.ts';

export interface Fuzzed {
  readonly frames: number;
  /** How many of them no hub may take. */
  readonly wrong: number;
  readonly answered: number;
  readonly closed: number;
}

const MAX_FRAME = 1024 * 1024;

/** `sessionId`: a session the fuzzer is a stranger to. Frames go in turn over a connection that nobody is bound to, and over mallet's. */
export async function fuzz(url: string, sessionId: string, frames: number, seed: number): Promise<Fuzzed> {
  const random = seededRandom(seed);
  const counts = { frames: 0, wrong: 0, answered: 0, closed: 0 };
  const base = baseFrames(sessionId);
  const sockets = [await opened(url, null), await opened(url, 'mallet')];
  for (let n = 0; n < frames; n++) {
    const turn = n % sockets.length;
    const socket = sockets[turn];
    if (socket === undefined) break;
    const text = mutated(random, base);
    counts.frames += 1;
    const isWrong = mustBeRefused(text, socket.name === null ? null : sessionId);
    if (isWrong) counts.wrong += 1;
    const answer = await socket.ask(text, isWrong);
    if (answer === 'closed') {
      counts.closed += 1;
      sockets[turn] = await opened(url, socket.name);
    } else if (answer.some(isTypedRefusal)) counts.answered += 1;
    else if (isWrong) throw new Error(`seed ${seed}, frame ${n}: no refusal of ${text.slice(0, 300)}; came ${answer}`);
  }
  for (const socket of sockets) socket.end();
  return counts;
}

interface Fuzzer {
  /** The bound identity. */
  readonly name: string | null;
  /** Frames received until the hub has read the input and rejected it if it must; or the end of the connection. */
  ask(text: string, isWrong: boolean): Promise<readonly string[] | 'closed'>;
  end(): void;
}

async function opened(url: string, name: string | null): Promise<Fuzzer> {
  const socket = new WebSocket(url);
  const came: string[] = [];
  let wake = (): void => {};
  socket.on('message', (data) => {
    came.push(String(data));
    wake();
  });
  socket.on('close', () => wake());
  socket.on('error', () => {});
  await once(socket, 'open');
  const isOver = (): boolean => socket.readyState !== WebSocket.OPEN;
  const heard = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  if (name !== null) {
    socket.send(JSON.stringify({ kind: 'hello', protocol: 1, name, auth: { scheme: 'none' } }));
    socket.send(JSON.stringify({ kind: 'request', request_id: 'r', op: 'register', params: { name } }));
    while (!came.some((text) => text.includes('"request_id":"r"'))) await heard();
  }
  return {
    name,
    async ask(text, isWrong) {
      came.length = 0;
      socket.send(text);
      socket.send('{"kind":"ping"}');
      const isRead = (): boolean => came.includes('{"kind":"pong"}') && (!isWrong || came.some(isTypedRefusal));
      while (!isOver() && !isRead()) {
        const broken = came.find((one) => one.includes('"code":"internal"'));
        if (broken !== undefined) throw new Error(`${text.slice(0, 300)} was answered ${broken}`);
        await heard();
      }
      return isOver() ? 'closed' : came.filter((one) => one !== '{"kind":"pong"}');
    },
    end: () => socket.terminate(),
  };
}

function baseFrames(sessionId: string): readonly object[] {
  const requests = Object.entries(goodParams(sessionId))
    .filter(([op]) => op !== 'register' && op !== 'unregister')
    .map(([op, params], n) => ({ kind: 'request', request_id: `f${n}`, op, params }));
  return [
    {
      kind: 'hello',
      protocol: 1,
      // Not known to the hub.
      name: 'mallory',
      auth: { scheme: 'none' },
      resume: { [sessionId]: { seq: 3, epoch: 1 } },
    },
    { kind: 'receipt', recipient_id: sessionId, session_id: sessionId, seq: 1, status: 'ack' },
    {
      kind: 'delta',
      session_id: sessionId,
      sender_id: sessionId,
      turn_id: sessionId,
      audience: [sessionId],
      index: 0,
      text: 'x',
    },
    { kind: 'ping' },
    ...requests,
  ];
}

const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  { a: 1 },
  'constructor',
  '__proto__',
  '0'.repeat(32),
  'a'.repeat(5000),
  { toString: 1 },
  [1, 2, 3],
  '2026-01-01T00:00:00.000Z',
  'hub',
  '../../etc/passwd',
];

function mutated(random: Random, base: readonly object[]): string {
  const frame = structuredClone(random.pick(base)) as Record<string, unknown>;
  const changes = 1 + random.below(3);
  for (let n = 0; n < changes; n++) change(random, frame);
  const text = JSON.stringify(frame);
  switch (random.below(12)) {
    case 0:
      return text.slice(0, random.below(text.length));
    case 1:
      return text + random.pick(['}', ',', 'x', '\u0000', text]);
    case 2:
      return text.replace('"kind"', '"__proto__":{"a":1},"kind"');
    case 3:
      return `${'['.repeat(random.below(3000))}${text}`;
    case 4:
      return Array.from({ length: random.below(40) }, () => String.fromCharCode(random.below(0xd800))).join('');
    default:
      return text;
  }
}

/** Somewhere in the frame a value is taken away, replaced, or added. */
function change(random: Random, frame: Record<string, unknown>): void {
  let at = frame;
  for (;;) {
    const inner = Object.values(at).filter(isRecord);
    const next = inner[random.below(inner.length + 1)];
    if (next === undefined) break;
    at = next;
  }
  const keys = Object.keys(at);
  const key = keys[random.below(keys.length + 1)] ?? random.pick(['extra', 'as', 'deadline_ms', 'constructor', '']);
  if (random.below(4) === 0) delete at[key];
  else at[key] = structuredClone(random.pick(VALUES));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By the hub's grammar: malformed frames, most requests of unbound clients, and requests about a foreign session. */
function mustBeRefused(text: string, strangeTo: string | null): boolean {
  try {
    const frame = parseClientFrame(text, MAX_FRAME);
    if (frame.kind !== 'request') return false;
    if (!isOperation(frame.op)) return true;
    if (OPERATIONS[frame.op].who !== 'anyone' && (strangeTo === null || frame.params.session_id === strangeTo))
      return true;
    OPERATIONS[frame.op].params.parse(frame.params, 'params');
    return false;
  } catch {
    return true;
  }
}

function isTypedRefusal(text: string): boolean {
  const frame: unknown = JSON.parse(text);
  const error: unknown = isRecord(frame) ? frame.error : undefined;
  return isRecord(error) && Object.hasOwn(WIRE_CODES, String(error.code)) && error.code !== 'internal';
}

/** The log of a session, as its participants can read it. */
export async function logOf(hub: LocalHub, name: string, sessionId: string): Promise<readonly string[]> {
  const reader = await hub.agent(name);
  const lines: string[] = [];
  for await (const envelope of reader.session(sessionId).log()) lines.push(JSON.stringify(envelope));
  return lines;
}
