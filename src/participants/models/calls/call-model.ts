/** Calls a model: attempts and pauses, then one answer or one error. */

import { AgentError, type AgentErrorKind } from '../../agent/agent-error.ts';
import { redactSecrets } from '../../lib/redact-secrets.ts';
import { pause } from '../../lib/retry.ts';
import {
  countOf,
  type Failure,
  isForced,
  malformedFailure,
  NO_RETRIES,
  nextTry,
  type Retries,
} from '../client/failure.ts';
import type { ModelReply, ModelRequest } from '../client/model-client.ts';
import { type Answer, isFailure } from '../formats/model-format.ts';
import { addCosts, costOf } from '../usage/prices.ts';
import { addUsage, type ModelUsage, UNKNOWN_USAGE } from '../usage/usage.ts';
import { type AttemptResult, attemptCall } from './attempt.ts';
import { CallTimeouts } from './call-timeouts.ts';
import { requestBody, type ServedModel } from './served-model.ts';

const CALL_TIMEOUTS_MS = { timeoutMs: 300_000, idleMs: 120_000, totalMs: 900_000 } as const;

/** Details of an error before any attempt. */
const NOT_ASKED = { class: 'permanent', status: null, code: null, requestId: null, retryAfterMs: null } as const;

/** Leaves room for the URL in the message. */
const MAX_PROBLEM_CHARS = 1_500;

export function callModel(served: ServedModel, request: ModelRequest): Promise<ModelReply> {
  return new ModelCall(served, request).run();
}

class ModelCall {
  private readonly served: ServedModel;
  private readonly request: ModelRequest;
  private readonly began: number;
  private retries: Retries = NO_RETRIES;
  /** Text passed to `onDelta`; after that the call is not retried. */
  private text = '';
  private isHandedOn = false;
  private used: ModelUsage | null = null;
  private costUsd: number | null = 0;

  constructor(served: ServedModel, request: ModelRequest) {
    this.served = served;
    this.request = request;
    this.began = served.io.clock.monotonic();
  }

  async run(): Promise<ModelReply> {
    const { keyProblem } = this.served.endpoint;
    if (keyProblem !== null) throw this.error('auth', keyProblem, NOT_ASKED, false);
    const body = requestBody(this.served, this.request);
    for (;;) {
      if (this.request.signal?.aborted) throw this.aborted();
      const tried = this.checked(await this.try(body));
      const { came } = tried;
      if (this.request.signal?.aborted) throw this.aborted();
      if (!isFailure(came)) return this.reply(came, tried.requestId);
      const next = this.isHandedOn || this.isTriedOut ? null : nextTry(this.retries, came);
      if (next === null || next.waitMs >= this.leftMs) throw this.failed(tried, came);
      this.retries = next.retries;
      this.tell(came, next.waitMs);
      await pause(next.waitMs, this.served.io.clock, this.request.signal);
    }
  }

  private async try(body: string): Promise<AttemptResult> {
    const { format, endpoint, settings, io } = this.served;
    const { timeoutMs = CALL_TIMEOUTS_MS.timeoutMs, idleMs = CALL_TIMEOUTS_MS.idleMs, stream = true } = settings;
    const reader = format.reader();
    this.text = '';
    const wallMs = Math.min(timeoutMs, this.leftMs);
    const watch = new CallTimeouts({ clock: io.clock, wallMs, idleMs, signal: this.request.signal });
    const hand = (text: string): void => this.hand(text);
    try {
      return await attemptCall({ endpoint, body, isStream: stream, reader, watch, io, hand });
    } finally {
      this.spend(reader.usage);
    }
  }

  /** An answer the caller's check rejects counts as malformed. */
  private checked(tried: AttemptResult): AttemptResult {
    if (isFailure(tried.came)) return tried;
    const problem = this.request.check?.(tried.came) ?? null;
    return problem === null ? tried : { ...tried, came: malformedFailure(problem) };
  }

  private hand(text: string): void {
    this.text += text;
    if (this.request.onDelta === undefined || this.request.signal?.aborted) return;
    this.isHandedOn = true;
    this.request.onDelta(text);
  }

  /** An attempt that reports no usage adds nothing. */
  private spend(usage: ModelUsage): void {
    if (usage.input_tokens === null && usage.output_tokens === null) return;
    const { settings, prices, io } = this.served;
    const cost = costOf(usage, settings.model, io.clock.now(), prices);
    this.used = this.used === null ? usage : addUsage(this.used, usage);
    this.costUsd = addCosts(this.costUsd, cost);
  }

