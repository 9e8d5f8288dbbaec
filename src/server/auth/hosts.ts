/** Checks Host and Origin of a request, so that a web page cannot trick a browser into calling this hub. */

/** The headers checked here. */
interface HostHeaders {
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
}

export interface HostRules {
  /** Host names accepted in addition to the loopback and the bound host. */
  readonly hosts: readonly string[];
  /** Origins of pages accepted in addition to the hub's own address; "*" = any. */
  readonly origins: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Why the request is rejected; null if it is accepted. */
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
  return `Origin: expected a page of this hub or an allowed origin, got ${JSON.stringify(origin)}; allow it with the option "origins"`;
}

function hostnameOf(host: string | undefined): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

/** The address for connecting to this host from this machine: nobody can connect to "every address". */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return /^(0*:)*0*$/.test(host) && host.includes(':') ? '::1' : host;
}

export function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return plain === '::1' || plain === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

const PROXIES: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip']);

/** True if the request passed a proxy: then its loopback address proves nothing. */
export function isForwarded({ headers }: HostHeaders): boolean {
  return Object.keys(headers).some((name) => PROXIES.has(name) || name.startsWith('x-forwarded-'));
}
