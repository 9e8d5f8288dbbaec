// A role as a program, like an agent CLI: it reads its bundle, writes files, and stages its result.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const {
  AGENTXCHAIN_PROJECT_ROOT: root,
  AGENTXCHAIN_DISPATCH_DIR: bundle,
  AGENTXCHAIN_STAGING_PATH: staging,
} = process.env;
const assignment = JSON.parse(await readFile(join(bundle, 'ASSIGNMENT.json'), 'utf8'));
const prompt = await readFile(join(bundle, 'PROMPT.md'), 'utf8');

const WORK = {
  pm: {
    files: {
      '.planning/PM_SIGNOFF.md': '# Sign-off\n\nApproved: YES\n',
      '.planning/ROADMAP.md': '# Roadmap\n\n1. `greet(name)` says hello.\n',
    },
    result: {
      summary: 'greet(name) is planned.',
      decisions: [{ category: 'scope', statement: 'One function, no options.', rationale: 'Nobody asked for more.' }],
      phase_transition_request: 'implementation',
      proposed_next_role: 'dev',
    },
  },
  dev: {
    files: {
      'src/greet.mjs': 'export const greet = (name) => ["Hello", name].join(", ");\n',
      '.planning/IMPLEMENTATION_NOTES.md':
        '## Changes\n\ngreet.mjs is new.\n\n## Verification\n\nIt was imported and called.\n',
    },
    result: {
      summary: 'greet(name) is built.',
      decisions: [
        { category: 'implementation', statement: 'Joined with a comma.', rationale: 'The shortest that works.' },
      ],
      phase_transition_request: 'qa',
      proposed_next_role: 'qa',
    },
  },
  qa: {
    files: {
      '.planning/acceptance-matrix.md': '| Req # | What | Status |\n|---|---|---|\n| 1 | says hello | PASS |\n',
      '.planning/ship-verdict.md': '## Verdict: SHIP\n',
    },
    result: {
      summary: 'It ships.',
      objections: [{ id: 'OBJ-001', severity: 'low', statement: 'An empty name greets nobody.' }],
      artifact: { type: 'review' },
      run_completion_request: true,
      proposed_next_role: 'human',
    },
  },
};

const { role, attempt } = assignment;
const { files, result } = WORK[role];
for (const [path, text] of Object.entries(files)) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const staged = {
  schema_version: '1.0',
  run_id: assignment.run_id,
  turn_id: assignment.turn_id,
  role,
  runtime_id: assignment.runtime_id,
  status: 'completed',
  decisions: [],
  objections: [],
  files_changed: Object.keys(files),
  verification: { status: 'pass', machine_evidence: [{ command: 'node --check', exit_code: 0 }] },
  artifact: { type: 'workspace' },
  ...result,
};
staged.decisions = staged.decisions.map((decision, n) => ({
  id: `DEC-${{ pm: 1, dev: 2, qa: 3 }[role]}0${n + 1}`,
  ...decision,
}));
// The dev's first result has no summary; it is rejected, and the next prompt says why.
if (role === 'dev' && attempt === 1) staged.summary = '';
else if (role === 'dev' && !prompt.includes('summary')) throw new Error('the prompt does not say what was wrong');
await mkdir(dirname(staging), { recursive: true });
await writeFile(`${staging}.new`, JSON.stringify(staged));
await rename(`${staging}.new`, staging);
