/** Stores message drafts until the hub accepts them. Every retry of a message uses the same idempotency key. */

import type { Result } from '../../../core/protocol/operations/operations.ts';
import type { PostParams } from '../../../core/protocol/operations/posting.ts';
import { attempt, type Outcome } from '../../connection/write-operations.ts';
import { store } from '../../state/console-state.ts';

/** Keeps text and recipients together, so that a restored whisper is never sent to everyone. */
export interface MessageDraft {
  readonly text: string;
  /** Agent ids of the recipients; empty for everyone. */
  readonly to: readonly string[];
}

/** Maximum number of drafts kept while the page is open. */
const MAX_SAVED = 50;
const EMPTY: MessageDraft = { text: '', to: [] };

type SendOutcome = Promise<Outcome<Result<'post'>>>;

const drafts = new Map<string, MessageDraft>();
const keys = new Map<string, { readonly content: string; readonly key: string }>();
const pending = new Map<string, SendOutcome>();

/** Includes the identity in the key: the next identity to sign in must not see these drafts. */
function ownKey(place: string): string {
  return `${store.get().me?.agent_id ?? ''} ${place}`;
}

export function savedDraft(place: string): MessageDraft {
  return drafts.get(ownKey(place)) ?? EMPTY;
}

export function saveDraft(place: string, draft: MessageDraft): void {
  drafts.delete(ownKey(place));
  if (draft.text === '' && draft.to.length === 0) return;
  drafts.set(ownKey(place), draft);
  const [oldest] = drafts.keys();
  if (drafts.size > MAX_SAVED && oldest !== undefined) drafts.delete(oldest);
}

/** The pending post from this place; undefined if there is none. A page opened again waits for it. */
export function pendingSend(place: string): SendOutcome | undefined {
  return pending.get(ownKey(place));
}

/** Discards the idempotency key after an edit: the edited message is new, even if its text is the same. */
export function forgetKey(place: string): void {
  keys.delete(ownKey(place));
}

type Message = Pick<PostParams, 'session_id' | 'event_type' | 'event_data' | 'audience'>;

/** Posts a message. Sending the same content again after an unknown outcome does not post it twice. */
export async function sendMessage(place: string, message: Message): SendOutcome {
  const content = JSON.stringify(message);
  const mine = ownKey(place);
  const before = keys.get(mine);
  const key = before?.content === content ? before.key : crypto.randomUUID();
  keys.set(mine, { content, key });
  const sent = attempt('post', { ...message, idempotency_key: key });
  pending.set(mine, sent);
  const outcome = await sent;
  if (pending.get(mine) === sent) pending.delete(mine);
  if (outcome.ok) keys.delete(mine);
  return outcome;
}
