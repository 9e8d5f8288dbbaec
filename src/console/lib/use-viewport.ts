/** What of a scrolling element is seen, as it is scrolled and resized; looked at once per frame. */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { Viewport } from './rows-window.ts';

/** null = it is not in the page yet. */
export function useViewport(element: HTMLElement | null): Viewport {
  const [viewport, setViewport] = useState<Viewport>({ top: 0, height: 800 });
  useLayoutEffect(() => {
    if (element === null) return;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const { scrollTop: top, clientHeight: height } = element;
      setViewport((known) => (known.top === top && known.height === height ? known : { top, height }));
    };
    const later = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    element.addEventListener('scroll', later, { passive: true });
    const sizes = new ResizeObserver(later);
    sizes.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', later);
      sizes.disconnect();
    };
  }, [element]);
  return viewport;
}

/** Whether the page is as narrow as a phone: rows are taller then. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useLayoutEffect(() => {
    const query = matchMedia(NARROW);
    const look = (): void => setIsNarrow(query.matches);
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return isNarrow;
}

/** The same width as in the style sheets. */
const NARROW = '(max-width: 760px)';
