/** What a repo is told of the others before its turn. */

import { digestOf } from '../engine/lib/digest.ts';
import { own } from '../engine/lib/unknown-record.ts';
import { decisionIds } from '../engine/coordinator/barriers.ts';
import type { Dispatch } from '../engine/coordinator/dispatch.ts';
import { projectionsOf } from '../engine/coordinator/state.ts';
import type { CoordinatorView } from '../engine/coordinator/gates.ts';
import type { Barriers } from './state.ts';

export interface CoordinatorContext extends Dispatch {
  readonly context_ref: string;
  readonly super_run_id: string;
  readonly phase: string;
  /** What was accepted in this workstream and in those it depends on, in order. */
  readonly accepted: readonly {
    readonly projection_ref: string;
    readonly workstream_id: string;
    readonly repo_id: string;
    readonly summary: string;
    readonly files_changed: readonly string[];
    readonly decisions: readonly unknown[];
  }[];
  readonly required_decision_ids: readonly string[];
  readonly barriers: Barriers;
}

/** The same picture has the same reference. */
export function coordinatorContext(view: CoordinatorView, { workstream_id, repo_id }: Dispatch): CoordinatorContext {
  const { config, state, history, barriers } = view;
  const before = [workstream_id, ...(own(config.workstreams, workstream_id)?.depends_on ?? [])];
  const its = Object.entries(barriers).filter(([, one]) => before.includes(one.workstream_id));
  const required = its.flatMap(([, one]) =>
    one.workstream_id === workstream_id ? (own(decisionIds(one, config), repo_id) ?? []) : [],
  );
  const context = {
    super_run_id: state.super_run_id,
    workstream_id,
    repo_id,
    phase: state.phase,
    accepted: projectionsOf(history, state.super_run_id)
      .filter((one) => before.includes(one.workstream_id))
      .map(({ projection_ref, workstream_id, repo_id, summary, files_changed, decisions }) => ({
        projection_ref,
        workstream_id,
        repo_id,
        summary,
        files_changed,
        decisions,
      })),
    required_decision_ids: [...new Set(required)],
    barriers: Object.fromEntries(its),
  };
  return { context_ref: `ctx_${workstream_id}_${repo_id}_${digestOf(context).slice(0, 16)}`, ...context };
}

export function coordinatorContextText(context: CoordinatorContext): string {
  const { workstream_id, repo_id, phase, super_run_id, accepted, required_decision_ids, barriers } = context;
  const done = accepted.map((one) => `- ${one.repo_id} (${one.workstream_id}): ${one.summary}`);
  const open = Object.entries(barriers).map(([id, { type, status }]) => `- ${id}: ${type}, ${status}`);
  const ids = required_decision_ids.map((id) => `- ${id}`);
  return [
    `# Workstream ${workstream_id}, repo ${repo_id}`,
    `Super run ${super_run_id}, phase ${phase}. Change files of this repo only.`,
    ...section('Accepted so far', done),
    ...section('Decisions this repo has to make', ids),
    ...section('Barriers', open),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', `## ${title}`, '', ...(lines.length > 0 ? lines : ['(none)'])];
}
