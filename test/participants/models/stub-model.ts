// A model server on 127.0.0.1 with scripted answers, including faults. It records requests with their simulated time, and
// aborted connections.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from 'parley-hub/core';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
  readonly atMs: number;
}

export type StubAnswer = (response: ServerResponse) => void;

export class StubModel {
  readonly asked: Asked[] = [];
  /** Number of clients that closed the connection before the end of the answer. */
  hungUp = 0;
  private readonly answers: StubAnswer[] = [];
  private readonly server: Server;
  private readonly now: () => number;
  private wake: () => void = () => {};

  private constructor(now: () => number) {
    this.now = now;
    this.server = createServer((request, response) => void this.take(request, response));
  }

  static async start(now: () => number): Promise<StubModel> {
    const stub = new StubModel(now);
    stub.server.listen(0, '127.0.0.1');
    await once(stub.server, 'listening');
    return stub;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** One answer per request; the last one repeats. */
  will(...answers: readonly StubAnswer[]): void {
    this.answers.push(...answers);
  }

  /** Waits until the condition holds, checking it after each event. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Triggers the check for an event elsewhere. */
  poke(): void {
    this.wake();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = this.now();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    response.on('close', () => {
      if (!response.writableEnded) this.hungUp += 1;
      this.wake();
    });
    const body = JSON.parse(Buffer.concat(pieces).toString() || '{}');
    this.asked.push({ path: request.url ?? '', headers: request.headers, body, atMs });
    const answer = this.answers[Math.min(this.asked.length, this.answers.length) - 1];
    answer?.(response);
    this.wake();
  }
}

export function status(code: number, body: unknown = {}, headers: Record<string, string> = {}): StubAnswer {
  return (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(code, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers }).end(text);
  };
}

export function whole(body: unknown): StubAnswer {
  return status(200, body);
}

/** A stream with a regular HTTP end. */
export function stream(...frames: readonly string[]): StubAnswer {
  return (response) => {
    begin(response).end(frames.join(''));
  };
}

/** A connection that breaks in the middle of the answer. */
export function cut(...frames: readonly string[]): StubAnswer {
  return (response) => {
    begin(response).write(frames.join(''), () => setImmediate(() => response.destroy()));
  };
}

/** A connection that stays open without further data. */
export function stall(...frames: readonly string[]): StubAnswer {
  return (response) => {
    begin(response).write(frames.join(''));
  };
}

export const silence: StubAnswer = () => {};

export const reset: StubAnswer = (response) => {
  response.destroy();
};

export function frame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
  response.flushHeaders();
  return response;
}
