/** The newest of many, and a button for the others: a long run must not make a long page. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

const STEP = 20;

export interface ShownPart<Item> {
  /** Newest first. */
  readonly shown: readonly Item[];
  readonly more: VNode | null;
}

export function useShownPart<Item>(items: readonly Item[], what: string): ShownPart<Item> {
  const [count, setCount] = useState(STEP);
  const hidden = Math.max(0, items.length - count);
  const more =
    hidden === 0 ? null : (
      <button type="button" class="form-button" onClick={() => setCount(count + STEP * 5)}>
        {`Show ${hidden} earlier ${what}`}
      </button>
    );
  return { shown: items.slice(hidden).toReversed(), more };
}
