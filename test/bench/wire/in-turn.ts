/** Measures several things in rounds, so that a slowing machine affects all of them. */

/** One number for each per round. The order changes. */
export async function inTurn<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<readonly Readonly<Record<Name, number>>[]> {
  // The keys of a record are its names.
  const names = Object.keys(measures) as Name[];
  const all: Record<Name, number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const measured: Partial<Record<Name, number>> = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length] as Name;
      measured[name] = await measures[name]();
    }
    all.push(measured as Record<Name, number>);
  }
  return all;
}
