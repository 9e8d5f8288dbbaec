/** Many things, one stop for the Tab key: arrows lead from one to the next. */

import { useRef, useState } from 'preact/hooks';

interface Focusable {
  focus(): void;
}

export interface Roving {
  readonly stop: number;
  refAt(i: number): (element: Focusable | null) => void;
  onKeyDown(event: KeyboardEvent): void;
}

const STEPS: ReadonlyMap<string, (at: number, count: number) => number> = new Map([
  ['ArrowDown', (at: number, count: number) => Math.min(count - 1, at + 1)],
  ['ArrowRight', (at: number, count: number) => Math.min(count - 1, at + 1)],
  ['ArrowUp', (at: number) => Math.max(0, at - 1)],
  ['ArrowLeft', (at: number) => Math.max(0, at - 1)],
  ['Home', () => 0],
  ['End', (_at: number, count: number) => count - 1],
]);

export function useRoving(count: number, first: number): Roving {
  const [chosen, choose] = useState<number | null>(null);
  const elements = useRef(new Map<number, Focusable>());
  const stop = chosen === null || chosen >= count ? first : chosen;
  return {
    stop,
    refAt: (i) => (element) => {
      if (element === null) elements.current.delete(i);
      else elements.current.set(i, element);
    },
    onKeyDown(event) {
      const next = STEPS.get(event.key)?.(stop, count);
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      choose(next);
      elements.current.get(next)?.focus();
    },
  };
}
