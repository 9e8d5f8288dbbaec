/** Paths as text: made canonical before the engine decides anything by them. */

export function canonicalAll(paths: readonly string[]): readonly string[] {
  return paths.map((path) => canonicalPath(path) ?? path);
}

/** What belongs to the run itself. */
const RESERVED = '.agentxchain';
/** In there, what reviewers may write. */
const REVIEWS = '.agentxchain/reviews/';
const PLANNING = '.planning/';

/** `./a//b/../c` → `a/c`; null for a path that is absolute, leaves the project or names nothing. */
export function canonicalPath(path: string): string | null {
  const plain = path.trim().normalize('NFC').replaceAll('\\', '/');
  if (plain === '' || plain.startsWith('/') || /^[a-z]:/i.test(plain) || plain.includes('\0')) return null;
  const parts: string[] = [];
  for (const part of plain.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts.join('/');
}

/** Of a canonical path. Some disks do not tell small letters from capitals, so neither does this. */
export function isReserved(canonical: string): boolean {
  const path = canonical.toLowerCase();
  if (path === RESERVED) return true;
  return path.startsWith(`${RESERVED}/`) && !path.startsWith(REVIEWS);
}

/** Not a plan, not a review: what the project is about. */
export function isProductPath(canonical: string): boolean {
  const path = canonical.toLowerCase();
  return !path.startsWith(PLANNING) && path !== RESERVED && !path.startsWith(`${RESERVED}/`);
}

export function isTestPath(canonical: string): boolean {
  return /(^|\/)(tests?|__tests__|spec)\//i.test(canonical) || /[._-](test|spec)\.[a-z0-9]+$/i.test(canonical);
}

/** Of a path named from a folder; null names nothing. What is above the starting folder keeps its `..`. */
export function normalizePath(folder: string, path: string): string | null {
  const asked = plain(path);
  if (asked === '' || asked.includes('\0')) return null;
  const from = isAbsolute(asked) ? asked : `${plain(folder)}/${asked}`;
  const parts: string[] = [];
  for (const part of from.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..' || parts.length === 0 || parts.at(-1) === '..') {
      // Nothing is above the top of a disk.
      if (part !== '..' || !isAbsolute(from)) parts.push(part);
    } else parts.pop();
  }
  return `${from.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

/** Is that place in the folder, or the folder itself? Both as `placeOf` names them. */
export function isWithin(folder: string, place: string): boolean {
  if (isAbsolute(folder) !== isAbsolute(place)) return false;
  const above = partsOf(folder);
  const parts = partsOf(place);
  return above.every((part, at) => part === parts[at]) && parts[above.length] !== '..';
}

function partsOf(place: string): readonly string[] {
  return place.split('/').filter((part) => part !== '');
}

function plain(path: string): string {
  return path.trim().normalize('NFC').replaceAll('\\', '/');
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[a-z]:/i.test(path);
}
