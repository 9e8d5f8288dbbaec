/** Paths that agents name: made canonical before anything is decided by them. */

/** What belongs to the run itself. */
const RESERVED = '.agentxchain';
/** In there, what reviewers may write. */
export const REVIEWS = '.agentxchain/reviews/';
export const PLANNING = '.planning/';

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
