/** Workstreams that wait for each other would wait for ever. */

/** Each circle once, as the workstreams on it in their order; `a → a` is one too. */
export function cyclesIn(dependsOn: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const cycles: (readonly string[])[] = [];
  for (const start of dependsOn.keys()) walk(start, dependsOn, done, cycles);
  return cycles;
}

interface Place {
  readonly id: string;
  readonly left: Iterator<string>;
}

/** Without recursion: how deep a chain goes is somebody else's choice. */
function walk(
  start: string,
  dependsOn: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
  cycles: (readonly string[])[],
): void {
  const way: Place[] = [];
  const enter = (id: string): void => {
    way.push({ id, left: (dependsOn.get(id) ?? [])[Symbol.iterator]() });
  };
  if (!done.has(start)) enter(start);
  for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
    const { value: next, done: isOver } = here.left.next();
    if (isOver === true) {
      done.add(here.id);
      way.pop();
      continue;
    }
    const at = way.findIndex(({ id }) => id === next);
    if (at !== -1) cycles.push(way.slice(at).map(({ id }) => id));
    else if (!done.has(next)) enter(next);
  }
}
