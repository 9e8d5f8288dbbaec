/** Waits until nothing more comes that was on its way: sockets to be accepted, and what they have said. */

/** In each of them the system is asked for more; an idle process takes them in less than a millisecond. */
const QUIET_TURNS = 20;

/** `came`: how much has come so far. Those who never stop are not waited for. */
export async function quiet(came: () => number, mostMs: number): Promise<void> {
  const untilMs = performance.now() + mostMs;
  let [known, turns] = [came(), 0];
  while (turns < QUIET_TURNS && performance.now() < untilMs) {
    await new Promise((resolve) => setImmediate(resolve));
    turns = came() === known ? turns + 1 : 0;
    known = came();
  }
}
