/** Who takes part, folded away where there are more than leave room for what they say. */

import type { ComponentChildren } from 'preact';
import { useIsNarrow } from '../lib/use-viewport.ts';

const MAX_SHOWN = 12;
const MAX_SHOWN_NARROW = 2;

export function Participants({ count, children }: { count: number; children: ComponentChildren }) {
  const most = useIsNarrow() ? MAX_SHOWN_NARROW : MAX_SHOWN;
  if (count <= most) return <>{children}</>;
  return (
    <details class="folded-people">
      <summary>{count} participants</summary>
      {children}
    </details>
  );
}
