/** Holds the message being written (text, recipients, route) until the hub has accepted it. */

import { useEffect, useState } from 'preact/hooks';
import type { Outcome } from '../../connection/write-operations.ts';
import { forgetKey, type MessageDraft, pendingSend, saveDraft, savedDraft, sendMessage } from './message-draft.ts';
import type { RouteChoice } from './routes.ts';

export interface MessageDraftState {
  readonly draft: MessageDraft;
  readonly route: RouteChoice | undefined;
  /** The person's reason for passing the turn on this route. */
  readonly reason: string;
  readonly isBusy: boolean;
  readonly refusal: string | null;
  change(draft: Partial<MessageDraft>): void;
  choose(routeId: string): void;
  giveReason(reason: string): void;
  /** Resolves when the hub has answered; false if nothing was sent. */
  send(): Promise<boolean>;
}

/** `isMine`: the person has the turn. Getting the turn clears an earlier refusal. */
export function useMessageDraft(sessionId: string, routes: readonly RouteChoice[], isMine: boolean): MessageDraftState {
  const [draft, setDraft] = useState(() => savedDraft(sessionId));
  const [routeId, choose] = useState('');
  const [reason, giveReason] = useState('');
  /** The post still pending from an earlier visit to this page, if any. */
  const [before] = useState(() => pendingSend(sessionId));
  const [isBusy, setBusy] = useState(before !== undefined);
  const [refusal, setRefusal] = useState<string | null>(null);
  const route = routes.find((one) => one.id === routeId);
  useEffect(() => saveDraft(sessionId, draft), [sessionId, draft]);
  useEffect(() => {
    if (isMine) setRefusal(null);
  }, [isMine]);
  const { text, to } = draft;
  const answered = (outcome: Outcome<unknown>): void => {
    setBusy(false);
    if (!outcome.ok) return setRefusal(outcome.reason);
    // Keep the recipients: the next message must not reach more participants unnoticed.
    const rest = { text: '', to };
    // Save even if the person left the page: a sent message must not come back as a draft.
    saveDraft(sessionId, rest);
    setDraft(rest);
    choose('');
    giveReason('');
  };
  useEffect(() => {
    let isCurrent = true;
    void before?.then((outcome) => isCurrent && answered(outcome));
    return () => {
      isCurrent = false;
    };
  }, [before]);
  const send = async (): Promise<boolean> => {
    if (isBusy || (text.trim() === '' && route === undefined)) return false;
    setBusy(true);
    setRefusal(null);
    const content = route?.packet(text, reason.trim()) ?? { event_type: 'msg.text', event_data: { text } };
    const audience = to.length === 0 ? {} : { audience: to };
    answered(await sendMessage(sessionId, { session_id: sessionId, ...content, ...audience }));
    return true;
  };
  const change = (part: Partial<MessageDraft>): void => {
    forgetKey(sessionId);
    setDraft((known) => ({ ...known, ...part }));
  };
  return { draft, route, reason, isBusy, refusal, change, choose, giveReason, send };
}
