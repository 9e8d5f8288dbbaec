/** What a call of a model that failed is a case of, in the words of the protocol. */

import type { AgentError, AgentErrorKind } from '../../../participants/agent/agent-error.ts';
import { promptTokens } from '../../../participants/models/index.ts';
import { type AdapterErrorClass, type AdapterFailure, failureOf } from '../../../governed/drivers/attempt/failure.ts';

/** Begins what is wrong with an answer that was read and holds no turn result. */
export const NO_RESULT = 'no turn result:';

export interface Asked {
  readonly provider: string;
  readonly model: string;
  readonly latencyMs: number;
  readonly tries: readonly string[];
  readonly secrets: readonly string[];
}

export function callFailure(error: AgentError, asked: Asked): AdapterFailure {
  const { call, retry_after_ms } = error.details;
  const { tries, secrets } = asked;
  return failureOf(classOf(error), error.message, {
    secrets,
    ...(typeof call?.status === 'number' ? { http_status: call.status } : {}),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(tries.length === 0 ? {} : { tries }),
    adapter_meta: metaOf(error, asked),
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

/** What was used up to then is paid for all the same. */
function metaOf({ details: { call } }: AgentError, { provider, model, latencyMs }: Asked): object {
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
