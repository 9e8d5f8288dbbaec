/** Going somewhere in the console: the address says where, and the back button leads back. */

import { update } from './console-state.ts';
import { hrefOf, parseRoute, type Route } from './route.ts';

export function go(route: Route, { replace = false }: { replace?: boolean } = {}): void {
  const href = hrefOf(route);
  if (replace) {
    history.replaceState(null, '', href);
    follow();
  } else location.hash = href;
}

/** Takes the address as it is. */
export function follow(): void {
  update(() => ({ route: parseRoute(location.hash) }));
}
