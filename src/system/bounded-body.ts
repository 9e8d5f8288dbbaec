/** What a service answered, as far as anybody wants it, and why one did not answer. */

import { asError } from '../core/lib/errors.ts';

/** null = there is more of it. */
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

/** The reason is often one further down: fetch itself only says that it failed. */
export function reasonOf(error: Error): string {
  return error.cause === undefined ? error.message : `${error.message}: ${asError(error.cause).message}`;
}