  private get leftMs(): number {
    const { totalMs = CALL_TIMEOUTS_MS.totalMs } = this.served.settings;
    return this.began + totalMs - this.served.io.clock.monotonic();
  }

  private get isTriedOut(): boolean {
    return countOf(this.retries) >= (this.served.settings.maxRetries ?? Number.POSITIVE_INFINITY);
  }

  private reply(answer: Answer, requestId: string | null): ModelReply {
    const { format, provider, settings, io } = this.served;
    const { content, model, ...said } = answer;
    return {
      ...said,
      usage: this.used ?? UNKNOWN_USAGE,
      cost_usd: this.used === null ? null : this.costUsd,
      provider,
      model: model ?? settings.model,
      request_id: requestId,
      latency_ms: Math.round(io.clock.monotonic() - this.began),
      retries: countOf(this.retries),
      raw: { format: format.name, content },
    };
  }

  private tell(failure: Failure, waitMs: number): void {
    const { secrets } = this.served.endpoint;
    const problem = redactedText(failure.problem, 200, secrets);
    const text = `${this.tool}: ${problem}; try ${countOf(this.retries) + 1} in ${waitMs / 1000} s`;
    this.request.onProgress?.({ kind: 'retry', text });
  }

  private get tool(): string {
    return `${this.served.provider}/${this.served.settings.model}`;
  }

  private aborted(): AgentError {
    return this.error('aborted', 'the call was cancelled', NOT_ASKED, false);
  }

  private failed(tried: AttemptResult, failure: Failure): AgentError {
    const count = countOf(this.retries);
    const tries = count === 0 ? '' : ` (after ${count} ${count === 1 ? 'retry' : 'retries'})`;
    const { secrets, shownUrl } = this.served.endpoint;
    const problem = `${redactedText(failure.problem, MAX_PROBLEM_CHARS, secrets)}${tries} at ${shownUrl}`;
    const about = { ...failure, requestId: failure.requestId ?? tried.requestId };
    return this.error(failure.kind, problem, about, tried.blamesForce && isForced(this.request));
  }

  private error(
    kind: AgentErrorKind,
    problem: string,
    about: Pick<Failure, 'class' | 'status' | 'code' | 'retryAfterMs' | 'requestId' | 'watchdog'>,
    refuses_forced_tools: boolean,
  ): AgentError {
    const { secrets } = this.served.endpoint;
    const shown = (text: string | null): string | null => (text === null ? null : redactedText(text, 200, secrets));
    const call = {
      class: about.class,
      status: about.status,
      code: shown(about.code),
      request_id: shown(about.requestId),
      retries: countOf(this.retries),
      usage: this.used,
      cost_usd: this.used === null ? null : this.costUsd,
      refuses_forced_tools,
    };
    const partial = this.text === '' ? {} : { partial: this.text };
    const later = about.retryAfterMs === null ? {} : { retry_after_ms: about.retryAfterMs };
    const clock = about.watchdog === undefined ? {} : { watchdog: about.watchdog };
    return new AgentError(kind, problem, { tool: this.tool, call, ...partial, ...later, ...clock }, { secrets });
  }
}

/** More than is ever shown; bounds the time spent searching for secrets. */
const MAX_READ_CHARS = 16_384;
/** A shorter match does not prove that a secret was split. */
const SHORTEST_PART = 4;

export function redactedText(text: string, mostChars: number, secrets: readonly string[]): string {
  const read = text.length > MAX_READ_CHARS ? withoutHalf(text.slice(0, MAX_READ_CHARS), secrets) : text;
  const shown = redactSecrets(read, secrets);
  return shown.length > mostChars ? `${shown.slice(0, mostChars - 1)}…` : shown;
}

/** The cut may split a secret: remove its first half too. */
function withoutHalf(text: string, secrets: readonly string[]): string {
  const halves = secrets.map((secret) => {
    let chars = Math.min(secret.length - 1, text.length);
    while (chars >= SHORTEST_PART && !text.endsWith(secret.slice(0, chars))) chars -= 1;
    return chars < SHORTEST_PART ? 0 : chars;
  });
  return text.slice(0, text.length - Math.max(0, ...halves));
}
