/** Fetches an issuer's keys, up to a size limit. Separate from jwt.ts, whose declarations must not need web types. */

import { readBoundedText } from '../../system/bounded-body.ts';

/** Size limit of a key set; fits a hundred large keys. */
export const MAX_KEY_BYTES: number = 256 * 1024;
export async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  return new Response(await textOf(response, url), { status: response.status, headers: response.headers });
}

async function textOf(response: Response, url: string): Promise<string | null> {
  if (response.body === null || response.status !== 200) {
    await response.body?.cancel();
    return null;
  }
  const text = await readBoundedText(response, MAX_KEY_BYTES);
  if (text === null) throw new Error(`the keys at ${url} exceed ${MAX_KEY_BYTES} bytes`);
  return text;
}
