/** One operation on a run: files are mended first, then it is done, and what follows from it is carried out. */

import type { HookAudit } from '../engine/hooks/hook.ts';
import { failureOf } from './contract/failure.ts';
import type { OpenRun, RunnerContext } from './log/runner-context.ts';
import { rootOf, withRun } from './log/with-run.ts';
import { followUp } from './notifications/follow-ups.ts';
import { type Answer, type Args, type OperationName, operations } from './operations/operations.ts';
import { clearAccepted, project } from './project/projections.ts';
import { askServed } from './served/ask-served.ts';
import { readServedNote } from './served/served-note.ts';

/** By the hub that serves the project; if none does, in this process, with the log opened for it. */
export async function runOperation<Name extends OperationName>(
  given: string,
  means: RunnerContext,
  name: Name,
  args: Args<Name>,
): Promise<Answer<Name>> {
  const root = await rootOf(given);
  const note = await readServedNote(root);
  if (note !== null) return askServed(root, note, name, args, means);
  const isMoot = async (): Promise<boolean> => (await readServedNote(root)) !== null;
  try {
    return await withRun(root, means, (run) => runOperationIn(run, name, args), { isMoot });
  } catch (thrown) {
    // A hub has begun to serve the project meanwhile, and holds it: nothing was done here.
    const late = await readServedNote(root);
    if (late === null || failureOf(thrown).error_code !== 'lock_timeout') throw thrown;
    return askServed(root, late, name, args, means);
  }
}

/** Wherever the log is open. Throws what is refused. */
export async function runOperationIn<Name extends OperationName>(
  run: OpenRun,
  name: Name,
  args: Args<Name>,
): Promise<Answer<Name>> {
  await repairProjections(run);
  await followUp(run);
  // The table gives each name its own arguments and answer.
  const operation = operations[name] as unknown as (run: OpenRun, args: Args<Name>) => Promise<Answer<Name>>;
  const before = run.logs.runs.length;
  const answer = await operation(run, args).catch(async (thrown: unknown) => {
    // What was taken over on the way stands, whatever was refused then.
    if (run.logs.runs.length !== before) await project(run);
    throw thrown;
  });
  // Members that an answer has not are added only where they have something to say.
  return { ...answer, ...(await settled(run, answer as Followed)) };
}

export async function repairProjections(run: OpenRun): Promise<void> {
  await project(run);
  await clearAccepted(run);
  await run.means.reached('mended');
}

interface Followed {
  readonly hookResults?: readonly HookAudit[];
  readonly warnings?: readonly string[];
}

/** What is durable stays so whatever goes wrong from here on: it is told, and made up for by the next operation. */
async function settled(run: OpenRun, answer: Followed): Promise<Followed> {
  try {
    await project(run);
    const said = await followUp(run);
    await project(run);
    await clearAccepted(run);
    return answer.hookResults === undefined ? {} : { hookResults: [...answer.hookResults, ...said] };
  } catch (thrown) {
    const warning = `done, and what follows from it is not: ${failureOf(thrown).error}`;
    return { warnings: [...(answer.warnings ?? []), warning] };
  }
}
