/** Reads the errors of services, each of which has its own shape. Pure. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { asObject, objectAt, parseJson, textAt } from '../../lib/read-json.ts';
import type { ApiError } from '../client/failure.ts';

const MAX_WORD_CHARS = 100;

/** Parses the body of a failed request, which may be anything, such as a proxy's HTML page. */
export function parseErrorBody(body: string): ApiError {
  const holder = asObject(parseJson(body));
  const said = holder === null ? null : findApiError(holder);
  if (said !== null) return said;
  const text = body.replace(/<[^>]{0,1000}>/g, ' ').replace(/\s+/g, ' ');
  return { message: text.trim(), words: [], param: null };
}

/** `{error: {type, code, message}}` and similar shapes; null when the body reports no error. */
export function findApiError(holder: JsonObject): ApiError | null {
  const error = holder.error;
  if (typeof error === 'string') return { message: error, words: [], param: null };
  const inner = asObject(error);
  if (inner !== null) return read(inner);
  // FastAPI, used by many local servers, calls it `detail`.
  const detail = holder.detail ?? holder.message;
  if (detail === undefined) return null;
  const message = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return { message, words: wordsOf(holder.type, holder.code), param: null };
}

/** Parses an event that is itself an error: `{type: "error", code, message}`. */
export function parseErrorEvent(event: JsonObject): ApiError {
  const inner = objectAt(event, 'error');
  return inner === null ? read({ ...event, type: null }) : read(inner);
}

function read(error: JsonObject): ApiError {
  const { type, code, status } = error;
  const detail = objectAt(error, 'details')?.error_code;
  return {
    message: textAt(error, 'message') ?? '',
    words: wordsOf(type, status, code, detail),
    param: textAt(error, 'param'),
  };
}

function wordsOf(...given: readonly (Json | undefined)[]): readonly string[] {
  const words = given.flatMap((word) =>
    (typeof word === 'string' && word !== '') || typeof word === 'number'
      ? [String(word).slice(0, MAX_WORD_CHARS)]
      : [],
  );
  return [...new Set(words)];
}
