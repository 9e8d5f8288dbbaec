/** Opening a session, once however often it is tried; what was typed is kept until then. */

import { WireError } from '../../core/lib/errors.ts';
import type { CreateParams } from '../../core/records/session/create-params.ts';
import { attempt } from '../connection/write-operations.ts';
import type { CreateDraft } from '../parts/create/create-draft.ts';
import type { FieldError } from '../parts/form/field-errors.ts';

let kept: { readonly by: string; readonly draft: CreateDraft } | null = null;
let tried: { readonly what: string; readonly key: string } | null = null;

/** Of the one who asks: what somebody typed is not for who signs in after them. */
export function savedDraft(me: string): CreateDraft | null {
  return kept?.by === me ? kept.draft : null;
}

export function saveDraft(by: string, draft: CreateDraft): void {
  kept = { by, draft };
}

type OpenResult =
  | { readonly ok: true; readonly sessionId: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export async function openSession(params: CreateParams): Promise<OpenResult> {
  const what = JSON.stringify(params);
  if (tried?.what !== what) tried = { what, key: crypto.randomUUID() };
  // At once: who is invited may take their time, and the page of the session shows it.
  const outcome = await attempt('create_session', { ...params, idempotency_key: tried.key, wait: 'created' });
  if (!outcome.ok) return { ok: false, errors: [fieldError(outcome.thrown, outcome.reason)] };
  kept = null;
  tried = null;
  const { session, warnings } = outcome.answer;
  return { ok: true, sessionId: session.session_id, warnings };
}

/** The hub says `knobs.rounds: expected …` and names the field; what is about no field is about all of it. */
export function fieldError(thrown: unknown, reason: string): FieldError {
  const field = thrown instanceof WireError ? thrown.details?.field : undefined;
  if (!(thrown instanceof WireError) || typeof field !== 'string') return { field: '', message: reason };
  const { message } = thrown;
  return { field, message: message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message };
}
