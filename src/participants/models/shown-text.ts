/** Text of a service as errors show it: without secrets, also where it is cut. Pure. */

import { redactSecrets } from '../lib/redact-secrets.ts';

/** Much more than is shown; what is looked through costs time. */
const MOST_READ_CHARS = 16_384;
/** Of less nobody could tell that it is a part of a secret. */
const SHORTEST_PART = 4;

export function shownText(text: string, mostChars: number, secrets: readonly string[]): string {
  const read = text.length > MOST_READ_CHARS ? withoutHalf(text.slice(0, MOST_READ_CHARS), secrets) : text;
  const shown = redactSecrets(read, secrets);
  return shown.length > mostChars ? `${shown.slice(0, mostChars - 1)}…` : shown;
}

/** The cut may have gone through a secret: its first half must go too. */
function withoutHalf(text: string, secrets: readonly string[]): string {
  const halves = secrets.map((secret) => {
    let chars = Math.min(secret.length - 1, text.length);
    while (chars >= SHORTEST_PART && !text.endsWith(secret.slice(0, chars))) chars -= 1;
    return chars < SHORTEST_PART ? 0 : chars;
  });
  return text.slice(0, text.length - Math.max(0, ...halves));
}
