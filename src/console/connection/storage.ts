/** Stores settings for this tab and this browser. The token is kept for this tab only, until it is closed. */

import type { Theme } from '../state/console-state.ts';
import type { SignIn } from './sign-in-details.ts';

const TOKEN = 'parley.token';
const NAME = 'parley.name';
const THEME = 'parley.theme';
const READ_ONLY = 'parley.read-only';

export function rememberedSignIn(): { readonly name: string | null; readonly token: string | null } {
  return { token: read(sessionStorage, TOKEN), name: read(sessionStorage, NAME) ?? read(localStorage, NAME) };
}

export function rememberSignIn({ name, token }: SignIn): void {
  write(sessionStorage, TOKEN, token);
  write(sessionStorage, NAME, name);
  write(localStorage, NAME, name);
}

export function rememberToken(token: string): void {
  write(sessionStorage, TOKEN, token);
}

export function forgetSignIn(): void {
  write(sessionStorage, TOKEN, null);
  write(sessionStorage, NAME, null);
}

export function rememberedTheme(): Theme {
  const theme = read(localStorage, THEME);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function rememberTheme(theme: Theme): void {
  write(localStorage, THEME, theme === 'system' ? null : theme);
}

export function rememberedReadOnly(): boolean {
  return read(sessionStorage, READ_ONLY) === 'yes';
}

export function rememberReadOnly(isOn: boolean): void {
  write(sessionStorage, READ_ONLY, isOn ? 'yes' : null);
}

/** Null if the value is not stored, or if the browser forbids storage. */
function read(storage: Storage, key: string): string | null {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
}

function write(storage: Storage, key: string, value: string | null): void {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, value);
  } catch {
    // The browser forbids storage: the page asks again on the next visit.
  }
}
