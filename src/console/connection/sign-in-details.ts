/** Sign-in details from the address or the form. Pure. */

export interface SignIn {
  readonly name: string;
  /** Null = try without one. */
  readonly token: string | null;
}

/** Sign-in details found in the fragment, which the page then removes. */
export interface FromAddress {
  readonly token: string | null;
  readonly name: string | null;
  /** The fragment to show instead; undefined = it had no sign-in details. */
  readonly cleaned: string | undefined;
}

/** Parses `#token=…` with optional `&name=…` and `&to=/hub`, or `#name=…`. Browsers never send a fragment to a server. */
export function fromFragment(fragment: string): FromAddress {
  const text = fragment.replace(/^#/, '');
  const hasDetails = /(^|&)token=/.test(text) || /^name=/.test(text);
  if (!hasDetails) return { token: null, name: null, cleaned: undefined };
  const params = new URLSearchParams(text);
  const to = params.get('to') ?? '/';
  const token = params.get('token')?.trim() ?? '';
  return {
    token: token === '' ? null : token,
    name: params.get('name')?.trim() || null,
    cleaned: /^\/[\w/?=&%.,-]*$/.test(to) ? `#${to}` : '#/',
  };
}

export function isReadOnlyAsked(search: string): boolean {
  const value = new URLSearchParams(search).get('read-only');
  return value !== null && value !== 'false' && value !== '0';
}

/** Null = no problem that the page can detect. */
export function nameProblem(name: string): string | null {
  return name.trim() === '' ? 'Enter a name: the hub identifies every participant by name.' : null;
}
