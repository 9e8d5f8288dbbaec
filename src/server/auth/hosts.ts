/** Whom a request may be for, and from which page: a browser that was tricked into calling this hub is turned away. */

/** The part of a request that is looked at. */
export interface HostHeaders {
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
}

export interface HostRules {
  /** Host names this hub answers to, beside those of the loopback and the one it is bound to. */
  readonly hosts: readonly string[];
  /** Origins of pages that may use it, beside pages of its own address; "*" = any. */
  readonly origins: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Why the request is turned away; null = it is not. */
export function hostRefusal(request: HostHeaders, bound: string, rules: HostRules): string | null {
  const host = hostnameOf(request.headers.host);
  const known = [...LOOPBACK, bracketed(bound), ...rules.hosts.map((name) => name.toLowerCase())];
  if (host === null || !known.includes(host)) {
    return `Host: expected one of ${known.join(', ')}, got ${JSON.stringify(request.headers.host ?? null)}; allow it with the option "hosts"`;
  }
  return originRefusal(request.headers.origin, request.headers.host ?? '', rules);
}

function originRefusal(origin: string | undefined, host: string, { origins }: HostRules): string | null {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return null;
  if (origin === `http://${host}` || origin === `https://${host}`) return null;
  return `Origin: expected a page of this hub or one that was allowed, got ${JSON.stringify(origin)}; allow it with the option "origins"`;
}

function hostnameOf(host: string | undefined): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

/** Where a port of this host is reached on this machine: "every address" is none to call. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return /^(0*:)*0*$/.test(host) && host.includes(':') ? '::1' : host;
}

export function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return plain === '::1' || plain === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

const PROXIES: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip']);

/** It came through a proxy: what looks like the loopback may be anybody. */
export function isForwarded({ headers }: HostHeaders): boolean {
  return Object.keys(headers).some((name) => PROXIES.has(name) || name.startsWith('x-forwarded-'));
}
