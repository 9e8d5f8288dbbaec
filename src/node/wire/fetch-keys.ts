/** Fetches the keys of an issuer: an answer that is too large is not read to its end. */

import { Buffer } from 'node:buffer';

/** A set of a hundred large keys. */
export const MOST_KEY_BYTES: number = 256 * 1024;
/** From the question to the last byte of the answer. */
export const KEYS_WITHIN_MS = 5_000;

export async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  return new Response(await textOf(response, url), { status: response.status, headers: response.headers });
}

async function textOf({ body, status }: Response, url: string): Promise<string | null> {
  if (body === null || status !== 200) {
    await body?.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // What is left when this throws is not read: the loop cancels it.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MOST_KEY_BYTES) throw new Error(`the keys at ${url} have over ${MOST_KEY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
