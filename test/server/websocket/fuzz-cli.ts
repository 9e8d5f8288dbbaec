/** npm run fuzz: wrong frames by the hundred thousand over real sockets; says what came of them. */

import { parseArgs } from 'node:util';
import { createHub } from 'parley-hub';
import { fuzz, logOf } from './fuzz.ts';

const USAGE = `Usage: npm run fuzz -- [options]

Frames that are wrong in every way chance finds are sent to a hub over real sockets. Each that no hub may take must be refused
with a typed error, or end its connection; nobody else's log may change, and the hub must go on.

  --frames N   how many frames (default 100000)
  --seed S     chooses them (default 7)
  --help       print this

It prints how many frames were sent, how many of them no hub may take, how many were answered with a typed refusal, and how many
ended their connection. Those that are neither were fine as chance made them.

Exit codes: 0 all was refused as it should be, 1 it was not, 2 wrong arguments.`;

interface Wanted {
  readonly frames: number;
  readonly seed: number;
}

const wanted = readArguments(process.argv.slice(2));
if (wanted === 'help') console.log(USAGE);
else if (typeof wanted === 'string') {
  console.error(`${wanted}\n\n${USAGE}`);
  process.exitCode = 2;
} else process.exitCode = await run(wanted);

/** The fault of the arguments, or null. */
function readArguments(args: readonly string[]): Wanted | string {
  try {
    const text = { type: 'string' } as const;
    const help = { type: 'boolean', short: 'h', default: false } as const;
    const { values } = parseArgs({ args: [...args], options: { frames: text, seed: text, help } });
    if (values.help) return 'help';
    return { frames: whole('--frames', values.frames ?? '100000', 1), seed: whole('--seed', values.seed ?? '7', 0) };
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`${name}: expected a whole number from ${least} on, got "${text}"`);
}

async function run({ frames, seed }: Wanted): Promise<number> {
  const hub = await createHub();
  const { url } = await hub.listen({ port: 0, auth: { none: true } });
  const [alice] = [await hub.agent('alice'), await hub.agent('bob')];
  const session = await alice.open('conversation', ['bob']);
  await session.send('hello');
  const before = (await logOf(hub, 'alice', session.id)).join();
  const startedMs = performance.now();
  const { wrong, answered, closed } = await fuzz(url, session.id, frames, seed);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const isSame = (await logOf(hub, 'alice', session.id)).join() === before;
  const { ready } = hub.health();
  await hub.stop();
  console.log(
    `seed ${seed}: ${frames} frames in ${seconds} s; ${wrong} that no hub may take; ${answered} answered with a typed refusal, ${closed} ended their connection`,
  );
  console.log(
    `the log of the others ${isSame ? 'is unchanged' : 'CHANGED'}; the hub ${ready ? 'goes on' : 'IS NOT READY'}`,
  );
  return isSame && ready ? 0 : 1;
}
