/** Provides roving focus: many elements share one Tab stop, and the arrow keys move between them. */

import { useRef, useState } from 'preact/hooks';

interface Focusable {
  focus(): void;
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowRight', 1],
  ['ArrowUp', -1],
  ['ArrowLeft', -1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

export function useRoving(count: number, first: number) {
  const [chosen, choose] = useState<number | null>(null);
  const elements = useRef(new Map<number, Focusable>());
  const stop = chosen === null || chosen >= count ? first : chosen;
  return {
    stop,
    refAt: (i: number) => (element: Focusable | null) => {
      if (element === null) elements.current.delete(i);
      else elements.current.set(i, element);
    },
    onKeyDown(event: KeyboardEvent) {
      const step = STEPS.get(event.key);
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(count - 1, stop + step));
      choose(next);
      elements.current.get(next)?.focus();
    },
  };
}
