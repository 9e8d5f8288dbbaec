/**
 * Sends requests and settles each once, by its response or the end of the connection. Lanes bound the number of open
 * requests.
 */

import { WireError } from '../../core/lib/errors.ts';
import { invalidValueError, type JsonObject, jsonBytes, utf8Bytes } from '../../core/lib/json.ts';
import type { Clock } from '../../core/ports/platform.ts';
import { encodeFrame, errorFromRecord } from '../../core/protocol/frames/frame-codec.ts';
import type { RequestFrame, ResponseFrame } from '../../core/protocol/frames/frames.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import { checkOptions, copyParams, deadlineCheck, type OptionChecks, optional } from '../lib/option-checks.ts';
import { isSafeToRetry } from './retry-safety.ts';

export interface CallOptions {
  /** Time limit for the answer, even while the hub is unreachable. It bounds the answer, not the effect. */
  readonly deadlineMs?: number | undefined;
}

export const CALL_OPTIONS: OptionChecks<CallOptions> = { deadlineMs: optional(deadlineCheck) };

export class Requests {
  maxFrameBytes: number;
  /** null if the hub has not announced it. */
  maxEventBytes: number | null = null;
  /** The requesting identity; null if not bound yet. */
  as: string | null = null;
  private readonly send: (text: string) => void;
  private readonly open = new Map<string, OpenRequest>();
  private readonly lanes = makeLanes();
  private count = 0;
  private ended: string | null = null;
  /** True while the hub is unreachable. */
  private suspended = false;
  /** Enforces deadlines locally in a client that reconnects; null if only the hub enforces them. */
  private readonly clock: Pick<Clock, 'after'> | null;

  constructor(send: (text: string) => void, maxFrameBytes: number, clock: Pick<Clock, 'after'> | null = null) {
    this.send = send;
    this.maxFrameBytes = maxFrameBytes;
    this.clock = clock;
  }

  call<Name extends OperationName>(op: Name, params: Params<Name>, options: CallOptions = {}): Promise<Result<Name>> {
    return new Promise((resolve, reject) => {
      if (typeof op !== 'string') throw invalidValueError('op', 'the name of an operation', op);
      checkOptions(options, CALL_OPTIONS);
      if (this.ended !== null) throw notSentError(op, this.ended);
      this.count += 1;
      const id = `r${this.count}`;
      const copied = copyParams(params);
      const text = this.encode(op, id, copied, options);
      const lane = this.lanes[laneOf(op)];
      const repeatable = isSafeToRetry(op, copied);
      // The hub answers an operation with that operation's result.
      const resolved = (result: unknown): void => resolve(result as Result<Name>);
      const request = { id, text, op, lane, repeatable, resolve: resolved, reject };
      lane.waiting.push(options.deadlineMs === undefined ? request : this.timed(request, options.deadlineMs));
      this.sendNext(lane);
    });
  }

  /** Adds a local deadline: the hub's starts only when the request arrives. */
  private timed(request: OpenRequest, deadlineMs: number): OpenRequest {
    if (this.clock === null) return request;
    const cancel = this.clock.after(deadlineMs, () => this.expire(timed, deadlineMs));
    const timed: OpenRequest = {
      ...request,
      resolve(result) {
        cancel();
        request.resolve(result);
      },
      reject(error) {
        cancel();
        request.reject(error);
      },
    };
    return timed;
  }

  /** Rejects a request at its deadline. A sent one keeps its lane slot until the answer or the loss of the link. */
  private expire(request: OpenRequest, deadlineMs: number): void {
    const isSent = this.open.has(request.id);
    request.reject(timeoutError(request.op, deadlineMs, isSent));
    request.repeatable = false;
    const { waiting } = request.lane;
    if (!isSent) waiting.splice(waiting.indexOf(request), 1);
    else if (this.suspended) this.failRequest(request, 'its deadline has passed');
  }

  settle(frame: ResponseFrame): void {
    const request = this.open.get(frame.request_id);
    if (request === undefined) return;
    this.open.delete(request.id);
    request.lane.open -= 1;
    if (frame.ok) request.resolve(frame.result);
    else request.reject(errorFromRecord(frame.error));
    this.sendNext(request.lane);
  }

  /** Call when the hub is unreachable. Fails sent requests that are not safe to resend; keeps the others queued. */
  suspend(why: string): void {
    this.suspended = true;
    for (const request of [...this.open.values()].filter(({ repeatable }) => !repeatable))
      this.failRequest(request, why);
  }

  /** Requests sent but not answered. */
  get unanswered(): readonly string[] {
    return this.suspended ? [] : [...this.open.keys()];
  }

  /** Resends or fails requests that the hub does not know: they, or their answers, were lost. */
  lost(ids: readonly string[]): void {
    for (const id of ids) {
      const request = this.open.get(id);
      if (request === undefined || this.suspended) continue;
      if (request.repeatable) this.send(request.text);
      else this.failRequest(request, 'it or its answer was lost on the way');
    }
  }

