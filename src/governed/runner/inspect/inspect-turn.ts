/** All that the runner looks at before it accepts a turn: the staged file, hooks, the repository, the files of gates. */

import type { HookAudit } from '../../engine/hooks/hook.ts';
import {
  acceptTurn,
  canonicalPath,
  getActiveTurnCount,
  getTurnStagingResultPath,
  type Invalid,
  type Turn,
  type TurnAccepted,
  type TurnResult,
  type Valid,
} from '../../index.ts';
import type { Unknowns } from '../../engine/lib/unknown-record.ts';
import { filesIn } from '../../session/moves/evidence.ts';
import { booksIn, type Evidence } from '../../session/index.ts';
import { pathFaults } from '../../../node/governed/claimed-paths.ts';
import { readStagedResult } from '../../staging/staged-result.ts';
import { RunnerRefusal, refusalOf, requireHooksPassed } from '../contract/failure.ts';
import { hooksOf } from '../../../node/governed/runner/hooks-of.ts';
import { nowOf, type Running } from '../../../node/governed/runner/open-run.ts';
import { requireNotRejected } from '../../../node/governed/runner/operations/rejection.ts';
import type { ValidationReport } from '../contract/types.ts';
import { fileEvidence, gatePaths } from '../../../node/governed/runner/look/gate-files.ts';
import { changedSince } from './git.ts';

export interface Look {
  readonly raw: Unknowns;
  readonly judged: TurnAccepted;
  readonly report: ValidationReport;
  readonly evidence: Evidence;
  readonly hookResults: readonly HookAudit[];
  /** The newest envelope that was known when it was looked. */
  readonly seenSeq: number;
}

export async function lookAtTurn(running: Running, turn: Turn, resolution: 'standard' | 'human_merge'): Promise<Look> {
  const { log, means } = running;
  const seenSeq = log.seq;
  const raw = await stagedResult(running, turn);
  const about = { turn_id: turn.turn_id, role_id: turn.assigned_role, staging_path: stagingPath(turn) };
  const before = await hooksOf(running, 'before_validation', { ...about, turn_result: raw });
  requireHooksPassed(before, 'before_validation');
  const files = await fileEvidence(running.root, gatePaths(running.config, log.record.state.run.phase));
  const changed = await observed(running, turn, raw);
  const seen = { files, git: changed === null ? null : { head: null, changed, is_clean: null }, hooks: [] };
  const judged = judge(running, turn, raw, seen, resolution);
  const report = judged.ok
    ? reportOf(judged.validation)
    : judged.because === 'validation'
      ? reportOf(judged.validation)
      : null;
  const after = await hooksOf(running, 'after_validation', {
    ...about,
    validation_ok: report?.ok ?? true,
    validation_stage: report?.failed_stage ?? null,
    errors: report?.errors ?? [],
    warnings: report?.warnings ?? [],
  });
  requireHooksPassed(after, 'after_validation');
  const results = [...before.results, ...after.results];
  if (!judged.ok)
    throw judged.because === 'refusal' ? refusalOf(judged.refusal) : invalid(turn, judged.validation, results);
  await requirePlainPaths(running, judged.validation);
  await means.reached('validated');
  const last = await hooksOf(running, 'before_acceptance', {
    ...about,
    turn_result: raw,
    observed_changes: changed,
    conflict_detected: false,
  });
  requireHooksPassed(last, 'before_acceptance');
  const hookResults = [...results, ...last.results];
  await means.reached('evidence_kept');
  return {
    raw,
    judged,
    report: reportOf(judged.validation),
    evidence: { ...seen, hooks: hookResults.map(plain) },
    hookResults,
    seenSeq,
  };
}

function judge(running: Running, turn: Turn, raw: Unknowns, seen: Evidence, resolution: 'standard' | 'human_merge') {
  const { state } = running.log.record;
  return acceptTurn({
    state: state.run,
    config: running.config,
    books: booksIn(state.books, state.run),
    turnId: turn.turn_id,
    result: raw,
    files: filesIn(seen),
    observed: seen.git?.changed ?? null,
    resolution,
    now: nowOf(running),
  });
}

async function stagedResult(running: Running, turn: Turn): Promise<Unknowns> {
  const staged = await readStagedResult(running.root, turn.turn_id);
  const where = stagingPath(turn);
  switch (staged.kind) {
    case 'absent':
      throw new RunnerRefusal('not_staged', `${where}: expected the result of turn ${turn.turn_id}, and there is none`);
    case 'partial':
    case 'refused':
      throw new RunnerRefusal('bad_staging', `${where}: ${staged.problem}`, { details: { turn_id: turn.turn_id } });
    case 'ready':
      await requireNotRejected(running, turn, staged);
      return staged.result;
  }
}

function stagingPath({ turn_id }: Turn): string {
  return getTurnStagingResultPath(turn_id);
}

/**
 * What git saw since the turn went out, without what others had accepted meanwhile. While others are still at work, only
 * what this turn says it changed: the rest may be theirs.
 */
async function observed({ root, log }: Running, turn: Turn, raw: Unknowns): Promise<readonly string[] | null> {
  const changed = await changedSince(root, turn.baseline);
  if (changed === null) return null;
  const others = new Set((turn.overtaken_by ?? []).flatMap(({ files }) => files));
  const own = declared(raw);
  const isAlone = getActiveTurnCount(log.record.state.run) === 1;
  return changed.filter((path) => own.has(path) || (isAlone && !others.has(path)));
}

function declared({ files_changed, artifacts_created, verification }: Unknowns): ReadonlySet<string> {
  const { produced_files } = (verification ?? {}) as Unknowns;
  const named = [files_changed, artifacts_created, produced_files].flatMap((list) => (Array.isArray(list) ? list : []));
  const paths = named.map((one: unknown) =>
    typeof one === 'string' ? one : String((one as Unknowns | null)?.path ?? ''),
  );
  return new Set(paths.map((path) => canonicalPath(path) ?? path));
}

/** No path that is fine as a text leads elsewhere on the disk. */
async function requirePlainPaths({ root }: Running, { result }: Valid): Promise<void> {
  const { files_changed, artifacts_created = [] }: TurnResult = result;
  const faults = await pathFaults(root, [...files_changed, ...artifacts_created]);
  const [first] = faults;
  if (first === undefined) return;
  const error = `files_changed: ${first.path} ${first.code.replaceAll('_', ' ')}`;
  throw new RunnerRefusal('reserved_path_violation', error, { error_type: 'artifact_error', details: { faults } });
}

function invalid(turn: Turn, validation: Invalid, hookResults: readonly HookAudit[]): RunnerRefusal {
  const { failed_stage, error_type, fault } = validation;
  const error = `turn ${turn.turn_id} does not pass the stage ${failed_stage}: ${fault.detail}`;
  const more = { error_type, validation: reportOf(validation), hookResults };
  return new RunnerRefusal('validation_failed', error, more);
}

function reportOf(validation: Valid | Invalid): ValidationReport {
  const { ok, stages_passed, warnings, normalisations } = validation;
  const told = { ok, stages_passed, warnings, normalisations };
  if (validation.ok) return { ...told, failed_stage: null, error_type: null, errors: [] };
  const { failed_stage, error_type, errors } = validation;
  return { ...told, failed_stage, error_type, errors };
}

function plain(entry: object): Unknowns {
  return { ...entry };
}
