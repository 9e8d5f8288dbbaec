/** Runs a turn as one or more model API calls and maps failed calls to the protocol's failure classes. */

import { type AgentError, type AgentErrorKind, isAgentError } from '../../participants/agent/agent-error.ts';
import {
  adapterMeta,
  createModels,
  type ModelClient,
  type ModelReply,
  promptTokens,
} from '../../participants/models/index.ts';
import { asText } from '../../system/atomic-file.ts';
import type { TurnResult } from '../engine/index.ts';
import { isRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import {
  API_PROXY,
  type ApiProxySettings,
  clientOf,
  endpointOf,
  keyOf,
  ratesOf,
  totalMs,
  tryMs,
} from './api-proxy-settings.ts';
import { saveAttemptLog } from './attempt/attempt-files.ts';
import type { DispatchBundle, DriverContext, DriverWaitResult, RuntimeDriver } from './attempt/driver.ts';
import { type AdapterErrorClass, type DriverFailure, failureOf } from './attempt/failure.ts';
import { settingsOf } from './attempt/settings.ts';
import {
  builtInDriver,
  collected,
  completed,
  failed,
  failedWith,
  findTurnResult,
  missingFields,
} from './attempt/wait-result.ts';

export function apiProxyDriver(context: DriverContext): RuntimeDriver {
  const settings = settingsOf(API_PROXY, context);
  const apiKey = keyOf(settings, context.variables);
  const secrets = apiKey === undefined ? [] : [apiKey];
  return builtInDriver({
    name: 'api_proxy',
    timeoutMs: totalMs(settings),
    async dispatch(bundle) {
      await saveAttemptLog(bundle, 'API_REQUEST.json', asText(requestNote(settings)), secrets);
      return bundle;
    },
    async wait(bundle, timeoutMs, signal) {
      const { fetch, clock, config } = context;
      const client = clientOf(createModels({ fetch, clock }), settings, {
        apiKey,
        totalMs: timeoutMs,
        prices: ratesOf(config, settings.model, clock.now()),
      });
      return callModel(client, bundle, { context, secrets, signal });
    },
    collect: withMeta,
  });
}

/** Describes the request for inspection, without the key. */
function requestNote(settings: ApiProxySettings): UnknownRecord {
  const { provider, model, temperature = null, max_retries = null } = settings;
  const base_url = endpointOf(settings).replace(/\?.*$/, '');
  const timeouts = { timeout_ms: tryMs(settings), total_timeout_ms: totalMs(settings) };
  return { provider, model, base_url, temperature, max_retries, ...timeouts };
}

const SYSTEM = `You take one turn of a governed run. Your whole answer is the turn result: one JSON object and nothing else.
You have no tools: where you are told to write the result to a file, answer with it, and it is written for you.`;

interface Call {
  readonly context: DriverContext;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function callModel(client: ModelClient, bundle: DispatchBundle, call: Call): Promise<DriverWaitResult> {
  const { context, secrets, signal } = call;
  const tries: string[] = [];
  const began = context.clock.monotonic();
  try {
    const reply = await client.complete({
      system: SYSTEM,
      messages: [{ role: 'user', content: `${bundle.prompt}\n\n---\n\n${bundle.context}` }],
      signal,
      check: problemIn,
      onProgress({ kind, text }) {
        if (kind === 'retry') tries.push(text);
        context.write(`${text}\n`);
      },
    });
    return answered(reply);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    // Save a partial answer: it was paid for, and may show what is wrong with the prompt.
    const { partial } = thrown.details;
    if (partial !== undefined) await saveAttemptLog(bundle, 'last-answer.txt', partial, secrets);
    const latencyMs = Math.round(context.clock.monotonic() - began);
    const { provider, model } = client;
    return failedWith(callFailure(thrown, { provider, model, latencyMs, tries, secrets }));
  }
}

/** Explains why an answer is not a turn result, so that the client asks once more; null to stop asking. */
function problemIn({ text, stop }: Pick<ModelReply, 'text' | 'stop'>): string | null {
  // Asking again after a refusal is pointless.
  if (stop === 'refused') return null;
  const result = findTurnResult(text);
  const cut = stop === 'length' ? ' (it was cut off: max_tokens is too small)' : '';
  if (result === null) return `${NO_RESULT} expected a JSON object with a schema_version${cut}, got ${text}`;
  const missing = missingFields(result);
  return missing.length === 0 ? null : `${NO_RESULT} it lacks ${missing.join(', ')}`;
}

function answered(reply: ModelReply): DriverWaitResult {
  const meta = adapterMeta(reply);
  const result = reply.stop === 'refused' ? null : findTurnResult(reply.text);
  if (result === null) {
    return failed('model_refused', `the model refused: ${reply.refusal ?? reply.text}`, { adapter_meta: meta });
  }
  return completed({ result, meta });
}

/** Replaces the cost that the model claims with the measured cost. */
function withMeta(data: unknown): TurnResult {
  if (!isRecord(data) || !isRecord(data.result) || !isRecord(data.meta)) return collected(data);
  const { result, meta } = data;
  const counts = { input_tokens: meta.input_tokens, output_tokens: meta.output_tokens, usd: meta.cost_usd };
  const known = Object.fromEntries(Object.entries(counts).filter(([, value]) => typeof value === 'number'));
  return collected({ ...result, cost: known, adapter_meta: meta });
}

/** Prefix that distinguishes a missing turn result from an unreadable response. */
const NO_RESULT = 'no turn result:';

interface CallSummary {
  readonly provider: string;
  readonly model: string;
  readonly latencyMs: number;
  readonly tries: readonly string[];
  readonly secrets: readonly string[];
}

function callFailure(error: AgentError, summary: CallSummary): DriverFailure {
  const { call, retry_after_ms } = error.details;
  const { tries, secrets } = summary;
  return failureOf(classOf(error), error.message, {
    secrets,
    http_status: call?.status ?? undefined,
    retry_after_ms,
    tries: tries.length === 0 ? undefined : tries,
    adapter_meta: metaOf(error, summary),
  });
}

const CLASSES: Readonly<Partial<Record<AgentErrorKind, AdapterErrorClass>>> = {
  auth: 'auth_failure',
  budget_exceeded: 'spend_limit',
  rate_limited: 'rate_limited',
  network: 'network_failure',
  timeout: 'timeout',
  aborted: 'aborted',
  output_limit: 'response_too_large',
};

const TOO_LONG = /context|too long|too large|too many tokens|token.{0,20}limit|maximum.{0,20}token/i;

function classOf({ kind, message, details }: AgentError): AdapterErrorClass {
  const status = details.call?.status ?? null;
  if (kind === 'bad_output') {
    return message.includes(NO_RESULT) ? 'turn_result_extraction_failure' : 'response_parse_failure';
  }
  if (kind === 'overloaded') return status === 503 || status === 529 ? 'provider_overloaded' : 'unknown_api_error';
  if (kind !== 'invalid_request') return CLASSES[kind] ?? 'unknown_api_error';
  if (status === 404) return 'model_not_found';
  if (status !== null && status >= 300 && status < 400) return 'redirected';
  return (status === 400 || status === 413) && TOO_LONG.test(message) ? 'context_overflow' : 'invalid_request';
}

/** Includes the usage of failed calls, because they are billed too. */
function metaOf({ details: { call } }: AgentError, { provider, model, latencyMs }: CallSummary): object {
  const input_tokens = call?.usage ? promptTokens(call.usage) : null;
  const output_tokens = call?.usage?.output_tokens ?? null;
  return {
    model,
    provider,
    input_tokens,
    output_tokens,
    total_tokens: input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens,
    cost_usd: call?.cost_usd ?? null,
    latency_ms: latencyMs,
    retries: call?.retries ?? 0,
  };
}
