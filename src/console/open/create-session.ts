/** Opening a session, once however often it is tried; what was typed is kept until then. */

import type { CreateParams } from '../../core/operations.ts';
import { attempt } from '../connection/write-operations.ts';
import type { CreateDraft } from '../parts/create/create-draft.ts';
import type { FieldError } from '../parts/form/field-errors.ts';
import { fieldError } from './field-error.ts';

let kept: { readonly by: string; readonly draft: CreateDraft } | null = null;
let tried: { readonly what: string; readonly key: string } | null = null;

/** Of the one who asks: what somebody typed is not for who signs in after them. */
export function keptDraft(me: string): CreateDraft | null {
  return kept?.by === me ? kept.draft : null;
}

export function keepDraft(by: string, draft: CreateDraft): void {
  kept = { by, draft };
}

export type Opened =
  | { readonly ok: true; readonly sessionId: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export async function openSession(params: CreateParams): Promise<Opened> {
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
