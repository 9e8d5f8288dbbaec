/** Classifies a tool's status or error message. Never pass text written by a model. */

import type { AgentErrorKind } from '../../agent/agent-error.ts';

export function kindOfStatus(status: number): AgentErrorKind | null {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'budget_exceeded';
  if (status === 429) return 'rate_limited';
  if (status === 408) return 'network';
  if (status >= 500 && status <= 599) return 'overloaded';
  return status >= 400 && status <= 499 ? 'invalid_request' : null;
}

/** Keywords take precedence over a status, because they say more. */
export function kindOfText(text: string): AgentErrorKind | null {
  const worded = words.find(([, pattern]) => pattern.test(text));
  if (worded !== undefined) return worded[0];
  const status = statusIn.exec(text)?.[1];
  return status === undefined ? null : kindOfStatus(Number(status));
}

export function parseRetryAfterMs(text: string): number | null {
  const found = retryAfter.exec(text);
  if (found === null) return null;
  const unit = found[2]?.toLowerCase() ?? 's';
  const factor = unit === 'ms' ? 1 : unit.startsWith('m') ? 60_000 : 1_000;
  return Math.round(Number(found[1]) * factor);
}

// Order matters: an exhausted account also reports 429, but waiting does not help.
const words: readonly (readonly [AgentErrorKind, RegExp])[] = [
  [
    'budget_exceeded',
    /insufficient_quota|credit balance|billing_error|spend_limit|maximum budget|maximum number of turns/i,
  ],
  [
    'auth',
    /not logged in|please run \/login|invalid (x-)?api[ -]?key|incorrect api key|api key (is )?(not|missing|required)|authentication[_ ]?(error|failed|required)|unauthori[sz]ed|unauthenticated|permission_error|missing environment variable|invalid auth method|login required|not authenticate/i,
  ],
  ['rate_limited', /rate[_ -]?limit|too many requests|RESOURCE_EXHAUSTED|usage limit|quota exceeded/i],
  ['overloaded', /overloaded|high demand|service unavailable|internal ?server ?error|bad gateway|\bUNAVAILABLE\b/i],
  [
    'network',
    /ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE|connection (refused|reset|error)|connect error|waiting for network|network error|fetch failed|getaddrinfo|unable to connect|APIConnectionError|stream disconnected/i,
  ],
  [
    'invalid_request',
    /invalid_request|invalid request|badrequest|input_too_large|prompt is too long|context[_ ](length|window)|too many tokens|unknown (option|argument)|unexpected argument|workspace trust|trusted (directory|folder)|model.{0,60}(not found|not supported|does not exist)/i,
  ],
];
const statusIn = /\b(?:status(?: code)?|http|api error|error|code)\b[^0-9\n]{0,16}([45]\d\d)\b/i;
const retryAfter = /(?:retry|try again)[^0-9\n]{0,24}(\d{1,9}(?:\.\d{1,6})?)\s{0,3}(ms|s|m)?/i;
