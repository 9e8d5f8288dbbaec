/** A process that accepts turns: as often as it is told on stdin, or once and never to its end. */

import { createInterface } from 'node:readline';
import { createRunner, type GovernedConfig, type RunnerStep } from 'parley-hub/governed';

interface Told {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly turnId: string;
  /** Where it ends itself; after the result is in the log, if it is said so. */
  readonly kill?: { readonly step: RunnerStep; readonly isAfterPost: boolean };
  /** Where it stops, and says so. */
  readonly stop?: RunnerStep;
}

let told: Told | null = null;
let isPosted = false;

const runner = createRunner({
  reached(step) {
    if (step === 'posted') isPosted = true;
    const { kill, stop } = told ?? {};
    if (kill?.step === step && (isPosted || !kill.isAfterPost)) process.kill(process.pid, 'SIGKILL');
    if (stop === step) process.kill(process.pid, 'SIGSTOP');
  },
});

// What it needs is loaded before it is asked, so that all of them are equally fast.
await runner.acceptTurn('', {} as GovernedConfig);
process.stdout.write('ready\n');

for await (const line of createInterface({ input: process.stdin })) {
  told = JSON.parse(line) as Told;
  isPosted = false;
  const { root, config, turnId } = told;
  const { ok, ...answer } = await runner.acceptTurn(root, config, { turnId });
  process.stdout.write(`${JSON.stringify({ ok, error_code: 'error_code' in answer ? answer.error_code : null })}\n`);
}
