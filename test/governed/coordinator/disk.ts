/** A coordinator over repos on a real disk, with a stub runner. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CoordinatorConfig } from 'parley-hub/governed/engine';
import { type Coordinator, openCoordinator } from '../../../src/governed/coordinator/coordinator.ts';
import type { RepoRuns } from '../../../src/governed/coordinator/repo-runs.ts';
import type { CoordinatorPorts } from '../../../src/governed/coordinator/session.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { systemIds } from '../../../src/system/ids.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { harbour } from './harbour.ts';

export class Disk {
  readonly root: string = tempFolder('coordinator');
  readonly hooks: string[] = [];
  /** Repos whose runner refuses. */
  readonly failing: Set<string> = new Set();
  readonly notUndone: Set<string> = new Set();
  #turns = 0;

  constructor(config: CoordinatorConfig = harbour()) {
    for (const { path } of Object.values(config.repos)) mkdirSync(join(this.root, path), { recursive: true });
    this.write('agentxchain-multi.json', config);
  }

  write(path: string, value: unknown): void {
    mkdirSync(join(this.root, path, '..'), { recursive: true });
    writeFileSync(join(this.root, path), typeof value === 'string' ? value : JSON.stringify(value));
  }

  text(path: string): string {
    return existsSync(join(this.root, path)) ? readFileSync(join(this.root, path), 'utf8') : '';
  }

  lines(name: string): readonly Record<string, unknown>[] {
    const lines = this.text(`.agentxchain/multirepo/${name}`).split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }

  types(): readonly unknown[] {
    return this.lines('history.jsonl').map(({ type }) => type);
  }

  state(repo: string): Record<string, unknown> {
    return JSON.parse(this.text(`${repo}/.agentxchain/state.json`) || '{}');
  }

  /** Records an accepted turn of the repo: by default its active one. */
  accept(repo: string, turn: object = {}, id?: string): string {
    const state = this.state(repo);
    const turn_id = id ?? Object.keys(state.active_turns as object)[0] ?? '';
    const entry = {
      turn_id,
      run_id: state.run_id,
      status: 'completed',
      summary: 'Done',
      files_changed: ['src/a.ts'],
      decisions: [],
      ...turn,
    };
    const history = `${repo}/.agentxchain/history.jsonl`;
    this.write(history, `${this.text(history)}${JSON.stringify(entry)}\n`);
    this.write(`${repo}/.agentxchain/state.json`, { ...state, active_turns: {} });
    return turn_id;
  }

  /** Everything in the repos, as text. */
  repos(): string {
    const files = readdirSync(this.root, { recursive: true, withFileTypes: true });
    const own = join(this.root, '.agentxchain');
    return files
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(own))
      .map(
        (entry) => `${join(entry.parentPath, entry.name)}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`,
      )
      .sort()
      .join('\n');
  }

  open(ports: Partial<CoordinatorPorts> = {}): Coordinator {
    const hooks = async (phase: string): Promise<void> => {
      this.hooks.push(phase);
    };
    return openCoordinator(this.root, { runs: this.runs(), clock: systemClock, ids: systemIds, hooks, ...ports });
  }

  runs(): RepoRuns {
    return {
      begin: async ({ id }) => {
        const run_id = `run_${id}`;
        this.write(`${id}/.agentxchain/state.json`, { run_id, status: 'active', phase: 'planning', active_turns: {} });
        return this.failing.has(id) ? { ok: false, error: 'no' } : { ok: true, run_id, phase: 'planning' };
      },
      undo: async ({ id }) => {
        if (this.notUndone.has(id)) return { ok: false, error: 'no' };
        const idle = { run_id: null, status: 'idle', phase: 'planning', active_turns: {} };
        this.write(`${id}/.agentxchain/state.json`, idle);
        return { ok: true };
      },
      assign: async ({ id }) => {
        if (this.failing.has(id)) throw new Error('the runner is gone');
        const turn_id = `turn_${id}_${++this.#turns}`;
        this.write(`${id}/.agentxchain/state.json`, { ...this.state(id), active_turns: { [turn_id]: { turn_id } } });
        return { ok: true, turn_id };
      },
    };
  }
}
