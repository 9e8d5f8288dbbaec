/** What a hook answers: a JSON object with a verdict, within bounds. */

import { parsedJson } from '../parsed-json.ts';
import { ROLE_ID } from '../engine/lib/patterns.ts';
import { isMissing, isOneOf, isRecord, isTextOrNothing } from '../engine/lib/unknown-record.ts';
import { type Annotation, type HookAnswer, VERDICTS } from '../engine/hooks/hook.ts';

export const MAX_ANNOTATIONS = 16;
export const MAX_ANNOTATION_CHARS = 1_000;

/** A text says what is wrong with it. */
export function readAnswer(text: string): HookAnswer | string {
  const given = parsedJson(text);
  if (!isRecord(given)) return 'output: expected one JSON object';
  const { verdict, message, annotations } = given;
  if (!isOneOf(VERDICTS, verdict)) return `verdict: expected one of ${VERDICTS.join(', ')}`;
  if (!isTextOrNothing(message)) return 'message: expected a text';
  if (isMissing(annotations)) return { verdict, message: message ?? null, annotations: [] };
  if (!Array.isArray(annotations) || annotations.length > MAX_ANNOTATIONS) {
    return `annotations: expected a list of at most ${MAX_ANNOTATIONS}`;
  }
  const wrong = annotations.findIndex((one) => !isAnnotation(one));
  if (wrong !== -1) {
    return `annotations[${wrong}]: expected {key, value}, a key of a-z, 0-9, _ and -, a value of at most ${MAX_ANNOTATION_CHARS} characters`;
  }
  return { verdict, message: message ?? null, annotations: annotations.map(({ key, value }) => ({ key, value })) };
}

function isAnnotation(value: unknown): value is Annotation {
  if (!isRecord(value) || typeof value.key !== 'string' || typeof value.value !== 'string') return false;
  return ROLE_ID.test(value.key) && value.value.length <= MAX_ANNOTATION_CHARS;
}
