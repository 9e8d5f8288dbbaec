/**
 * http-fixture-v1: what an implementation says of itself, and one fixture for each request, done as the adapter on stdio
 * does it. Fixtures run commands, with the rights of the hub: so it is there only where it was asked for, only for this
 * machine, and only for who shows its token.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { WireError } from '../../core/lib/errors.ts';
import { bearerOf } from '../../node/http/bearer.ts';
import { parsedJson, readText } from '../http/body.ts';
import { respondJson } from '../../node/http/respond.ts';
import { systemSecrets } from '../../node/system-secrets.ts';
import { answerFixture } from '../../governed/conformance/adapter/execute-on-disk.ts';
import { servedCapabilities } from '../../node/conformance/served/capabilities.ts';
import type { ConformanceSettings } from './options.ts';
import { Rooms } from '../../node/conformance/served/rooms.ts';

/** The part of a visitor that matters here. */
export interface Caller {
  readonly isLocal: boolean;
}

const BODY = { maxBytes: 1024 * 1024, maxDepth: 64 };

export class ConformanceSite {
  readonly #settings: ConformanceSettings;
  readonly #rooms: Rooms;
  readonly #closing = new AbortController();

  constructor(settings: ConformanceSettings) {
    this.#settings = settings;
    this.#rooms = new Rooms(settings.maxAtOnce);
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
    const shown = bearerOf(headers.authorization)?.token;
    if (typeof shown === 'string' && isSame(shown, this.#settings.token)) return;
    throw new WireError('unauthenticated', 'expected Authorization: Bearer <the token of conformance>');
  }

  async #execute(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = parsedJson(await readText(request, response, BODY));
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
