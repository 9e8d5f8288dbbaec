/** Works through a list, a few at a time: what is behind waits, and nobody holds all of it in memory. */

/** `work` must not reject. */
export async function forEachLimit<T>(
  most: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: most }, worker));
}
