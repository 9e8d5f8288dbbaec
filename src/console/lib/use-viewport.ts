/** Tracks the visible part of a scrolling element, at most once per frame. */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { Viewport } from './rows-window.ts';

/** `element` is null until it is mounted. */
export function useViewport(element: HTMLElement | null): Viewport {
  const [viewport, setViewport] = useState<Viewport>({ top: 0, height: 800 });
  useLayoutEffect(() => {
    if (element === null) return;
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      const { scrollTop: top, clientHeight: height } = element;
      setViewport((known) => (known.top === top && known.height === height ? known : { top, height }));
    };
    const measureLater = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    element.addEventListener('scroll', measureLater, { passive: true });
    const sizes = new ResizeObserver(measureLater);
    sizes.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', measureLater);
      sizes.disconnect();
    };
  }, [element]);
  return viewport;
}

/** True on a narrow page, where rows are taller. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useLayoutEffect(() => {
    const query = matchMedia(NARROW);
    const update = (): void => setIsNarrow(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, []);
  return isNarrow;
}

/** Must match the width in the style sheets. */
const NARROW = '(max-width: 760px)';
