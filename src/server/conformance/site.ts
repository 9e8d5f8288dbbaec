/**
 * http-fixture-v1: what this implementation says of itself, and one fixture for each request, executed as the adapter on stdio does.
 * Fixtures run commands with the rights of the hub. So the site exists only where it was asked for, answers only this machine,
 * and only callers that show its token. A few requests run at once, a few more wait in order, the rest are refused.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { WireError } from '../../core/lib/errors.ts';
import { answerFixture } from '../../governed/conformance/adapter/execute-on-disk.ts';
import { systemSecrets } from '../../system/ids.ts';
import { displayVersion } from '../../system/package.ts';
import { parseJsonBody, readText } from '../http/body.ts';
import { parseBearer } from '../http/request-head.ts';
import { respondJson } from '../http/respond.ts';
import type { ConformanceSettings } from './options.ts';

/** The part of a visitor that matters here. */
export interface Caller {
  readonly isLocal: boolean;
}

const BODY = { maxBytes: 1024 * 1024, maxDepth: 64 };

export class ConformanceSite {
  readonly #settings: ConformanceSettings;
  readonly #rooms: WaitingLine;
  readonly #closing = new AbortController();

  constructor(settings: ConformanceSettings) {
    this.#settings = settings;
    this.#rooms = new WaitingLine(settings.maxAtOnce);
  }

  /** `place` is what follows `/conform/`. Refuses with a wire error. */
  async answer(caller: Caller, place: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#checkMay(caller, request);
    const is = (...methods: readonly string[]): void => checkMethod(methods, request, response);
    switch (place) {
      case 'capabilities':
        is('GET', 'HEAD');
        return respondJson(response, 200, servedCapabilities());
      case 'execute':
        is('POST');
        return this.#execute(request, response);
      default:
        throw new WireError('not_found', 'there are GET /conform/capabilities and POST /conform/execute');
    }
  }

  /** Whatever is being done is ended, with all its processes. */
  close(): void {
    this.#closing.abort(new WireError('unavailable', 'the hub is stopping'));
  }

  #checkMay(caller: Caller, { headers }: IncomingMessage): void {
    if (!caller.isLocal)
      throw new WireError('forbidden', 'fixtures are done for this machine only, and not for a proxy');
    const shown = parseBearer(headers.authorization)?.token;
    if (typeof shown === 'string' && isSame(shown, this.#settings.token)) return;
    throw new WireError('unauthenticated', 'expected Authorization: Bearer <the token of conformance>');
  }

  async #execute(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = parseJsonBody(await readText(request, response, BODY));
    const gone = goneSignal(response);
    const ended = AbortSignal.any([gone, this.#closing.signal]);
    const leave = await this.#rooms.enter(ended);
    try {
      const { timeoutMs } = this.#settings;
      const late = AbortSignal.timeout(timeoutMs);
      const answer = await answerFixture(given, AbortSignal.any([ended, late]));
      // What was cut short says nothing about the fixture.
      ended.throwIfAborted();
      if (late.aborted) {
        throw new WireError(
          'internal',
          `the fixture did not end within ${timeoutMs} ms; what it had started was ended`,
        );
      }
      respondJson(response, 200, answer);
    } finally {
      leave();
    }
  }
}

/** Equally long whatever they are: how much of it is right is not told by time. */
function isSame(shown: string, token: string): boolean {
  return systemSecrets.same(systemSecrets.digest(shown), systemSecrets.digest(token));
}

function checkMethod(methods: readonly string[], { method = '' }: IncomingMessage, response: ServerResponse): void {
  if (methods.includes(method)) return;
  response.setHeader('allow', methods.join(', '));
  throw new WireError('bad_frame', `expected ${methods[0]}, got ${method}`, { field: 'method' });
}

/** Aborts when the client is not there any more to be answered. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const end = (): void => gone.abort(new WireError('unavailable', 'the client is gone'));
  if (response.destroyed) end();
  else response.once('close', () => response.writableFinished || end());
  return gone.signal;
}

/** What this implementation supports, as its folder says too. */
export const SURFACES = [
  'state_machine',
  'turn_result_validation',
  'gate_semantics',
  'decision_ledger',
  'history',
  'config_schema',
  'delegation',
  'decision_carryover',
  'parallel_turns',
  'event_lifecycle',
  'dispatch_manifest',
  'hook_audit',
  'coordinator',
] as const;

export function servedCapabilities(): object {
  return {
    implementation: 'parley-hub',
    version: displayVersion(),
    protocol_version: 'v7',
    tiers: [1, 2, 3],
    adapter: { protocol: 'http-fixture-v1' },
    surfaces: Object.fromEntries(SURFACES.map((surface) => [surface, true])),
    metadata: { name: 'Parley' },
  };
}

/** Each waits with a fixture in memory. */
const MAX_WAITING = 16;

/** Admits a few at a time; a few more wait, in order of arrival; the rest are rejected. */
export class WaitingLine {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(rooms: number) {
    this.#free = rooms;
  }

  /** Done when there is room; whoever got in calls what it resolves with, once. Who gives up waiting is not let in. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    return () => this.#leave();
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new WireError('unavailable', 'too many fixtures wait already', { retry_after_ms: 1_000 });
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(letIn), 1);
        reject(signal.reason);
      };
      const letIn = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      this.#waiting.push(letIn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Whoever waits longest has the room at once: it is never free in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
