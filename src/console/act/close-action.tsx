/** Closing a session: it asks first, and takes a reason. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt } from '../connection/write-operations.ts';
import { AskDialog } from './ask-dialog.tsx';

export function CloseAction({ sessionId, isOffered }: { sessionId: string; isOffered: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const wasOffered = useRef(isOffered);
  // The button goes with what it was for, and the focus that it had with it.
  useEffect(() => {
    const isGone = wasOffered.current && !isOffered;
    wasOffered.current = isOffered;
    if (isGone && document.activeElement === document.body) document.getElementById('main')?.focus();
  }, [isOffered]);
  const close = async (reason: string): Promise<string | null> => {
    const outcome = await attempt('close_session', {
      session_id: sessionId,
      reason: reason === '' ? undefined : reason,
    });
    return outcome.ok ? null : outcome.reason;
  };
  if (!isOffered && !isOpen) return null;
  return (
    <>
      <button type="button" class="close-session" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Close the session
      </button>
      {isOpen && (
        <AskDialog
          title="Close this session?"
          choices={[{ words: 'Close it', isMain: true, run: close }]}
          onClose={() => setOpen(false)}
        >
          <p class="dim">Nothing more is taken from then on; those present still get what was said.</p>
        </AskDialog>
      )}
    </>
  );
}
