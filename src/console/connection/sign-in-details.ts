/** Parses and checks sign-in details from the address or the form. Pure. */

export interface SignIn {
  readonly name: string;
  /** Null to sign in without a token. */
  readonly token: string | null;
}

/** Sign-in details found in the fragment, which the page then removes. */
export interface FromAddress {
  readonly token: string | null;
  readonly name: string | null;
  /** The fragment to show instead; undefined if the given one has no sign-in details. */
  readonly cleaned: string | undefined;
}

/** Parses `#name=…` or `#token=…` with optional `&name=…` and `&to=/hub`. Servers never receive a fragment. */
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

/** Why the name cannot be used; null if the page finds no problem. */
export function nameProblem(name: string): string | null {
  return name.trim() === '' ? 'Enter a name: the hub identifies every participant by name.' : null;
}
