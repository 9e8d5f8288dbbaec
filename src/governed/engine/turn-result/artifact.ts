/** Stages 3 and 4: check that the role may change these files and that the evidence supports the claims. */

import { authorityOf, type GovernedConfig, runtimeType } from '../config/config.ts';
import type { Fault, StageReport } from '../lib/findings.ts';
import { canonicalPath, isProductPath, isReserved, isTestPath } from '../lib/project-paths.ts';
import type { Turn } from '../state/state.ts';
import { producesArtifact } from './normalise.ts';
import type { TurnResult } from './result.ts';

/** Phase whose turns must change product files. */
const IMPLEMENTATION = 'implementation';

interface ArtifactInput {
  readonly config: GovernedConfig;
  readonly turn: Turn;
  readonly phase: string | null;
  /** True if an earlier turn of this phase changed product files. */
  readonly hasEarlierWork: boolean;
}

export function artifactStage(result: TurnResult, made: ArtifactInput): StageReport {
  const pathFaults = namedPaths(result).flatMap(onePath);
  if (pathFaults.length > 0) return { faults: pathFaults, warnings: [] };
  const product = result.files_changed.map((path) => canonicalPath(path) ?? path).filter(isProductPath);
  const work = workOf(result, made, product);
  return { faults: [...authorityFaults(result, made, product), ...work.faults], warnings: work.warnings };
}

function namedPaths(result: TurnResult): readonly string[] {
  const { files_changed, artifacts_created, verification, proposed_changes } = result;
  const files = [...(verification.produced_files ?? []), ...(proposed_changes ?? [])];
  return [...files_changed, ...(artifacts_created ?? []), ...files.map(({ path }) => path)];
}

function onePath(path: string): readonly Fault[] {
  const canonical = canonicalPath(path);
  if (canonical === null) return [{ error_path: path, detail: `${path}: a path inside the project is expected` }];
  if (!isReserved(canonical)) return [];
  return [
    {
      error_type: 'reserved_path_violation',
      error_alias: 'reserved_path',
      error_path: path,
      detail: `${path}: this belongs to the run itself`,
    },
  ];
}

function authorityFaults(
  result: TurnResult,
  { config, turn }: ArtifactInput,
  product: readonly string[],
): readonly Fault[] {
  const authority = authorityOf(config, turn.assigned_role);
  const { type } = result.artifact;
  const faults: Fault[] = [];
  const [first] = product;
  if (authority === 'review_only') {
    if (first !== undefined)
      faults.push({ error_path: first, detail: `${first}: a review_only role changes no product files` });
    if (type !== 'review') faults.push(wrongType(`a review_only role submits a review, not a ${type}`));
    return faults;
  }
  if (type === 'workspace' && authority !== 'authoritative') {
    faults.push(wrongType('only an authoritative role submits a workspace'));
  }
  if (type === 'workspace' && result.files_changed.length === 0 && !producesArtifact(result.verification)) {
    faults.push({ error_field: 'files_changed', detail: 'a workspace without a changed file is none' });
  }
  if (authority === 'authoritative' && first !== undefined && type === 'review') {
    faults.push(wrongType(`a review changes no product files, and ${first} is one`));
  }
  return faults;
}

function workOf(
  result: TurnResult,
  { config, turn, phase, hasEarlierWork }: ArtifactInput,
  product: readonly string[],
): StageReport {
  if (result.status !== 'completed') return { faults: [], warnings: [] };
  const authority = authorityOf(config, turn.assigned_role);
  const faults: Fault[] = [];
  const warnings: string[] = [];
  if (authority === 'authoritative' && phase === IMPLEMENTATION && !hasEarlierWork) {
    if (product.length === 0) {
      faults.push({ error_field: 'files_changed', detail: 'a completed implementation turn changes a product file' });
    } else if (product.every(isTestPath)) warnings.push('files_changed: only tests were changed');
  }
  const isRemote = ['api_proxy', 'remote_agent'].includes(runtimeType(config, turn.runtime_id));
  const mustPropose = authority === 'proposed' && isRemote && result.run_completion_request !== true;
  if (mustPropose && (result.proposed_changes ?? []).length === 0) {
    faults.push({ error_field: 'proposed_changes', detail: 'a role that proposes has to propose a change' });
  }
  return { faults, warnings };
}

function wrongType(detail: string): Fault {
  return { error_field: 'artifact.type', detail };
}

export function verificationStage({ verification }: TurnResult): StageReport {
  if (verification.status !== 'pass') return { faults: [], warnings: [] };
  const evidence = verification.machine_evidence ?? [];
  const faults = evidence.flatMap((one, at): readonly Fault[] => {
    const expected = one.expected_exit_code ?? 0;
    if (one.exit_code === expected) return [];
    const error_field = `verification.machine_evidence[${at}].exit_code`;
    const detail = `"${one.command}" ended with ${one.exit_code}, not ${expected}, and a pass is claimed`;
    return [{ error_field, detail }];
  });
  const isBare = evidence.length === 0 && (verification.commands ?? []).length === 0 && !verification.evidence_summary;
  return { faults, warnings: isBare ? ['verification: a pass without any evidence'] : [] };
}

/** Reduces a claimed pass to the status that the evidence supports. */
export function normaliseVerification({ verification }: TurnResult, runtimeType: string): string {
  if (verification.status !== 'pass') return verification.status;
  if (runtimeType === 'manual' || runtimeType === 'api_proxy') return 'attested_pass';
  const evidence = verification.machine_evidence ?? [];
  return evidence.length > 0 && evidence.every(({ exit_code }) => exit_code === 0) ? 'pass' : 'not_reproducible';
}
