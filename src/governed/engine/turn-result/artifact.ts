/** Stage 3: may this role have changed these files, and is that what it says it made? */

import type { GovernedConfig } from '../config/config.ts';
import { authorityOf, runtimeType } from '../../config/phases.ts';
import { canonicalPath, isProductPath, isReserved, isTestPath } from '../lib/project-paths.ts';
import type { Unknowns } from '../lib/unknown-record.ts';
import type { Turn } from '../../run/state.ts';
import type { Fault, StageReport } from '../../turn-result/fault.ts';
import { producesArtifact } from './normalise.ts';
import type { TurnResult } from './result.ts';

/** The phase in which a turn has to change something of the product. */
const IMPLEMENTATION = 'implementation';

export interface Made {
  readonly config: GovernedConfig;
  readonly turn: Turn;
  readonly phase: string | null;
  /** True if an earlier turn of this phase has changed the product. */
  readonly hasEarlierWork: boolean;
}

export function artifactStage(result: TurnResult, made: Made): StageReport {
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

function authorityFaults(result: TurnResult, { config, turn }: Made, product: readonly string[]): readonly Fault[] {
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
  if (type === 'workspace' && result.files_changed.length === 0 && !producesArtifact(result as unknown as Unknowns)) {
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
  { config, turn, phase, hasEarlierWork }: Made,
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
