/** Runs work on the same agents one after the other, in the order of the calls. */

/** By agent, a promise that settles when the last work queued for it ends. */
export type KeyedLocks = Map<string, Promise<void>>;

/** Queues for all agents in one step, so that earlier calls never wait for later ones. */
export async function runExclusive<T>(
  locks: KeyedLocks,
  agentIds: ReadonlySet<string>,
  work: () => Promise<T>,
): Promise<T> {
  const before = [...agentIds].flatMap((agentId) => locks.get(agentId) ?? []);
  let done = (): void => {};
  const mine = new Promise<void>((resolve) => {
    done = resolve;
  });
  for (const agentId of agentIds) locks.set(agentId, mine);
  try {
    await Promise.all(before);
    return await work();
  } finally {
    done();
    for (const agentId of agentIds) if (locks.get(agentId) === mine) locks.delete(agentId);
  }
}
