/** A test peer that speaks frames: it keeps everything it receives, and the test decides the answers. */

import { asError, WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { Link } from '../../core/lib/link.ts';
import type { HubFrame, NotifyFrame, ResponseFrame } from '../../core/protocol/frames/frames.ts';
import { OPERATIONS, type OperationName, type Params, type Result } from '../../core/protocol/operations/operations.ts';

export class Peer {
  readonly link: Link;
  /** Everything received, in order. */
  readonly frames: HubFrame[] = [];
  closed = false;
  agentId = '';
  /** true = acks deliveries immediately. */
  acks = false;
  private lastRequest = 0;
  private readonly open = new Map<string, (frame: ResponseFrame) => void>();

  constructor(link: Link) {
    this.link = link;
    link.onMessage((text) => this.receive(text));
    link.onClose(() => {
      this.closed = true;
    });
  }

  /** Sends any frame, including invalid ones. */
  send(frame: unknown): void {
    this.link.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  hello(name: string, resume?: Record<string, { seq: number; epoch: number }>): void {
    this.send({
      kind: 'hello',
      protocol: 1,
      name,
      auth: { scheme: 'none' },
      ...(resume === undefined ? {} : { resume }),
    });
  }

  /** Returns the result or throws the hub's WireError. A result that does not match the operation's schema throws a plain
   * Error, so that no test mistakes it for a rejection. */
  call<Name extends OperationName>(op: Name, params: Params<Name>, more: JsonObject = {}): Promise<Result<Name>> {
    return this.ask(op, params, more).then((frame) => {
      if (frame.ok) return checkedResult(op, frame.result);
      throw new WireError(frame.error.code, frame.error.message, frame.error.details);
    });
  }

  /** Returns the raw response, for operations and parameters that may be invalid. */
  ask(op: string, params: unknown, more: JsonObject = {}): Promise<ResponseFrame> {
    this.lastRequest += 1;
    const request_id = String(this.lastRequest);
    return new Promise((resolve) => {
      this.open.set(request_id, resolve);
      this.send({ kind: 'request', request_id, op, params, ...more });
    });
  }

  receipt(session_id: string, seq: number, status: 'ack' | 'nack' | 'seen' = 'ack', reason?: string): void {
    this.send({
      kind: 'receipt',
      recipient_id: this.agentId,
      session_id,
      seq,
      status,
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** Notifies of one session (or all), in order of arrival. */
  notifies(sessionId?: string): readonly NotifyFrame[] {
    return this.frames.filter(
      (frame): frame is NotifyFrame =>
        frame.kind === 'notify' && (sessionId === undefined || frame.envelope.session_id === sessionId),
    );
  }

  /** Seqs of a session's stream, in order of arrival. */
  seqs(sessionId: string): readonly number[] {
    return this.notifies(sessionId)
      .filter(({ prev_seq, observed }) => prev_seq !== null && observed !== true)
      .map(({ envelope }) => envelope.seq);
  }

  /** Seqs of an observed session, in order of arrival. */
  observed(sessionId: string): readonly number[] {
    return this.notifies(sessionId)
      .filter(({ observed }) => observed === true)
      .map(({ envelope }) => envelope.seq);
  }

  private receive(text: string): void {
    // Not parsed by schema: the hub is under test.
    const frame = JSON.parse(text) as HubFrame;
    if (frame.kind === 'response') {
      const settle = this.open.get(frame.request_id);
      this.open.delete(frame.request_id);
      settle?.(frame);
      return;
    }
    this.frames.push(frame);
    if (frame.kind === 'welcome') this.agentId = frame.agent_id;
    if (frame.kind === 'notify' && frame.prev_seq !== null && frame.observed !== true && this.acks) {
      this.receipt(frame.envelope.session_id, frame.envelope.seq);
    }
  }
}

function checkedResult<Name extends OperationName>(op: Name, result: unknown): Result<Name> {
  try {
    OPERATIONS[op].result.parse(result, 'result');
  } catch (cause) {
    const message = `the answer to ${op} does not match OPERATIONS.${op}.result: ${asError(cause).message}`;
    throw new Error(message, { cause });
  }
  // The raw result, because the check must not repair it.
  return result as Result<Name>;
}
