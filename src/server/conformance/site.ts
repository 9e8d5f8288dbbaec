/**
 * Serves http-fixture-v1: the capabilities, and one fixture per request. Fixtures run commands with the hub's rights, so the site
 * exists only if enabled, and answers only callers on this machine that send its token. The number of waiting requests is bounded.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { WireError } from '../../core/lib/errors.ts';
import { answerFixture } from '../../governed/conformance/adapter/execute.ts';
import { systemSecrets } from '../../system/ids.ts';
import { displayVersion } from '../../system/package.ts';
import { parseJsonBody, readText } from '../http/body.ts';
import { parseBearer } from '../http/request-head.ts';
import { respondJson } from '../http/respond.ts';
import type { ConformanceSettings } from './options.ts';

interface Caller {
  readonly isLocal: boolean;
}

const BODY = { maxBytes: 1024 * 1024, maxDepth: 64 };

export class ConformanceSite {
  readonly #settings: ConformanceSettings;
  readonly #slots: WaitingLine;
  readonly #closing = new AbortController();

  constructor(settings: ConformanceSettings) {
    this.#settings = settings;
    this.#slots = new WaitingLine(settings.maxAtOnce);
  }

  /** `path` is the part after `/conform/`. Throws wire errors. */
  async answer(caller: Caller, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#authorize(caller, request);
    const expectMethod = (...methods: readonly string[]): void => checkMethod(methods, request, response);
    switch (path) {
      case 'capabilities':
        expectMethod('GET', 'HEAD');
        return respondJson(response, 200, servedCapabilities());
      case 'execute':
        expectMethod('POST');
        return this.#execute(request, response);
      default:
        throw new WireError('not_found', 'expected GET /conform/capabilities or POST /conform/execute');
    }
  }

  /** Aborts every running fixture and its processes. */
  close(): void {
    this.#closing.abort(new WireError('unavailable', 'the hub is stopping'));
  }

  #authorize(caller: Caller, { headers }: IncomingMessage): void {
    if (!caller.isLocal) throw new WireError('forbidden', 'fixtures run only for this machine, not through a proxy');
    const shown = parseBearer(headers.authorization)?.token;
    if (typeof shown === 'string' && isSame(shown, this.#settings.token)) return;
    throw new WireError('unauthenticated', 'expected Authorization: Bearer <the conformance token>');
  }

  async #execute(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = parseJsonBody(await readText(request, response, BODY));
    const gone = goneSignal(response);
    const ended = AbortSignal.any([gone, this.#closing.signal]);
    const leave = await this.#slots.enter(ended);
    try {
      const { timeoutMs } = this.#settings;
      const late = AbortSignal.timeout(timeoutMs);
      const answer = await answerFixture(given, AbortSignal.any([ended, late]));
      // An aborted run says nothing about the fixture.
      ended.throwIfAborted();
      const message = `the fixture did not finish within ${timeoutMs} ms; its processes were ended`;
      if (late.aborted) throw new WireError('internal', message);
      respondJson(response, 200, answer);
    } finally {
      leave();
    }
  }
}

/** Compares digests of equal length, so that timing reveals nothing. */
function isSame(shown: string, token: string): boolean {
  return systemSecrets.same(systemSecrets.digest(shown), systemSecrets.digest(token));
}

function checkMethod(methods: readonly string[], { method = '' }: IncomingMessage, response: ServerResponse): void {
  if (methods.includes(method)) return;
  response.setHeader('allow', methods.join(', '));
  throw new WireError('bad_frame', `expected ${methods[0]}, got ${method}`, { field: 'method' });
}

/** Returns a signal that aborts when the client disconnects before it received its answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const end = (): void => gone.abort(new WireError('unavailable', 'the client is gone'));
  if (response.destroyed) end();
  else response.once('close', () => response.writableFinished || end());
  return gone.signal;
}

/** Supported surfaces, as in the .agentxchain-conformance folder. */
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

function servedCapabilities(): object {
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

/** Each waiting request holds a fixture in memory. */
const MAX_WAITING = 16;

/** Admits a limited number of requests; a few more wait in order of arrival, the rest are rejected. */
export class WaitingLine {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Resolves when a slot is free; call the result once to release it. Rejects if the signal aborts first. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    return () => this.#leave();
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new WireError('unavailable', 'too many fixtures are waiting', { retry_after_ms: 1_000 });
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

  /** Passes the slot directly to the longest-waiting request. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
