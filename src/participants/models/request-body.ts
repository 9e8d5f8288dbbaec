/** The text of a request: what the API wants, then what the user adds or takes away. Pure. */

import type { Served } from './calls/call-model.ts';
import type { ModelRequest } from './client/model-client.ts';

export function requestBody({ format, settings }: Pick<Served, 'format' | 'settings'>, request: ModelRequest): string {
  const { model, maxTokens, temperature, stream = true, body = {} } = settings;
  const own = format.body(request, { model, maxTokens, temperature, stream });
  const fields = Object.entries({ ...own, ...body }).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(fields));
}
