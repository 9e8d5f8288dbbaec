/** Builds CONTEXT.md: the parts of the run's state and history that the turn needs. */

import { authorityOf, exitGate } from '../config/config.ts';
import type { ReadFiles } from '../gates/verdict.ts';
import { isRecord, recordsOf, textsOf, type UnknownRecord } from '../lib/unknown-record.ts';
import type { DispatchInput } from './assignment.ts';

export interface RunHistory {
  readonly history: readonly UnknownRecord[];
  readonly ledger: readonly UnknownRecord[];
  readonly files: ReadFiles;
}

const MAX_DECISIONS = 50;
const MAX_PREVIEWS = 5;
const MAX_PREVIEW_LINES = 120;

export function createContextText(given: DispatchInput, past: RunHistory): string {
  const parts = [
    summary(given, past),
    delegation(given),
    carried(given),
    lastTurn(past),
    decisions(past),
    gateFiles(given, past),
    authorityOf(given.config, given.turn.assigned_role) === 'review_only' ? previews(past) : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function summary({ state, turn }: DispatchInput, { history }: RunHistory): string {
  const others = Object.values(state.active_turns).filter(({ turn_id }) => turn_id !== turn.turn_id);
  return [
    '# Context',
    '',
    `- run ${state.run_id}: ${state.status}, phase ${state.phase}, ${history.length} turns accepted`,
    ...others.map((other) => `- also out: ${other.assigned_role} (${other.turn_id})`),
    ...(state.blocked_on === null ? [] : [`- blocked on ${state.blocked_on}`]),
  ].join('\n');
}

function delegation({ turn }: DispatchInput): string {
  const { delegation_context: asked, delegation_review: review } = turn;
  const parts: string[] = [];
  if (asked) {
    parts.push(`## Handed to you by ${asked.parent_role} (${asked.delegation_id})`, '', asked.charter, '');
    parts.push(...asked.acceptance_contract.map((one) => `- ${one}`));
    parts.push(...asked.required_decision_ids.map((id) => `- decide ${id}`));
  }
  if (review) {
    parts.push('## What came back', '');
    for (const { delegation_id, to_role, status, missing_decision_ids } of review.results) {
      const missing = missing_decision_ids.length === 0 ? '' : `, missing ${missing_decision_ids.join(', ')}`;
      parts.push(`- ${delegation_id} (${to_role}): ${status}${missing}`);
    }
  }
  return parts.join('\n');
}

export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`## ${title}`, '', ...lines].join('\n');
}

function carried({ state }: DispatchInput): string {
  const active = state.repo_decisions.filter(({ status }) => status === 'active');
  return section(
    'Decisions of earlier runs',
    active.map(({ id, statement }) => `- ${id}: ${cell(statement)}`),
  );
}

function lastTurn({ history }: RunHistory): string {
  const last = history.at(-1);
  if (last === undefined) return '';
  const verification = isRecord(last.verification) ? last.verification : {};
  const evidence = verification.evidence_summary ? `, ${cell(verification.evidence_summary)}` : '';
  return section(`The last accepted turn: ${cell(last.role)} (${cell(last.turn_id)})`, [
    cell(last.summary),
    '',
    ...recordsOf(last.objections).map(
      (one) => `- objection ${cell(one.id)} (${cell(one.severity)}): ${cell(one.statement)}`,
    ),
    ...textsOf(last.files_changed).map((path) => `- changed ${cell(path)}`),
    `- verification: ${cell(verification.status)}${evidence}`,
  ]);
}

function decisions({ ledger }: RunHistory): string {
  if (ledger.length === 0) return '';
  const rows = ledger
    .slice(-MAX_DECISIONS)
    .map(({ id, role, category, statement }) => `| ${[id, role, category, statement].map(cell).join(' | ')} |`);
  return section('Decisions', ['| id | role | category | statement |', '|---|---|---|---|', ...rows]);
}

function gateFiles({ state, config }: DispatchInput, { files }: RunHistory): string {
  const paths = exitGate(config, state.phase)?.gate?.requires_files ?? [];
  return section(
    'Files of the gate',
    paths.map((path) => `- ${path}: ${files(path) === null ? 'missing' : 'there'}`),
  );
}

/** Shows reviewers the beginning of the files that the last turn changed. */
function previews({ history, files }: RunHistory): string {
  const paths = textsOf(history.at(-1)?.files_changed).slice(0, MAX_PREVIEWS);
  const shown = paths.flatMap((path) => {
    const text = files(path);
    if (text === null) return [];
    const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
    const lines = text.split('\n').slice(0, MAX_PREVIEW_LINES).join('\n');
    return [`### ${path}\n\n${fence}\n${lines}\n${fence}`];
  });
  return shown.length === 0 ? '' : ['## What was changed', ...shown].join('\n\n');
}

/** Puts the value on one line and escapes it, so that agent text cannot break the table. */
function cell(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}
