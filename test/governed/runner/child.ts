/** A process that accepts turns on request, and can kill or stop itself at a step. */

import { createInterface } from 'node:readline';
import { createRunner, type GovernedConfig, type RunnerStep } from 'parley-hub/governed';

interface Told {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly turnId: string;
  /** Step at which it kills itself, before or after the post. */
  readonly kill?: { readonly step: RunnerStep; readonly isAfterPost: boolean };
  /** Step at which it stops itself. */
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

// Preload, so that all children are equally fast.
await runner.acceptTurn('', {} as GovernedConfig);
process.stdout.write('ready\n');

for await (const line of createInterface({ input: process.stdin })) {
  told = JSON.parse(line) as Told;
  isPosted = false;
  const { root, config, turnId } = told;
  const { ok, ...answer } = await runner.acceptTurn(root, config, { turnId });
  process.stdout.write(`${JSON.stringify({ ok, error_code: 'error_code' in answer ? answer.error_code : null })}\n`);
}
