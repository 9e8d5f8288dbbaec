/** Collects the evidence of an acceptance: changed files, text that gates require, and hook results. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { writeFileAtomic } from '../../../system/atomic-file.ts';
import { evidencePath } from '../../engine/dispatch/paths.ts';
import type { HookAudit } from '../../engine/hooks/hook.ts';
import {
  acceptTurn,
  canonicalPath,
  exitGate,
  type GovernedConfig,
  getActiveTurnCount,
  getTurnStagingResultPath,
  type Invalid,
  type Turn,
  type TurnAccepted,
  type TurnResult,
  type Valid,
} from '../../engine/index.ts';
import { getOwn, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { findSymlink, resolveInside, statOrNull, validatePaths } from '../../files/safe-path.ts';
import { type Evidence, type FileEvidence, MAX_EVIDENCE_TEXT, toAcceptanceIndex } from '../../session/index.ts';
import { filesIn } from '../../session/moves/evidence.ts';
import { readStagedResult } from '../../staging/staged-result.ts';
import { RunnerRefusal, refusalOf, requireHooksPassed } from '../contract/failure.ts';
import type { ValidationReport } from '../contract/types.ts';
import { nowOf, type Running } from '../log/runner-context.ts';
import { hooksOf } from '../project/load-context.ts';
import { requireNotRejected } from '../project/rejected-files.ts';
import { changedSince } from './git.ts';

export interface TurnInspection {
  readonly raw: UnknownRecord;
  readonly judged: TurnAccepted;
  readonly report: ValidationReport;
  readonly evidence: Evidence;
  readonly hookResults: readonly HookAudit[];
  /** Head of the log when the inspection began. */
  readonly seenSeq: number;
}

export async function inspectTurn(
  running: Running,
  turn: Turn,
  resolution: 'standard' | 'human_merge',
): Promise<TurnInspection> {
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
  const report = judged.ok || judged.because === 'validation' ? reportOf(judged.validation) : null;
  const after = await hooksOf(running, 'after_validation', {
    ...about,
    validation_ok: report?.ok ?? true,
    validation_stage: report?.failed_stage ?? null,
    errors: report?.errors ?? [],
    warnings: report?.warnings ?? [],
  });
  requireHooksPassed(after, 'after_validation');
  const results = [...before.results, ...after.results];
  if (!judged.ok) {
    throw judged.because === 'refusal' ? refusalOf(judged.refusal) : invalid(turn, judged.validation, results);
  }
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
    evidence: { ...seen, hooks: hookResults.map((entry) => ({ ...entry })) },
    hookResults,
    seenSeq,
  };
}

function judge(
  running: Running,
  turn: Turn,
  raw: UnknownRecord,
  seen: Evidence,
  resolution: 'standard' | 'human_merge',
) {
  const { state } = running.log.record;
  return acceptTurn({
    state: state.run,
    config: running.config,
    books: toAcceptanceIndex(state.books, state.run),
    turnId: turn.turn_id,
    result: raw,
    files: filesIn(seen),
    observed: seen.git?.changed ?? null,
    resolution,
    now: nowOf(running),
  });
}

async function stagedResult(running: Running, turn: Turn): Promise<UnknownRecord> {
  const staged = await readStagedResult(running.root, turn.turn_id);
  const where = stagingPath(turn);
  switch (staged.kind) {
    case 'absent':
      throw new RunnerRefusal('not_staged', `${where}: expected the result of turn ${turn.turn_id}, found none`);
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
 * Returns the changes since the dispatch, without those of turns accepted meanwhile. While other turns are active,
 * returns only changes that this turn declares, because the rest may be theirs.
 */
async function observed({ root, log }: Running, turn: Turn, raw: UnknownRecord): Promise<readonly string[] | null> {
  const changed = await changedSince(root, turn.baseline);
  if (changed === null) return null;
  const others = new Set((turn.overtaken_by ?? []).flatMap(({ files }) => files));
  const own = declared(raw);
  const isAlone = getActiveTurnCount(log.record.state.run) === 1;
  return changed.filter((path) => own.has(path) || (isAlone && !others.has(path)));
}

function declared({ files_changed, artifacts_created, verification }: UnknownRecord): ReadonlySet<string> {
  const { produced_files } = (verification ?? {}) as UnknownRecord;
  const named = [files_changed, artifacts_created, produced_files].flatMap((list) => (Array.isArray(list) ? list : []));
  const paths = named.map((one: unknown) =>
    typeof one === 'string' ? one : String((one as UnknownRecord | null)?.path ?? ''),
  );
  return new Set(paths.map((path) => canonicalPath(path) ?? path));
}

/** Rejects paths that lead outside the project through links. */
async function requirePlainPaths({ root }: Running, { result }: Valid): Promise<void> {
  const { files_changed, artifacts_created }: TurnResult = result;
  const faults = await validatePaths(root, [...files_changed, ...(artifacts_created ?? [])]);
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
  const common = { ok, stages_passed, warnings, normalisations };
  if (validation.ok) return { ...common, failed_stage: null, error_type: null, errors: [] };
  const { failed_stage, error_type, errors } = validation;
  return { ...common, failed_stage, error_type, errors };
}

/** Gates read documents that people write; longer files are ignored. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

function gatePaths(config: GovernedConfig, phase: string | null): readonly string[] {
  const gate = exitGate(config, phase)?.gate;
  const artifacts = phase === null ? [] : (getOwn(config.workflow_kit?.phases, phase)?.artifacts ?? []);
  const paths = [...(gate?.requires_files ?? []), ...artifacts.map(({ path }) => path)];
  return [...new Set(paths.flatMap((path) => canonicalPath(path) ?? []))];
}

/** Collects regular files that exist and are not reached through links. */
async function fileEvidence(root: string, paths: readonly string[]): Promise<readonly FileEvidence[]> {
  const found: FileEvidence[] = [];
  for (const path of paths) {
    const bytes = await bytesAt(root, path);
    if (bytes === null) continue;
    const text = bytes.toString('utf8');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const isWhole = bytes.length <= MAX_EVIDENCE_TEXT && Buffer.from(text).equals(bytes);
    if (!isWhole) await keepAside(root, sha256, bytes);
    found.push({ path, sha256, size: bytes.length, text: isWhole ? text : partOf(text), excerpt: !isWhole });
  }
  return found;
}

async function keepAside(root: string, sha256: string, bytes: Buffer): Promise<void> {
  const place = await resolveInside(root, evidencePath(sha256));
  if ((await statOrNull(place)) === null) await writeFileAtomic(place, bytes, 0o400);
}

/** Keeps the parts that gates check: headings with the next lines, answers, and table rows. */
function partOf(text: string): string {
  const kept: string[] = [];
  let after = 0;
  for (const line of text.split('\n')) {
    const isTitle = line.startsWith('#');
    const isAnswer = /^\s*\**[A-Za-z ]+\**\s*:/.test(line) || line.trimStart().startsWith('|');
    if (isTitle) after = 2;
    if (!isTitle && !isAnswer && (line.trim() === '' || after === 0)) continue;
    if (!isTitle && !isAnswer) after--;
    kept.push(line.slice(0, 500));
  }
  const part = Buffer.from(kept.join('\n')).subarray(0, MAX_EVIDENCE_TEXT - 4);
  return part.toString('utf8').replace(/\uFFFD+$/, '');
}

async function bytesAt(root: string, path: string): Promise<Buffer | null> {
  if ((await findSymlink(root, path)) !== null) return null;
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const place = await resolveInside(root, path);
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= MAX_FILE_BYTES ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}
