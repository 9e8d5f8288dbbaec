/** The keys of an issuer, over HTTP. */

import { readBoundedText } from '../../system/bounded-body.ts';

/** A set of a hundred large keys. */
export const MAX_KEY_BYTES: number = 256 * 1024;
/** From the question to the last byte of the answer. */
export const KEYS_TIMEOUT_MS = 5_000;

/** Fetches an issuer's keys without reading an answer that is too large. */
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
  if (text === null) throw new Error(`the keys at ${url} have over ${MAX_KEY_BYTES} bytes`);
  return text;
}
