/** Builds PROMPT.md: identity, task and rules of the turn, and the format of its result. */

import { authorityOf, exitGate, roleConfig } from '../config/config.ts';
import { getOwn } from '../lib/unknown-record.ts';
import { getTurnStagingResultPath } from '../turns/active.ts';
import { createAssignment, type DispatchInput } from './assignment.ts';
import { section } from './context.ts';

interface PromptText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** `roleText` is the project's prompt for the role; null if there is none. */
export function createPrompt(given: DispatchInput, roleText: string | null): PromptText {
  const { text, unknown } = interpolated(roleText ?? '', given);
  const parts = [
    identity(given),
    rules(given),
    gate(given),
    rejection(given),
    text.trim() === '' ? '' : `## Your role\n\n${text.trim()}`,
    answer(given),
  ];
  return {
    text: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
    warnings: unknown.map((name) => `the prompt of ${given.turn.assigned_role} names {{${name}}}, which there is not`),
  };
}

function identity({ state, config, turn }: DispatchInput): string {
  const role = roleConfig(config, turn.assigned_role);
  return [
    `# ${role?.title ?? turn.assigned_role}`,
    '',
    `- run: ${state.run_id}`,
    `- turn: ${turn.turn_id}, attempt ${turn.attempt}`,
    `- role: ${turn.assigned_role}`,
    `- phase: ${state.phase}`,
    `- until: ${turn.deadline_at ?? 'no deadline'}`,
    ...(role?.mandate === undefined ? [] : ['', `Your mandate: ${role.mandate}`]),
  ].join('\n');
}

const AUTHORITY = {
  authoritative: 'You may change files of the project. Name every one of them in files_changed.',
  proposed: 'You change no files yourself: put what you propose into proposed_changes.',
  review_only: 'You review. You change nothing of the product; you may write to .planning/ and .agentxchain/reviews/.',
} as const;

function rules({ config, turn }: DispatchInput): string {
  const authority = authorityOf(config, turn.assigned_role);
  const { challenge_required = true, challenge } = config.rules ?? {};
  const mustObject = challenge === 'all' || (challenge_required && authority === 'review_only');
  return section('Rules', [
    `- ${AUTHORITY[authority]}`,
    '- Nothing under .agentxchain/ is yours, but .agentxchain/reviews/ and the result below.',
    '- Claim only what you have seen: a pass needs the commands and their exit codes.',
    ...(mustObject ? ['- Raise at least one objection.'] : []),
    '- You have this one turn: submit the result and end.',
  ]);
}

function gate({ state, config }: DispatchInput): string {
  const found = exitGate(config, state.phase);
  if (found === null) return '';
  const { requires_files = [], requires_verification_pass, requires_human_approval } = found.gate ?? {};
  const lines = [
    ...requires_files.map((path) => `- ${path} is there and complete`),
    ...(requires_verification_pass ? ['- the verification passes'] : []),
    ...(requires_human_approval ? ['- a person approves'] : []),
  ];
  const title = `Before this phase ends (${found.id})`;
  return section(title, lines);
}

function rejection({ turn }: DispatchInput): string {
  const last = turn.last_rejection ?? null;
  if (last === null) return '';
  const where = last.stage === null ? '' : ` at ${last.stage}`;
  const lines = [last.reason, ...last.errors.map((one) => `- ${one}`)];
  return section(`What was wrong with attempt ${last.attempt}${where}`, lines);
}

function answer(given: DispatchInput): string {
  const { state, config, turn } = given;
  const isReview = authorityOf(config, turn.assigned_role) === 'review_only';
  const template = {
    schema_version: '1.0',
    run_id: state.run_id,
    turn_id: turn.turn_id,
    role: turn.assigned_role,
    runtime_id: turn.runtime_id,
    status: '<completed | blocked | needs_human | failed>',
    summary: '<what you did>',
    decisions: [{ id: 'DEC-001', category: 'implementation', statement: '<what>', rationale: '<why>' }],
    objections: [{ id: 'OBJ-001', severity: 'low', statement: '<what is wrong>' }],
    files_changed: isReview ? [] : ['<path>'],
    verification: {
      status: '<pass | fail | skipped>',
      commands: ['<command>'],
      machine_evidence: [{ command: '<command>', exit_code: 0 }],
    },
    artifact: { type: isReview ? 'review' : 'workspace' },
    proposed_next_role: '<role>',
    phase_transition_request: null,
    run_completion_request: null,
  };
  const next = createAssignment(given).allowed_next_roles;
  return section('Your result', [
    `Write it, as one JSON object, to \`${getTurnStagingResultPath(turn.turn_id)}\`: to another name first, then rename it.`,
    '',
    '```json',
    JSON.stringify(template, null, 2),
    '```',
    '',
    `- proposed_next_role: ${Array.isArray(next) ? next.join(', ') : ''}`,
    '- needs_human needs a needs_human_reason. Ask for the next phase or for the end of the run, never for both.',
    '- decisions and objections may be empty, unless a rule above says otherwise; nothing in angle brackets may stay.',
  ]);
}

/** Replaces `{{name}}` with the string or number of that name in the assignment. */
function interpolated(
  text: string,
  given: DispatchInput,
): { readonly text: string; readonly unknown: readonly string[] } {
  const assignment = createAssignment(given);
  const unknown: string[] = [];
  const filled = text.replace(/\{\{\s*([a-z_]+)\s*\}\}/g, (whole: string, name: string) => {
    const value = getOwn(assignment, name);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    unknown.push(name);
    return whole;
  });
  return { text: filled, unknown };
}
