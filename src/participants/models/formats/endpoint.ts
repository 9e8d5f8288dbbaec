/** Checks the address of a model and builds its headers. Keys never appear in errors. Pure. */

import type { LlmProvider } from '../client/provider.ts';
import type { ModelFormat } from './model-format.ts';

export interface Endpoint {
  readonly url: string;
  /** For errors: without the query. */
  readonly shownUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** Why the key cannot be sent; null if it can, or there is none. Reported at the first call, not on creation. */
  readonly keyProblem: string | null;
}

const ADDRESS = /^(https?:\/\/)([^/?#\s]+)(\/[^?#\s]*)?(\?[^#\s]*)?$/i;
const ONE_LINE = 'expected one line of visible ASCII characters';
/** Shorter keys are placeholders such as `none`; hiding them would spoil every text. */
const SHORTEST_SECRET = 6;

/** Throws a TypeError that shows no secret values. */
export function resolveEndpoint(
  { baseUrl, apiKey = '', headers = {}, model }: LlmProvider,
  format: Pick<ModelFormat, 'path' | 'headers' | 'authorise'>,
): Endpoint {
  const [, scheme = '', host = '', base = '', query = ''] = ADDRESS.exec(baseUrl) ?? [];
  if (host === '') throw new TypeError('baseUrl: expected an http or https address such as https://api.example.com/v1');
  if (host.includes('@')) throw new TypeError('baseUrl: expected no user and password; pass the key as apiKey');
  if (typeof model !== 'string' || model === '') throw new TypeError('model: expected the name of a model');
  const hasKey = apiKey !== '' && isHeaderValue(apiKey);
  const wrong = Object.entries(headers).find(([, value]) => !isHeaderValue(value));
  if (wrong !== undefined) throw new TypeError(`headers.${wrong[0]}: ${ONE_LINE}`);
  const shownUrl = `${scheme}${host}${base.replace(/\/+$/, '')}${format.path}`;
  const own = { 'content-type': 'application/json', accept: 'text/event-stream, application/json' };
  return {
    url: `${shownUrl}${query}`,
    shownUrl,
    headers: { ...own, ...format.headers, ...(hasKey ? format.authorise(apiKey) : {}), ...lowerCase(headers) },
    secrets: secretsOf([apiKey, ...secretHeaders(headers), ...secretQuery(query)]),
    keyProblem: hasKey || apiKey === '' ? null : `the apiKey cannot be sent: ${ONE_LINE}`,
  };
}

/** Each value raw, JSON-escaped and URL-encoded; longest first, so that none is redacted only in part. */
function secretsOf(values: readonly string[]): readonly string[] {
  const long = values.filter(({ length }) => length >= SHORTEST_SECRET);
  const written = long.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
  return [...new Set(written)].sort((a, b) => b.length - a.length);
}

/** Checked here because the platform's own error would quote the value. */
function isHeaderValue(value: string): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value) && value.trim() === value;
}

/** Header names ignore case: configured headers override ours. */
function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function secretHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  const secret = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie/i.test(name));
  return secret.flatMap(([, value]) => [value, value.replace(/^\w+ /, '')]);
}

function secretQuery(query: string): readonly string[] {
  const pairs = query.slice(1).split('&');
  return pairs
    .map((pair) => pair.split('='))
    .flatMap(([name = '', value = '']) => {
      return /key|token|secret|sig/i.test(name) ? [value] : [];
    });
}
