/** Runs one operation: repairs the files, performs it, and carries out the follow-ups. */

import type { HookAudit } from '../engine/hooks/hook.ts';
import { failureOf } from './contract/failure.ts';
import type { OpenRun, RunnerContext } from './log/runner-context.ts';
import { rootOf, withRun } from './log/with-run.ts';
import { followUp } from './notifications/follow-ups.ts';
import { type Answer, type Args, type OperationName, operations } from './operations/operations.ts';
import { clearAccepted, project } from './project/projections.ts';
import { askServed } from './served/ask-served.ts';
import { readServedNote } from './served/served-note.ts';

/** Uses the hub that serves the project, else opens the log in this process. */
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
    // A hub began to serve the project during the wait, before anything was done here: ask the hub.
    const late = await readServedNote(root);
    if (late === null || failureOf(thrown).error_code !== 'lock_timeout') throw thrown;
    return askServed(root, late, name, args, means);
  }
}

/** Requires an open log. Throws refusals. */
export async function runOperationIn<Name extends OperationName>(
  run: OpenRun,
  name: Name,
  args: Args<Name>,
): Promise<Answer<Name>> {
  await repairProjections(run);
  await followUp(run);
  // Safe cast: the table gives each name its own arguments and answer.
  const operation = operations[name] as unknown as (run: OpenRun, args: Args<Name>) => Promise<Answer<Name>>;
  const before = run.logs.runs.length;
  const answer = await operation(run, args).catch(async (thrown: unknown) => {
    // A run taken over during the operation stays, even if the operation is refused.
    if (run.logs.runs.length !== before) await project(run);
    throw thrown;
  });
  // `settled` returns only members that the answer has, or a warning.
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

/** The operation is durable: later errors become a warning, and the next operation repairs the files. */
async function settled(run: OpenRun, answer: Followed): Promise<Followed> {
  try {
    await project(run);
    const said = await followUp(run);
    await project(run);
    await clearAccepted(run);
    return answer.hookResults === undefined ? {} : { hookResults: [...answer.hookResults, ...said] };
  } catch (thrown) {
    const warning = `the operation succeeded, but its follow-ups failed: ${failureOf(thrown).error}`;
    return { warnings: [...(answer.warnings ?? []), warning] };
  }
}
