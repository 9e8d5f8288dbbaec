/** `parley run approve`, `block` and `resolve`. */

import type { RunState } from '../../../governed/index.ts';
import type { RunnerFailure } from '../../../governed/runner/contract/types.ts';
import type { Asked } from '../../../cli/terminal/command.ts';
import { EXIT } from '../../../cli/terminal/exit-codes.ts';
import type { Io } from '../../../cli/terminal/io.ts';
import { printableLine } from '../../../cli/terminal/printable.ts';
import { nextSteps } from '../../../cli/governed/next-steps.ts';
import { type Project, projectOf, runOf } from '../../../cli/governed/project.ts';
import { refusedBy } from '../../../cli/governed/explain-refusal.ts';

type Answer = { readonly ok: true; readonly state: RunState } | RunnerFailure;

export async function approve(asked: Asked, io: Io): Promise<number> {
  return steered(asked, io, ({ runner, root, config }, state) => {
    const { note } = asked.values;
    const options = note === undefined ? {} : { note };
    // Without one that waits the answer says so.
    return state.pending_run_completion === null
      ? runner.approvePhaseGate(root, config, options)
      : runner.approveCompletionGate(root, config, options);
  });
}

export async function block(asked: Asked, io: Io): Promise<number> {
  const reason = asked.values.reason ?? '';
  return steered(asked, io, ({ runner, root, config }) =>
    runner.escalate(root, config, { reason, turnId: asked.args.what ?? null }),
  );
}

export async function resolve(asked: Asked, io: Io): Promise<number> {
  const { note } = asked.values;
  return steered(asked, io, ({ runner, root }, state) =>
    runner.reactivateRun(root, state, { via: 'parley run resolve', ...(note === undefined ? {} : { note }) }),
  );
}

async function steered(
  asked: Asked,
  io: Io,
  act: (project: Project, state: RunState) => Promise<Answer>,
): Promise<number> {
  const project = await projectOf(asked);
  const answer = await act(project, await runOf(project));
  if (!answer.ok) throw await refusedBy(answer, project);
  const { state } = answer;
  io.put({ state });
  const why = state.blocked_on === null ? '' : ` on ${state.blocked_on}`;
  io.say(printableLine(`the run is ${state.status}${why}, phase ${state.phase}`));
  for (const step of nextSteps(state, project)) io.say(`Next: ${step}`);
  return EXIT.done;
}
