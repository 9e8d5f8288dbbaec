/** Normalises paths as strings. The engine compares only canonical paths. */

export function canonicalAll(paths: readonly string[]): readonly string[] {
  return paths.map((path) => canonicalPath(path) ?? path);
}

const RESERVED = '.agentxchain';
/** Folder that reviewers may write to. */
const REVIEWS = '.agentxchain/reviews/';
const PLANNING = '.planning/';

/** Converts `./a//b/../c` to `a/c`; null if the path is absolute, empty or outside the project. */
export function canonicalPath(path: string): string | null {
  const given = plain(path);
  if (given === '' || isAbsolute(given) || given.includes('\0')) return null;
  const parts: string[] = [];
  for (const part of given.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts.join('/');
}

/** Expects a canonical path. Ignores case, as some file systems do. */
export function isReserved(canonical: string): boolean {
  const path = canonical.toLowerCase();
  if (path === RESERVED) return true;
  return path.startsWith(`${RESERVED}/`) && !path.startsWith(REVIEWS);
}

/** True for files that belong neither to planning nor to the run. */
export function isProductPath(canonical: string): boolean {
  const path = canonical.toLowerCase();
  return !path.startsWith(PLANNING) && path !== RESERVED && !path.startsWith(`${RESERVED}/`);
}

export function isTestPath(canonical: string): boolean {
  return /(^|\/)(tests?|__tests__|spec)\//i.test(canonical) || /[._-](test|spec)\.[a-z0-9]+$/i.test(canonical);
}

/** Resolves a path against a folder; null if the path is empty. Keeps `..` that leads above the folder. */
export function normalizePath(folder: string, path: string): string | null {
  const asked = plain(path);
  if (asked === '' || asked.includes('\0')) return null;
  const from = isAbsolute(asked) ? asked : `${plain(folder)}/${asked}`;
  const parts: string[] = [];
  for (const part of from.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isAbsolute(from)) parts.push(part);
  }
  return `${from.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

/** Also true for the folder itself. Expects paths from `normalizePath`. */
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
