/** Templates of `parley run init`. Each works unchanged. */

import type { GovernedConfig } from '../../governed/engine/index.ts';

export const TEMPLATE_NAMES = ['team', 'agents', 'solo'] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

export function createTemplate(name: TemplateName, project: string): GovernedConfig {
  const id = project.toLowerCase().replace(/[^a-z0-9_-]+/g, '-') || 'project';
  return { schema_version: '1.0', project: { id, name: project }, ...TEMPLATES[name] };
}

const ROLES = {
  pm: {
    title: 'Product manager',
    mandate: 'Decide what is built and how it is recognised as done. Write it down before anybody builds.',
    write_authority: 'authoritative',
  },
  dev: {
    title: 'Developer',
    mandate: 'Build what was decided, with tests, and say what was changed and how it was verified.',
    write_authority: 'authoritative',
  },
  qa: {
    title: 'Quality assurance',
    mandate: 'Look for problems. Object at least once, and say whether it ships.',
    write_authority: 'review_only',
  },
} as const;

const STAGES = {
  routing: {
    planning: { entry_role: 'pm', allowed_next_roles: ['pm', 'dev', 'human'], exit_gate: 'planning_signoff' },
    implementation: {
      entry_role: 'dev',
      allowed_next_roles: ['dev', 'qa', 'human'],
      exit_gate: 'implementation_complete',
    },
    qa: { entry_role: 'qa', allowed_next_roles: ['dev', 'qa', 'human'], exit_gate: 'qa_ship_verdict' },
  },
  gates: {
    planning_signoff: {
      requires_files: ['.planning/PM_SIGNOFF.md', '.planning/ROADMAP.md'],
      requires_human_approval: true,
    },
    implementation_complete: {
      requires_files: ['.planning/IMPLEMENTATION_NOTES.md'],
      requires_verification_pass: true,
    },
    qa_ship_verdict: {
      requires_files: ['.planning/acceptance-matrix.md', '.planning/ship-verdict.md'],
      requires_human_approval: true,
    },
  },
  rules: { challenge_required: true, max_turn_retries: 2 },
} as const;

/** A program that reads the prompt from stdin, works in the folder and stages its result. */
const AGENT = {
  type: 'local_cli',
  command: 'claude',
  args: ['--print', '--permission-mode', 'acceptEdits'],
  prompt_transport: 'stdin',
  timeout_ms: 1_200_000,
} as const;

const TEMPLATES: {
  readonly [Name in TemplateName]: Pick<GovernedConfig, 'roles' | 'runtimes' | 'routing' | 'gates' | 'rules'>;
} = {
  team: { roles: rolesOn('people'), runtimes: { people: { type: 'manual' } }, ...STAGES },
  agents: { roles: rolesOn('agent'), runtimes: { agent: AGENT }, ...STAGES },
  solo: {
    roles: { dev: { ...ROLES.dev, runtime: 'people' } },
    runtimes: { people: { type: 'manual' } },
    routing: { work: { entry_role: 'dev', allowed_next_roles: ['dev', 'human'], exit_gate: 'done' } },
    gates: { done: { requires_verification_pass: true, requires_human_approval: true } },
    rules: STAGES.rules,
  },
};

function rolesOn(runtime: string): GovernedConfig['roles'] {
  return Object.fromEntries(Object.entries(ROLES).map(([id, role]) => [id, { ...role, runtime }]));
}
