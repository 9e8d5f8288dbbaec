/** What a gate asks of files and verification: all that fails, the gravest first. */

import type { ArtifactConfig, GateConfig } from '../engine/config/config.ts';
import { artifactsOf } from '../config/phases.ts';
import { canonicalPath } from '../engine/lib/project-paths.ts';
import { own } from '../engine/lib/unknown-record.ts';
import type { GateFacts } from '../engine/gates/evaluate.ts';
import { withSections } from './semantics/documents.ts';
import { SEMANTICS } from './semantics/semantics.ts';
import { type Reason, reason } from './verdict.ts';

const PASSED = ['pass', 'attested_pass'];

export function failedPredicates(gate: GateConfig, facts: GateFacts): readonly Reason[] {
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
  const look = own(SEMANTICS, canonicalPath(path) ?? path);
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
