/** What the status of a service that was asked over HTTP says, and why no answer came. */

import { asError } from '../../../core/lib/errors.ts';
import type { AdapterErrorClass } from '../../../governed/drivers/attempt/failure.ts';

export function classOfStatus(status: number): AdapterErrorClass {
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 401 || status === 403) return 'auth_failure';
  if (status === 408) return 'network_failure';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'provider_overloaded';
  return status >= 500 ? 'unknown_api_error' : 'invalid_request';
}

/** The reason is often one further down: fetch itself only says that it failed. */
export function reasonOf(thrown: unknown): string {
  const error = asError(thrown);
  if (error.cause === undefined) return error.message;
  const cause = asError(error.cause);
  return `${error.message}: ${cause.message || cause.name}`;
}

/** Without what a person may have written into it. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

export function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** What may be secret in an address. */
export function secretsInUrl(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  return [password, ...searchParams.values()].filter(({ length }) => length >= 4);
}
