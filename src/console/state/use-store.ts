/** Hook that reads the store; the component renders again when the selected value changes. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ConsoleState, store } from './console-state.ts';

export function useConsole<Selected>(select: (state: ConsoleState) => Selected): Selected {
  const selected = select(store.get());
  const latest = useRef({ select, selected });
  latest.current = { select, selected };
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const check = (): void => {
      const { current } = latest;
      if (!Object.is(current.select(store.get()), current.selected)) redraw((times) => times + 1);
    };
    // The state may have changed between rendering and subscribing.
    check();
    return store.subscribe(check);
  }, []);
  return selected;
}
