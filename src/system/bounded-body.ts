/** Reads responses of services up to a size, and explains failed requests. */

import { asError } from '../core/lib/errors.ts';

/** null if the response is larger than `maxBytes`. */
export async function readBoundedText(response: Response, maxBytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    // Leaving the loop ends the request.
    if (bytes > maxBytes) return null;
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** The error's message with its cause, because `fetch` itself says only that it failed. */
export function reasonOf(error: Error): string {
  return error.cause === undefined ? error.message : `${error.message}: ${asError(error.cause).message}`;
}
