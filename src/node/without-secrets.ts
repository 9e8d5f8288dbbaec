/** Takes credentials out of what is about to be written down, wherever in it they are. */

/** Tokens of a hub keep their id, which is no secret. */
const TOKEN = /\b(parley_[0-9a-f]{16}_)[A-Za-z0-9_-]{32,128}/g;
const JWT = /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;
/** Whatever is in it; a sign that ends it is of the text around it. */
const BEARER = /\b(Bearer +)[^\s"']*[^\s"',;]/gi;
/** Members that are secret whatever they look like. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'token',
  'secret',
  'password',
  'passphrase',
  'authorization',
  'auth',
  'cookie',
]);
const HIDDEN = '[secret]';
/** Deeper than anything that is logged. */
const MOST_LEVELS = 8;

export function withoutSecrets<T>(value: T, level = 0): T {
  // The same shape comes back; only texts differ.
  return hidden(value, level) as T;
}

function hidden(value: unknown, level: number): unknown {
  if (typeof value === 'string') {
    return value.replace(TOKEN, `$1${HIDDEN}`).replace(JWT, HIDDEN).replace(BEARER, `$1${HIDDEN}`);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (level === MOST_LEVELS) return HIDDEN;
  if (value instanceof Error) return hidden(value.message, level);
  if (Array.isArray(value)) return value.map((one) => hidden(one, level + 1));
  const members = Object.entries(value).map(([name, member]) => [
    name,
    SECRET_NAMES.has(name.toLowerCase()) ? HIDDEN : hidden(member, level + 1),
  ]);
  return Object.fromEntries(members);
}
