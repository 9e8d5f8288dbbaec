/** How a component reads the store: it is drawn again when what it selected is another value. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ConsoleState, store } from './console-state.ts';

export function useConsole<Selected>(select: (state: ConsoleState) => Selected): Selected {
  const selected = select(store.get());
  const latest = useRef({ select, selected });
  latest.current = { select, selected };
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const look = (): void => {
      const { current } = latest;
      if (!Object.is(current.select(store.get()), current.selected)) redraw((times) => times + 1);
    };
    // Something may have changed between drawing and listening.
    look();
    return store.subscribe(look);
  }, []);
  return selected;
}
