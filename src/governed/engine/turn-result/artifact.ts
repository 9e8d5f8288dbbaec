/** Stages 3 and 4: may the role change these files, do they match the artifact, and does the evidence support the claimed verification? */

import { authorityOf, type GovernedConfig, runtimeType } from '../config/config.ts';
import type { Fault, StageReport } from '../lib/findings.ts';
import { canonicalPath, isProductPath, isReserved, isTestPath } from '../lib/project-paths.ts';
import type { UnknownRecord } from '../lib/unknown-record.ts';
import type { Turn } from '../state/state.ts';
import { producesArtifact } from './normalise.ts';
import type { MachineEvidence, TurnResult } from './result.ts';

/** The phase in which a turn has to change something of the product. */
const IMPLEMENTATION = 'implementation';

interface ArtifactInput {
  readonly config: GovernedConfig;
  readonly turn: Turn;
  readonly phase: string | null;
  /** True if an earlier turn of this phase has changed the product. */
  readonly hasEarlierWork: boolean;
}

export function artifactStage(result: TurnResult, made: ArtifactInput): StageReport {
  const pathFaults = namedPaths(result).flatMap(onePath);
  if (pathFaults.length > 0) return { faults: pathFaults, warnings: [] };
  const product = result.files_changed.map((path) => canonicalPath(path) ?? path).filter(isProductPath);
  const work = workOf(result, made, product);
  return { faults: [...authorityFaults(result, made, product), ...work.faults], warnings: work.warnings };
}

function namedPaths({
  files_changed,
  artifacts_created,
  verification,
  proposed_changes,
}: TurnResult): readonly string[] {
  const produced = (verification.produced_files ?? []).map(({ path }) => path);
  return [
    ...files_changed,
    ...(artifacts_created ?? []),
    ...produced,
    ...(proposed_changes ?? []).map(({ path }) => path),
  ];
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
    if (type !== 'review') faults.push(wrongType(`a review_only role hands in a review, not a ${type}`));
    return faults;
  }
  if (type === 'workspace' && authority !== 'authoritative') {
    faults.push(wrongType('only an authoritative role hands in a workspace'));
  }
  if (
    type === 'workspace' &&
    result.files_changed.length === 0 &&
    !producesArtifact(result as unknown as UnknownRecord)
  ) {
    faults.push({ error_field: 'files_changed', detail: 'a workspace without a changed file is none' });
  }
  if (authority === 'authoritative' && first !== undefined && type === 'review') {
    faults.push(wrongType(`a review changes no product files, and ${first} is one`));
  }
  return faults;
}

/** What a completed turn must have to show. */
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
  if (authority === 'proposed' && isRemote && result.run_completion_request !== true) {
    if ((result.proposed_changes ?? []).length === 0) {
      faults.push({ error_field: 'proposed_changes', detail: 'a role that proposes has to propose a change' });
    }
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
    if (isAsExpected(one)) return [];
    const error_field = `verification.machine_evidence[${at}].exit_code`;
    const expected = one.expected_exit_code ?? 0;
    return [
      { error_field, detail: `"${one.command}" ended with ${one.exit_code}, not ${expected}, and a pass is claimed` },
    ];
  });
  const isBare = evidence.length === 0 && (verification.commands ?? []).length === 0 && !verification.evidence_summary;
  return { faults, warnings: isBare ? ['verification: a pass without any evidence'] : [] };
}

function isAsExpected({ exit_code, expected_exit_code }: MachineEvidence): boolean {
  return exit_code === (expected_exit_code ?? 0);
}

/** What is left of a claimed pass when somebody asks for proof. */
export function normaliseVerification({ verification }: TurnResult, runtimeType: string): string {
  if (verification.status !== 'pass') return verification.status;
  if (runtimeType === 'manual' || runtimeType === 'api_proxy') return 'attested_pass';
  const evidence = verification.machine_evidence ?? [];
  return evidence.length > 0 && evidence.every(({ exit_code }) => exit_code === 0) ? 'pass' : 'not_reproducible';
}
