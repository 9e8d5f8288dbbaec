/** Where a path leads, as text alone: `..` and `.` taken out, so that one place has one name. */

/** Of a path named from a folder; null names nothing. What is above the starting folder keeps its `..`. */
export function placeOf(folder: string, path: string): string | null {
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
