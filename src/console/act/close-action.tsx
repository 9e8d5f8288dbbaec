/** Renders the button that closes a session after asking for a reason. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt, refusalOf } from '../connection/write-operations.ts';
import { AskDialog } from './ask-dialog.tsx';

export function CloseAction({ sessionId, isOffered }: { sessionId: string; isOffered: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const wasOffered = useRef(isOffered);
  // If the focused button disappears, move the focus to the main element.
  useEffect(() => {
    const isGone = wasOffered.current && !isOffered;
    wasOffered.current = isOffered;
    if (isGone && document.activeElement === document.body) document.getElementById('main')?.focus();
  }, [isOffered]);
  const close = (reason: string): Promise<string | null> =>
    refusalOf(attempt('close_session', { session_id: sessionId, reason: reason || undefined }));
  if (!isOffered && !isOpen) return null;
  return (
    <>
      <button type="button" class="close-session" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Close the session
      </button>
      {isOpen && (
        <AskDialog
          title="Close this session?"
          choices={[{ label: 'Close it', look: 'primary', run: close }]}
          onClose={() => setOpen(false)}
        >
          <p class="dim">No more messages can be sent. Connected participants still receive what was sent before.</p>
        </AskDialog>
      )}
    </>
  );
}
