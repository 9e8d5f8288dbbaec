/** Creates a session, only once despite retries, and keeps the draft of the form until then. */

import { WireError } from '../../core/lib/errors.ts';
import type { CreateParams } from '../../core/records/session/create-params.ts';
import { attempt } from '../connection/write-operations.ts';
import type { CreateDraft } from '../parts/create/create-draft.ts';
import type { FieldError } from '../parts/form/field-errors.ts';

let saved: { readonly by: string; readonly draft: CreateDraft } | null = null;
let tried: { readonly content: string; readonly key: string } | null = null;

/** Null for an identity other than the one that wrote the draft, which must not see it. */
export function savedDraft(me: string): CreateDraft | null {
  return saved?.by === me ? saved.draft : null;
}

export function saveDraft(by: string, draft: CreateDraft): void {
  saved = { by, draft };
}

type OpenResult =
  | { readonly ok: true; readonly sessionId: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export async function openSession(params: CreateParams): Promise<OpenResult> {
  const content = JSON.stringify(params);
  if (tried?.content !== content) tried = { content, key: crypto.randomUUID() };
  // Do not wait until invitees answer: the page of the session shows their status.
  const outcome = await attempt('create_session', { ...params, idempotency_key: tried.key, wait: 'created' });
  if (!outcome.ok) return { ok: false, errors: [fieldError(outcome.thrown, outcome.reason)] };
  saved = null;
  tried = null;
  const { session, warnings } = outcome.answer;
  return { ok: true, sessionId: session.session_id, warnings };
}

/** Maps the hub's error, such as `knobs.rounds: expected …`, to its field; without one, to the whole form. */
export function fieldError(thrown: unknown, reason: string): FieldError {
  const field = thrown instanceof WireError ? thrown.details?.field : undefined;
  if (!(thrown instanceof WireError) || typeof field !== 'string') return { field: '', message: reason };
  const { message } = thrown;
  return { field, message: message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message };
}
