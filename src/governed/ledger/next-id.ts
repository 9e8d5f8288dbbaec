/** Decision ids nobody has yet. */

/** `DEC-001`, or the first after it that is free. */
export function nextFreeId(taken: ReadonlySet<string>): string {
  let n = 1;
  while (isTaken(taken, n)) n++;
  return written(n);
}

/** `DEC-7` and `DEC-007` are read as the same by people: the new id is neither. */
function isTaken(taken: ReadonlySet<string>, n: number): boolean {
  return taken.has(written(n)) || taken.has(`DEC-${n}`);
}

function written(n: number): string {
  return `DEC-${String(n).padStart(3, '0')}`;
}
