// The hub's end of a link, played by a test with literal frames.

import type { Link, Logger } from 'parley-hub/core';
import { linkPair } from '../../src/core/lib/link.ts';

export const S1: string = '1'.repeat(32);
export const S2: string = '2'.repeat(32);
export const ME = 'id-alice';
export const BOB = 'id-bob';

export const HELLO = '{"kind":"hello","protocol":1,"name":"alice","auth":{"scheme":"none"}}';
export const WELCOME = `{"kind":"welcome","name":"alice","agent_id":"${ME}","endpoint_id":"e1","hub_id":"h1","hub_time":"2026-01-01T00:00:00.000Z","limits":{"max_frame_bytes":1048576,"max_event_bytes":262144,"window":256},"features":[]}`;

export class ScriptedHub {
  /** Sent by the client and not yet read by the test. */
  readonly received: string[] = [];
  linkClosed = false;
  private readonly end: Link;
  private readonly theirs: Link;

  constructor() {
    [this.end, this.theirs] = linkPair();
    this.end.onMessage((text) => this.received.push(text));
    this.end.onClose(() => {
      this.linkClosed = true;
    });
  }

  readonly link = (): Link => this.theirs;

  say(...frames: readonly (string | object)[]): void {
    for (const frame of frames) this.end.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  close(): void {
    this.end.close();
  }

  /** Waits until everything in transit has arrived. */
  async flush(): Promise<void> {
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Takes what the client sent since the last look. */
  async heard(): Promise<string[]> {
    await this.flush();
    return this.received.splice(0);
  }

  /** Takes the next request of this operation; the rest stays. */
  async request(op: string): Promise<{ request_id: string; params: Record<string, unknown> }> {
    await this.flush();
    const at = this.received.findIndex((text) => JSON.parse(text).op === op);
    const [text] = at === -1 ? [] : this.received.splice(at, 1);
    if (text === undefined) throw new Error(`the client did not ask for ${op}; it sent ${this.received.join(' ')}`);
    return JSON.parse(text);
  }

  /** Answers the next request of this operation; returns its parameters. */
  async answer(op: string, result: unknown): Promise<Record<string, unknown>> {
    const { request_id, params } = await this.request(op);
    this.say({ kind: 'response', request_id, ok: true, result });
    await this.flush();
    return params;
  }

  async refuse(op: string, error: { code: string; message: string; details?: object }): Promise<void> {
    const { request_id } = await this.request(op);
    this.say({ kind: 'response', request_id, ok: false, error });
  }

  async welcome(): Promise<void> {
    this.say(WELCOME);
    await this.flush();
  }
}

export interface Told {
  readonly session?: string;
  readonly seq: number;
  /** The previous seq (default: seq - 1). */
  readonly prev?: number | null;
  readonly epoch?: number;
  readonly type?: string;
  readonly data?: object;
  readonly from?: string;
  readonly turn?: { readonly agent_id: string; readonly since_seq: number } | null;
  readonly attempt?: number;
}

/** A notify frame (default: a text of bob). */
export function notify(told: Told): object {
  const { session = S1, seq, prev = seq - 1, epoch = 1, type = 'msg.text', turn = null, attempt } = told;
  const { data = type === 'msg.text' ? { text: `text ${seq}` } : {} } = told;
  const { from = type.startsWith('session.') ? 'hub' : BOB } = told;
  return {
    kind: 'notify',
    recipient_id: ME,
    epoch,
    prev_seq: prev,
    turn,
    ...(attempt === undefined ? {} : { attempt }),
    envelope: {
      session_id: session,
      sender_id: from,
      audience: null,
      event_type: type,
      event_data: data,
      causation_id: null,
      task_id: null,
      traceparent: null,
      priority: 'normal',
      idempotency_key: null,
      ttl_seconds: null,
      envelope_id: `envelope-${seq}`,
      seq,
      depth: 0,
      created_at: '2026-01-01T00:00:00.000Z',
    },
  };
}

export function receipt(seq: number, status: 'ack' | 'nack' = 'ack', reason?: string, session: string = S1): string {
  const why = reason === undefined ? '' : `,"reason":${JSON.stringify(reason)}`;
  return `{"kind":"receipt","recipient_id":"${ME}","session_id":"${session}","seq":${seq},"status":"${status}"${why}}`;
}

/** The metadata of a session of alice and bob, older than anything delivered. */
export function metadata(partial: object = {}): object {
  return {
    session_id: S1,
    manifest: { type: 'conversation', version: 1 },
    creator_id: BOB,
    participants: [
      { agent_id: ME, name: 'alice', role: 'respondent', order: 1, joined_at: null, status: 'active' },
      { agent_id: BOB, name: 'bob', role: 'initiator', order: 0, joined_at: null, status: 'active' },
    ],
    state: 'ACTIVE',
    close_reason: null,
    labels: {},
    head_seq: 0,
    epoch: 1,
    ...partial,
  };
}

export function info(partial: object = {}): object {
  return { session: metadata(partial), turn: null, unavailable: null, public_state: {}, tools: [] };
}

export function countedIds(): { hex32(): string } {
  let count = 0;
  return { hex32: () => `key-${++count}` };
}

export function keptLog(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string, details?: object): void => void lines.push(`${message} ${JSON.stringify(details)}`);
  return { lines, info: keep, warn: keep, error: keep };
}

export function deferred<T = void>(): { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
