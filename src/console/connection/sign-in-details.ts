/** Who signs in with what: taken from the address, from what this tab remembers, or from the form. Pure. */

export interface SignIn {
  readonly name: string;
  /** null = the hub may need none. */
  readonly token: string | null;
}

/** What the address brought along; its fragment is then taken away. */
export interface FromAddress {
  readonly token: string | null;
  readonly name: string | null;
  /** The fragment without these; undefined = there was none of them in it. */
  readonly cleaned: string | undefined;
}

/** `#token=…`, also with `&name=…` and `&to=/hub`, or a name alone. Only a fragment: it is never sent to a server. */
export function fromFragment(fragment: string): FromAddress {
  const text = fragment.replace(/^#/, '');
  const isBrought = /(^|&)token=/.test(text) || /^name=/.test(text);
  if (!isBrought) return { token: null, name: null, cleaned: undefined };
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

/** What is wrong with a name, in words; null = nothing that can be seen from here. */
export function nameProblem(name: string): string | null {
  return name.trim() === '' ? 'A name is needed: the hub knows everybody by one.' : null;
}
