/** Work that must not overtake other work of the same kind about the same agents: one after the other, in the order it came. */

/** By agent, the end of the work that is last in its line. */
export type KeyedLocks = Map<string, Promise<void>>;

/** All lines are joined at once, so whoever came first never waits for who came later. */
export async function runExclusive<T>(
  lines: KeyedLocks,
  agentIds: ReadonlySet<string>,
  work: () => Promise<T>,
): Promise<T> {
  const before = [...agentIds].flatMap((agentId) => lines.get(agentId) ?? []);
  let done = (): void => {};
  const mine = new Promise<void>((resolve) => {
    done = resolve;
  });
  for (const agentId of agentIds) lines.set(agentId, mine);
  try {
    await Promise.all(before);
    return await work();
  } finally {
    done();
    for (const agentId of agentIds) if (lines.get(agentId) === mine) lines.delete(agentId);
  }
}
