// A model client, a stub server and virtual time: waits end immediately, with exact times.

import { SimClock } from 'parley-hub/testing';
import { afterEach } from 'vitest';
import { type AgentError, isAgentError } from '../../../src/participants/agent/agent-error.ts';
import {
  createModels,
  type ModelClient,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
  type Models,
} from '../../../src/participants/models/index.ts';
import type { Api } from './apis.ts';
import { type StubAnswer, StubModel } from './stub-model.ts';

export const KEY = 'zq-9f8e7d6c5b4a-key';

export const hello: ModelRequest = { system: 'Be brief.', messages: [{ role: 'user', content: 'Hello?' }] };

/** Tracks its pending timers. */
export class VirtualClock extends SimClock {
  private readonly dueAt = new Set<{ readonly at: number }>();

  override after(ms: number, run: () => void): () => void {
    const due = { at: this.monotonic() + ms };
    this.dueAt.add(due);
    const stop = super.after(ms, () => {
      this.dueAt.delete(due);
      run();
    });
    return () => {
      this.dueAt.delete(due);
      stop();
    };
  }

  get waiting(): number {
    return this.dueAt.size;
  }

  /** Time of the next timer; null = none. */
  get due(): number | null {
    const times = [...this.dueAt].map(({ at }) => at);
    return times.length === 0 ? null : Math.min(...times);
  }

  toNext(): void {
    const { due } = this;
    if (due !== null) this.advance(due - this.monotonic());
  }
}

export interface Scene {
  readonly stub: StubModel;
  readonly clock: VirtualClock;
  readonly models: Models;
  readonly client: ModelClient;
  readonly progress: string[];
  /** Sends a request; pauses between attempts end immediately, other timers do not. */
  ask(request?: Partial<ModelRequest>): Promise<ModelReply>;
  /** The same for calls that fail. */
  fails(request?: Partial<ModelRequest>): Promise<AgentError>;
  /** Times between the requests. */
  gaps(): readonly number[];
}

const open: StubModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((stub) => stub.stop()));
});

export async function scene(
  api: Api,
  answers: readonly StubAnswer[],
  provider: Partial<ModelProvider> = {},
): Promise<Scene> {
  const clock = new VirtualClock(Date.UTC(2026, 9, 20));
  const stub = await StubModel.start(() => clock.monotonic());
  open.push(stub);
  stub.will(...answers);
  const models = createModels({ fetch: (url, init) => fetch(url, init), clock });
  const baseUrl = `${stub.origin}${api.base}`;
  const client = api.client(models, { apiKey: KEY, model: 'm-1', ...provider, baseUrl });
  const progress: string[] = [];
  const ask = (request: Partial<ModelRequest> = {}): Promise<ModelReply> =>
    client.complete({
      ...hello,
      ...request,
      onProgress(event) {
        progress.push(event.text);
        request.onProgress?.(event);
        // The pause starts in this tick and ends in the next.
        if (event.kind === 'retry') setImmediate(() => clock.toNext());
      },
    });
  return {
    stub,
    clock,
    models,
    client,
    progress,
    ask,
    fails: (request) => ask(request).then(noFailure, agentError),
    gaps: () => stub.asked.slice(1).map(({ atMs }, index) => atMs - (stub.asked[index]?.atMs ?? 0)),
  };
}

function noFailure(reply: ModelReply): never {
  throw new Error(`it should have failed, and said ${JSON.stringify(reply.text)}`);
}

function agentError(thrown: unknown): AgentError {
  if (isAgentError(thrown)) return thrown;
  throw thrown;
}
