/** What the person is told about what they did. */

import { Line } from './text/untrusted-text.tsx';
import { dismiss } from './state/notice-actions.ts';
import { useConsole } from './state/use-store.ts';

export function Notices() {
  const notices = useConsole((state) => state.notices);
  return (
    <div class="notices" role="status">
      {notices.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <Line text={text} most={400} />
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
