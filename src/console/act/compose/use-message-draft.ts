/** What is about to be said: the words, for whom, and where the turn goes with them; kept until the hub has it. */

import { useEffect, useState } from 'preact/hooks';
import type { Outcome } from '../../connection/write-operations.ts';
import { forgetKey, type MessageDraft, pendingSend, saveDraft, savedDraft, sendMessage } from './message-draft.ts';
import type { RouteChoice } from './routes.ts';

export interface MessageDraftState {
  readonly words: MessageDraft;
  readonly route: RouteChoice | undefined;
  /** Why the turn goes there. */
  readonly reason: string;
  readonly isBusy: boolean;
  /** What the hub said against it; null = nothing. */
  readonly refusal: string | null;
  change(words: Partial<MessageDraft>): void;
  choose(routeId: string): void;
  giveReason(reason: string): void;
  /** Resolves when the hub has answered; false = there was nothing to say. */
  send(): Promise<boolean>;
}

/** `isMine`: who speaks has the turn. What was refused before is not refused any more when it comes. */
export function useMessageDraft(sessionId: string, routes: readonly RouteChoice[], isMine: boolean): MessageDraftState {
  const [words, setWords] = useState(() => savedDraft(sessionId));
  const [routeId, choose] = useState('');
  const [reason, giveReason] = useState('');
  /** What was sent before a look elsewhere, and was not answered then. */
  const [before] = useState(() => pendingSend(sessionId));
  const [isBusy, setBusy] = useState(before !== undefined);
  const [refusal, setRefusal] = useState<string | null>(null);
  const route = routes.find((one) => one.id === routeId);
  useEffect(() => saveDraft(sessionId, words), [sessionId, words]);
  useEffect(() => {
    if (isMine) setRefusal(null);
  }, [isMine]);
  const { text, to } = words;
  const answered = (outcome: Outcome<unknown>): void => {
    setBusy(false);
    if (!outcome.ok) return setRefusal(outcome.reason);
    // Whom it is for stays, and is to be seen: what comes next may not be for more than those.
    const rest = { text: '', to };
    // Also if nobody looks any more: what was said is not offered to be said again.
    saveDraft(sessionId, rest);
    setWords(rest);
    choose('');
    giveReason('');
  };
  useEffect(() => {
    let counts = true;
    void before?.then((outcome) => counts && answered(outcome));
    return () => {
      counts = false;
    };
  }, [before]);
  const send = async (): Promise<boolean> => {
    if (isBusy || (text.trim() === '' && route === undefined)) return false;
    setBusy(true);
    setRefusal(null);
    const said = route?.packet(text, reason.trim()) ?? { event_type: 'msg.text', event_data: { text } };
    const audience = to.length === 0 ? {} : { audience: to };
    answered(await sendMessage(sessionId, { session_id: sessionId, ...said, ...audience }));
    return true;
  };
  const change = (changed: Partial<MessageDraft>): void => {
    forgetKey(sessionId);
    setWords((before) => ({ ...before, ...changed }));
  };
  return { words, route, reason, isBusy, refusal, change, choose, giveReason, send };
}
