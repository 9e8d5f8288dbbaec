/** What somebody is about to say in a session: kept until the hub has it, under one key however often it is tried. */

import type { Result } from '../../../core/protocol/operations/operations.ts';
import type { PostParams } from '../../../core/protocol/operations/posting.ts';
import { attempt, type Outcome } from '../../connection/write-operations.ts';
import { store } from '../../state/console-state.ts';

/** Words that are not said yet, and whom they are for: they are kept together, so that no whisper is said aloud. */
export interface MessageDraft {
  readonly text: string;
  /** By id; none = everybody. */
  readonly to: readonly string[];
}

/** Words for so many sessions are kept while the page is open. */
const MAX_SAVED = 50;
const NOTHING: MessageDraft = { text: '', to: [] };
const kept = new Map<string, MessageDraft>();
const keys = new Map<string, { readonly what: string; readonly key: string }>();

/** What somebody typed is not for who signs in after them. */
function own(place: string): string {
  return `${store.get().me?.agent_id ?? ''} ${place}`;
}

/** What was typed and not said yet. */
export function savedDraft(place: string): MessageDraft {
  return kept.get(own(place)) ?? NOTHING;
}

export function saveDraft(place: string, words: MessageDraft): void {
  kept.delete(own(place));
  if (words.text === '' && words.to.length === 0) return;
  kept.set(own(place), words);
  const [oldest] = kept.keys();
  if (kept.size > MAX_SAVED && oldest !== undefined) kept.delete(oldest);
}

/** Whoever comes back to a place while something of it is on its way waits for that too. */
const onTheWay = new Map<string, Promise<Outcome<Result<'post'>>>>();

/** What was sent from a place and is not answered yet. */
export function pendingSend(place: string): Promise<Outcome<Result<'post'>>> | undefined {
  return onTheWay.get(own(place));
}

/** What was typed is another thing now: the same words typed anew are meant anew. */
export function forgetKey(place: string): void {
  keys.delete(own(place));
}

type Said = Pick<PostParams, 'session_id' | 'event_type' | 'event_data' | 'audience'>;

/** The same said again, because nobody knows what became of it, is said once. */
export async function sendMessage(place: string, said: Said): Promise<Outcome<Result<'post'>>> {
  const what = JSON.stringify(said);
  const mine = own(place);
  const before = keys.get(mine);
  const key = before?.what === what ? before.key : crypto.randomUUID();
  keys.set(mine, { what, key });
  const sent = attempt('post', { ...said, idempotency_key: key });
  onTheWay.set(mine, sent);
  const outcome = await sent;
  if (onTheWay.get(mine) === sent) onTheWay.delete(mine);
  if (outcome.ok) keys.delete(mine);
  return outcome;
}
