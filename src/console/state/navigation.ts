/** Navigates within the console through the address, so that the back button works. */

import { update } from './console-state.ts';
import { hrefOf, parseRoute, type Route } from './route.ts';

export function go(route: Route, { replace = false }: { replace?: boolean } = {}): void {
  const href = hrefOf(route);
  if (replace) {
    history.replaceState(null, '', href);
    follow();
  } else location.hash = href;
}

/** Updates the state from the address. */
export function follow(): void {
  update(() => ({ route: parseRoute(location.hash) }));
}
