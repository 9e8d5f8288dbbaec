/** What the person is told about what they did. */

import { dismissNotice } from './state/notice-actions.ts';
import { useConsole } from './state/use-store.ts';
import { Line } from './text/untrusted-text.tsx';

export function Notices() {
  const notices = useConsole((state) => state.notices);
  return (
    <div class="notices" role="status">
      {notices.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <Line text={text} most={400} />
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismissNotice(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
