/** A project to be served by a hub, and results of its roles. */

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type LocalHub } from 'parley-hub';
import { createRunner, type GovernedConfig, type RunState, stageResult } from 'parley-hub/governed';
import { onTestFinished } from 'vitest';

export const CONFIG: GovernedConfig = {
  schema_version: '1.0',
  project: { id: 'ferry' },
  roles: { captain: { runtime: 'bridge' }, mate: { runtime: 'bridge' } },
  runtimes: { bridge: { type: 'manual' } },
  routing: {
    planning: { entry_role: 'captain', exit_gate: 'tide' },
    implementation: { entry_role: 'mate' },
  },
  gates: { tide: { requires_human_approval: true } },
};

export async function openHub(): Promise<LocalHub> {
  const hub = await createHub();
  onTestFinished(() => hub.stop());
  return hub;
}

/** Connects an agent that answers each of its turns; returns the prompts it received. */
export async function joinHolder(hub: LocalHub, root: string, name: string): Promise<readonly string[]> {
  const prompts: string[] = [];
  await hub.agent(name, {
    async onTurn({ message }) {
      if (message?.envelope.event_type !== 'turn.dispatched') return;
      const { turn_id, prompt } = message.envelope.event_data as { turn_id: string; prompt: string };
      prompts.push(prompt);
      const state = await createRunner().loadState(root, CONFIG);
      if (state === null) throw new Error('expected a run');
      const result = JSON.parse(JSON.stringify(resultOf(state, turn_id)));
      await message.session.send({ event_type: 'turn.result', event_data: { turn_id, attempt: 1, result } });
    },
  });
  return prompts;
}

export function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ferry-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'agentxchain.json'), JSON.stringify(CONFIG));
  return root;
}

export function resultOf(state: RunState, turnId: string, over: object = {}): Record<string, unknown> {
  const turn = state.active_turns[turnId];
  return {
    schema_version: '1.0',
    run_id: state.run_id,
    turn_id: turnId,
    role: turn?.assigned_role,
    runtime_id: turn?.runtime_id,
    status: 'completed',
    summary: `${turnId} is done`,
    decisions: [],
    objections: [],
    files_changed: ['src/ferry.ts'],
    verification: { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 0 }] },
    artifact: { type: 'workspace' },
    proposed_next_role: 'human',
    ...over,
  };
}

/** One turn from assignment to acceptance. */
export async function turnDone(root: string, role: string, over: object = {}): Promise<string> {
  const runner = createRunner();
  const assigned = await runner.assignTurn(root, CONFIG, role);
  if (!assigned.ok) throw new Error(assigned.error);
  const { turn_id } = assigned.turn;
  const out = await runner.writeDispatchBundle(root, assigned.state, CONFIG, { turnId: turn_id });
  if (!out.ok) throw new Error(out.error);
  await stageResult(root, turn_id, resultOf(assigned.state, turn_id, over));
  const accepted = await runner.acceptTurn(root, CONFIG, { turnId: turn_id });
  if (!accepted.ok) throw new Error(accepted.error);
  return turn_id;
}

export function historyOf(root: string): readonly string[] {
  return lines(root, 'history.jsonl').map(({ turn_id }) => String(turn_id));
}

export function eventTypes(root: string): readonly string[] {
  return lines(root, 'events.jsonl').map(({ event_type }) => String(event_type));
}

function lines(root: string, name: string): readonly Record<string, unknown>[] {
  const text = readFileSync(join(root, '.agentxchain', name), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
