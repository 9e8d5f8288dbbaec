/** A governed project in a new folder for each test, and commands on it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { CommandLine, linesOf } from '../../support/command-line.ts';

export let line: CommandLine;
export let root: string;

/** To be called once by each file of tests. */
export function useProject(): void {
  beforeAll(async () => {
    line = await CommandLine.open();
  }, 60_000);
  afterAll(() => line.close());
  beforeEach(() => {
    root = mkdtempSync(join(line.folder, 'project-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
}

export const run = (...args: readonly string[]) => line.here(['run', ...args, '--root', root]);
export const json = async (...args: readonly string[]) => linesOf((await run(...args, '--json')).out);

/** Expects an exit code and an output: stdout on success, else stderr. */
export async function answers(words: readonly string[], code: number, said: RegExp | string): Promise<void> {
  const ended = await run(...words);
  const output = typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said);
  expect({ words, ...ended }).toMatchObject({ words, code, [code === 0 ? 'out' : 'err']: output });
}

/** One that people do; the file is of no use to anybody else. */
export async function solo(): Promise<string> {
  await run('init', '--template', 'solo');
  const [{ turn } = {}] = (await json('assign')) as { turn?: { turn_id: string } }[];
  return turn?.turn_id ?? '';
}

export function stage(turnId: string, over: object = {}): void {
  const file = join(root, '.agentxchain/staging', turnId, 'turn-result.json');
  mkdirSync(dirname(file), { recursive: true });
  const claimed = { schema_version: '1.0', run_id: 'run', turn_id: turnId, role: 'dev', runtime_id: 'people' };
  const said = { status: 'completed', summary: 'Done.', decisions: [], objections: [], files_changed: ['lamp.txt'] };
  const shown = { verification: { status: 'pass', commands: ['make'] }, artifact: { type: 'workspace' } };
  writeFileSync(file, JSON.stringify({ ...claimed, ...said, ...shown, proposed_next_role: 'human', ...over }));
}

export function configure(config: object): void {
  writeFileSync(join(root, 'agentxchain.json'), JSON.stringify(config));
}

/** Every turn is the end of a program. */
export const scripted = (script: string, more: object = {}) => ({
  schema_version: '1.0',
  roles: { dev: { runtime: 'script' } },
  runtimes: { script: { type: 'local_cli', command: [process.execPath, '-e', script] } },
  routing: { work: { entry_role: 'dev', exit_gate: 'done' } },
  gates: { done: { requires_human_approval: true } },
  ...more,
});

export const WORKS = `
  const { AGENTXCHAIN_STAGING_PATH: at, AGENTXCHAIN_TURN_ID: turn_id, AGENTXCHAIN_RUN_ID: run_id } = process.env;
  const fs = require('node:fs');
  fs.mkdirSync(require('node:path').dirname(at), { recursive: true });
  fs.writeFileSync('lamp.txt', 'lit');
  fs.writeFileSync(at, JSON.stringify({ schema_version: '1.0', run_id, turn_id, role: 'dev', runtime_id: 'script',
    status: 'completed', summary: 'The lamp is lit.', decisions: [], objections: [], files_changed: ['lamp.txt'],
    verification: { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 0 }] },
    artifact: { type: 'workspace' }, proposed_next_role: 'human', run_completion_request: true }));`;