  /** Call when the hub is reachable again: resends unanswered requests in order, before new ones. */
  resume(): void {
    if (!this.suspended) return;
    this.suspended = false;
    for (const { text } of this.open.values()) this.send(text);
    for (const lane of Object.values(this.lanes)) this.sendNext(lane);
  }

  /** The connection ended: sent requests may have taken effect, waiting ones did not. */
  end(why: string): void {
    if (this.ended !== null) return;
    this.ended = why;
    const sent = [...this.open.values()];
    const unsent = Object.values(this.lanes).flatMap((lane) => lane.waiting.splice(0));
    this.open.clear();
    for (const { op, reject } of sent) reject(unknownOutcomeError(op, why));
    for (const { op, reject } of unsent) reject(notSentError(op, why));
  }

  private encode(op: OperationName, id: string, params: JsonObject, { deadlineMs }: CallOptions): string {
    const asker = this.as === null ? {} : { as: this.as };
    const request = { request_id: id, op, ...asker, params, deadline_ms: deadlineMs };
    const frame: RequestFrame = { kind: 'request', ...request };
    const text = encodeFrame(frame);
    const bytes = text.length * 3 <= this.maxFrameBytes ? 0 : utf8Bytes(text);
    if (bytes <= this.maxFrameBytes) return text;
    // Do not send it: the hub would close the connection.
    throw frameTooLargeError(op, params, bytes, this);
  }

  private failRequest(request: OpenRequest, why: string): void {
    this.open.delete(request.id);
    request.lane.open -= 1;
    request.reject(unknownOutcomeError(request.op, why));
    this.sendNext(request.lane);
  }

  private sendNext(lane: RequestLane): void {
    while (lane.open < lane.limit && !this.suspended) {
      const request = lane.waiting.shift();
      if (request === undefined) return;
      lane.open += 1;
      this.open.set(request.id, request);
      this.send(request.text);
    }
  }
}

type FrameLimits = Pick<Requests, 'maxFrameBytes' | 'maxEventBytes'>;

/** Parameters that become the data of an envelope. */
const EVENT_DATA: ReadonlySet<string> = new Set(['event_data', 'data', 'result', 'prompt']);

function frameTooLargeError(op: string, params: JsonObject, bytes: number, limits: FrameLimits): WireError {
  const { maxFrameBytes, maxEventBytes } = limits;
  const sizes = Object.entries(params).map(([name, value]) => ({ name, size: jsonBytes(value) }));
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a), { name: '', size: 0 });
  const field = largest.name === 'event_data' ? 'event_data' : `params.${largest.name}`;
  const most = EVENT_DATA.has(largest.name) && maxEventBytes !== null ? maxEventBytes : null;
  if (most !== null && most < largest.size) {
    const message = `${field}: ${largest.size} bytes of JSON; at most ${most} are allowed`;
    const received = `${largest.size} bytes`;
    return new WireError('too_large', message, { field, expected: `at most ${most} bytes`, received });
  }
  const message = `${op}: ${bytes} bytes of JSON, most of it in ${field}; a frame takes at most ${maxFrameBytes}`;
  return new WireError('too_large', message, { field, expected: `a frame of at most ${maxFrameBytes} bytes` });
}

interface OpenRequest {
  readonly id: string;
  readonly text: string;
  readonly op: OperationName;
  readonly lane: RequestLane;
  /** May be sent again if its answer was lost. */
  repeatable: boolean;
  resolve(result: unknown): void;
  reject(error: WireError): void;
}

/** Requests that share a limit; those above it wait in order. */
interface RequestLane {
  readonly limit: number;
  open: number;
  readonly waiting: OpenRequest[];
}

type LaneName = 'patient' | 'delegations' | 'invites' | 'others';

/**
 * The hub allows 64 open requests per connection. Requests that wait for people, and answers that people wait for, have
 * their own lanes: two clients that open sessions with each other cannot deadlock.
 */
function makeLanes(): Readonly<Record<LaneName, RequestLane>> {
  const lane = (limit: number): RequestLane => ({ limit, open: 0, waiting: [] });
  return { patient: lane(12), delegations: lane(12), invites: lane(8), others: lane(32) };
}

function laneOf(op: OperationName): LaneName {
  if (op === 'delegate') return 'delegations';
  if (op === 'create_session' || op === 'close_session') return 'patient';
  return op === 'ack_invite' || op === 'reject_invite' ? 'invites' : 'others';
}

function timeoutError(op: OperationName, deadlineMs: number, isSent: boolean): WireError {
  const what = isSent ? 'was not answered' : 'could not be sent';
  const effect = isSent ? '; it may still take effect' : ', and was not';
  return new WireError('timeout', `${op} ${what} within ${deadlineMs} ms${effect}`);
}

function unknownOutcomeError(op: OperationName, why: string): WireError {
  const message = `${op} was sent but not answered: ${why}; it may have taken effect: try again with the same key`;
  return new WireError('unavailable', message, { outcome: 'unknown' });
}

function notSentError(op: OperationName, why: string): WireError {
  return new WireError('unavailable', `${op} was not sent: ${why}`, { outcome: 'refused' });
}
