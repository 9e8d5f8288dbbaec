/** A closed loop: each caller asks again as soon as it is answered. */

export type Submit = (slot: number) => Promise<unknown>;

/** Answers per second, with `outstanding` requests open for about `ms`. */
export async function closedLoop(outstanding: number, ms: number, submit: Submit): Promise<number> {
  const begin = performance.now();
  const until = begin + ms;
  let answered = 0;
  await eachSlot(outstanding, async (slot) => {
    do {
      await submit(slot);
      answered += 1;
    } while (performance.now() < until);
  });
  return answered / ((performance.now() - begin) / 1000);
}

/** Runs this many requests, `outstanding` at a time; returns the milliseconds. */
export async function inAll(count: number, outstanding: number, submit: Submit): Promise<number> {
  const begin = performance.now();
  let begun = 0;
  await eachSlot(outstanding, async () => {
    while (begun < count) await submit(begun++);
  });
  return performance.now() - begin;
}

async function eachSlot(slots: number, caller: (slot: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: slots }, (_, slot) => caller(slot)));
}
