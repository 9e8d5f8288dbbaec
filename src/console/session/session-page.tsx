/** Page of one session: transcript, composer, replay and inspector. */

import { useEffect } from 'preact/hooks';
import { InviteAnswer } from '../act/invites/invite-answer.tsx';
import { displayState } from '../state/session/open-session.ts';
import { useConsole } from '../state/use-store.ts';
import { AllSessionsLink, Failure } from '../widgets/widgets.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { followSession } from './reading/live-session.ts';
import { showAt } from './reading/replay.ts';
import { ReplayBar } from './replay-bar.tsx';
import { SessionHead } from './session-head.tsx';
import { ParticipantView } from './transcript/participant-view.tsx';
import { Transcript } from './transcript/transcript.tsx';
import { TranscriptFooter } from './transcript-footer.tsx';

interface Props {
  readonly sessionId: string;
  readonly atSeq: number | null;
  readonly as: string | null;
}

export function SessionPage({ sessionId, atSeq, as }: Props) {
  const session = useConsole((state) => (state.session?.id === sessionId ? state.session : null));
  const isKnown = session?.now != null;
  const redactions = session?.now?.redactions;
  const isInvited = useConsole(({ invites, readOnly }) => !readOnly && invites.includes(sessionId));
  // Do not read the session while its invite is pending: invitees may not read it yet.
  useEffect(() => (isInvited ? undefined : followSession(sessionId)), [sessionId, isInvited]);
  useEffect(() => {
    if (isKnown) showAt(sessionId, atSeq, as);
  }, [sessionId, atSeq, as, isKnown, redactions]);

  if (isInvited || session?.refusal != null) {
    return (
      <div class="page">
        {session?.now == null ? <h1>Session</h1> : <SessionHead session={session} state={session.now} />}
        {isInvited ? (
          <InviteAnswer sessionId={sessionId} />
        ) : (
          <Failure title="The hub refused to show this session" why={session?.refusal ?? ''} />
        )}
        <AllSessionsLink />
      </div>
    );
  }
  if (session === null || session.now === null) {
    return (
      <div class="page">
        <h1>Session</h1>
        <p class="dim">Loading…</p>
      </div>
    );
  }
  const { replay } = session;
  const state = displayState(session) ?? session.now;
  return (
    <div class="page session-page">
      <SessionHead session={session} state={state} />
      <div class="session-body">
        <section class="talk" aria-label="Conversation">
          {replay?.as != null ? (
            <ParticipantView replay={replay} state={state} />
          ) : (
            <Transcript key={replay === null ? 'now' : 'then'} session={session} log={replay?.log ?? session.log} />
          )}
          <TranscriptFooter session={session} />
          <ReplayBar session={session} state={session.now} />
        </section>
        <Inspector session={session} state={state} />
      </div>
    </div>
  );
}
