/** Decides whether the run may leave its phase or end, from config, files and verification status. Changes nothing. */

import {
  type ArtifactConfig,
  artifactsOf,
  exitGate,
  finalPhase,
  type GateConfig,
  type GovernedConfig,
  nextPhase,
  phasesOf,
} from '../config/config.ts';
import { canonicalPath } from '../lib/project-paths.ts';
import { getOwn } from '../lib/unknown-record.ts';
import { SEMANTICS, withSections } from './documents.ts';
import {
  type CompletionVerdict,
  type PhaseVerdict,
  type ReadFiles,
  type Reason,
  type Reasons,
  reason,
} from './verdict.ts';

export interface GateFacts {
  readonly config: GovernedConfig;
  readonly phase: string | null;
  readonly files: ReadFiles;
  readonly verificationStatus: string | null;
  /** Roles with an accepted turn in this phase (default: none). */
  readonly rolesHeard?: ReadonlySet<string>;
}

export function evaluatePhaseExit(facts: GateFacts, requested: string | null): PhaseVerdict {
  const { config, phase } = facts;
  if (requested === null) return { action: 'no_request' };
  if (!phasesOf(config).includes(requested)) return { action: 'gate_error', code: 'unknown_phase', requested };
  const next = nextPhase(config, phase);
  const gate = exitGate(config, phase);
  const id = gate?.id ?? null;
  if (next === null) return { action: 'gate_failed', gate: id, reasons: [reason('no_next_phase', { phase })] };
  if (next !== requested) {
    return { action: 'gate_failed', gate: id, reasons: [reason('phase_not_next', { phase, requested, next })] };
  }
  const { failed, human } = judged(gate, facts);
  if (failed !== null) return { action: 'gate_failed', gate: id, reasons: failed };
  if (human === null) return { action: 'advance', gate: id, from: phase, to: requested };
  return { action: 'awaiting_human_approval', ...human, from: phase, to: requested };
}

export function evaluateRunCompletion(facts: GateFacts, isRequested: boolean): CompletionVerdict {
  const { config, phase } = facts;
  if (!isRequested) return { action: 'no_request' };
  const final = finalPhase(config);
  if (phase !== final) return { action: 'not_final_phase', reasons: [reason('not_final_phase', { phase, final })] };
  const gate = exitGate(config, phase);
  const { failed, human } = judged(gate, facts);
  if (failed !== null) return { action: 'gate_failed', gate: gate?.id ?? null, reasons: failed };
  if (human === null) return { action: 'complete', gate: gate?.id ?? null };
  return { action: 'awaiting_human_approval', ...human, phase };
}

interface Judged {
  readonly failed: Reasons | null;
  readonly human: { readonly gate: string; readonly isCredentialed: boolean } | null;
}

/** Checks predicates first, so that nobody is asked to approve a gate that fails. */
function judged(exit: { readonly id: string; readonly gate: GateConfig | null } | null, facts: GateFacts): Judged {
  if (exit === null) return { failed: null, human: null };
  const { id, gate } = exit;
  if (gate === null) return { failed: [reason('gate_not_declared', { gate: id })], human: null };
  const [first, ...others] = failedPredicates(gate, facts);
  if (first !== undefined) return { failed: [first, ...others], human: null };
  const isCredentialed = gate.credentialed === true;
  const asks = gate.requires_human_approval === true || isCredentialed;
  return { failed: null, human: asks ? { gate: id, isCredentialed } : null };
}

const PASSED = ['pass', 'attested_pass'];

function failedPredicates(gate: GateConfig, facts: GateFacts): readonly Reason[] {
  const { files, verificationStatus, config, phase } = facts;
  const artifacts = artifactsOf(config, phase);
  const needed = artifacts.filter(({ required }) => required !== false).map(({ path }) => path);
  const asked = [...new Set([...(gate.requires_files ?? []), ...needed])].map((path) => ({ path, text: files(path) }));
  const absent = asked.filter(({ text }) => text === null).map(({ path }) => path);
  const isUnproven = gate.requires_verification_pass === true && !PASSED.includes(verificationStatus ?? '');
  return [
    ...(absent.length > 0 ? [reason('files_missing', { paths: absent })] : []),
    ...(isUnproven ? [reason('verification_not_passed', { status: verificationStatus })] : []),
    ...asked.flatMap(({ path, text }) => (text === null ? [] : meaningOf(path, text))),
    ...artifacts.flatMap((artifact) => artifactReasons(artifact, facts)),
  ];
}

function meaningOf(path: string, text: string): readonly Reason[] {
  const look = getOwn(SEMANTICS, canonicalPath(path) ?? path);
  const found = look === undefined ? null : look(text);
  return found === null ? [] : [found];
}

function artifactReasons(artifact: ArtifactConfig, { files, rolesHeard }: GateFacts): readonly Reason[] {
  const { path, semantics, semantics_config, owned_by: role } = artifact;
  const text = files(path);
  if (text === null) return [];
  const titles = semantics === 'section_check' ? (semantics_config?.required_sections ?? []) : [];
  const found = titles.length === 0 ? null : withSections(path, titles, text);
  const isOrphan = role !== undefined && rolesHeard?.has(role) !== true;
  return [...(found === null ? [] : [found]), ...(isOrphan ? [reason('owner_without_turn', { path, role })] : [])];
}
