/** Changes the settings of the page: theme and read-only mode. */

import { type Theme, update } from '../state/console-state.ts';
import { reconnect, setAcking } from './hub-client.ts';
import { rememberReadOnly, rememberTheme } from './storage.ts';
import { hasPendingWrite } from './write-operations.ts';

export function setTheme(theme: Theme): void {
  rememberTheme(theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  update(() => ({ theme }));
}

export function setReadOnly(readOnly: boolean): void {
  rememberReadOnly(readOnly);
  setAcking(!readOnly);
  update(() => ({ readOnly }));
  // Drop pending writes: they would otherwise be sent when the hub is reachable again.
  if (readOnly && hasPendingWrite()) reconnect();
}
