/** A project whose one turn is out: its bundle is written and sealed, and an adapter of any kind can be run for it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assignTurn,
  EMPTY_STATE,
  type GovernedConfig,
  initialiseRun,
  type RunState,
  type RuntimeConfig,
  type Turn,
} from 'parley-hub/governed/engine';
import { writeBundle } from '../../../src/governed/dispatch/bundle.ts';
import {
  type DriverFailure,
  type DriverOutcome,
  type RunAdapterOptions,
  runTurnWithDriver,
  sealDispatchBundle,
} from '../../../src/governed/index.ts';
import { Programs } from '../../participants/processes/programs.ts';
import { CONFIG, resultFor } from '../engine/lighthouse.ts';
import { Project } from '../hooks/project.ts';

export const NOW = '2030-01-02T03:04:05.000Z';
export const TURN = 'turn_wick';
export const RESULT = `.agentxchain/staging/${TURN}/turn-result.json`;
export const BUNDLE = `.agentxchain/dispatch/turns/${TURN}`;
/** What came about in an attempt. */
export const KEPT = `.agentxchain/dispatch/runtime/${TURN}/attempt-1`;
export const SECRET = 'wonderful-lamp-secret-4711';

export class Scene {
  readonly project: Project = new Project();
  readonly programs: Programs = new Programs();
  readonly written: string[] = [];
  config: GovernedConfig = CONFIG;
  state: RunState = EMPTY_STATE;
  digest = '';

  get root(): string {
    return this.project.root;
  }

  get turn(): Turn {
    const turn = this.state.active_turns[TURN];
    if (turn === undefined) throw new Error('no turn is out');
    return turn;
  }

  get result(): Record<string, unknown> {
    return resultFor(this.state, TURN);
  }

  /** The turn is out to a role with this runtime. */
  async dispatched(runtime: RuntimeConfig, more: Partial<GovernedConfig> = {}, attempt = 1): Promise<this> {
    this.config = { ...CONFIG, ...more, runtimes: { bench: runtime } };
    const begun = initialiseRun({ ...EMPTY_STATE, phase: 'implementation' }, this.config, {
      runId: 'run_lamp',
      now: NOW,
    });
    if (!begun.ok) throw new Error(JSON.stringify(begun));
    const out = assignTurn(begun.state, this.config, { roleId: 'builder', turnId: TURN, now: NOW });
    if (!out.ok) throw new Error(JSON.stringify(out));
    const turn = out.state.active_turns[TURN] as Turn;
    this.state = { ...out.state, active_turns: { [TURN]: { ...turn, attempt } } };
    const written = await writeBundle(this.root, this.state, this.config);
    const sealed = await sealDispatchBundle(this.root, this.state, this.config, { now: NOW });
    if (!written.ok || !sealed.ok) throw new Error(JSON.stringify([written, sealed]));
    this.digest = sealed.digest;
    return this;
  }

  run(options: RunAdapterOptions = {}): Promise<DriverOutcome> {
    const { digest } = this;
    const write = (text: string): void => void this.written.push(text);
    return runTurnWithDriver(this.root, this.config, this.turn, { digest, write, variables: {}, ...options });
  }

  async fails(options: RunAdapterOptions = {}): Promise<DriverFailure> {
    const outcome = await this.run(options);
    if (outcome.ok) throw new Error(`it should have failed, and answered ${JSON.stringify(outcome)}`);
    return outcome;
  }

  staged(): unknown {
    return existsSync(join(this.root, RESULT)) ? JSON.parse(this.project.read(RESULT)) : null;
  }

  /** Everything that is in the project, and what was told, as one text: secrets are looked for in it. */
  everything(): string {
    return [this.everythingIn('.'), ...this.written].join('\n');
  }

  everythingIn(folder: string): string {
    const entries = readdirSync(join(this.root, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ name, parentPath }) => `${name}\n${readFileSync(join(parentPath, name), 'utf8')}`).join('\n');
  }

  remove(): void {
    this.project.remove();
    this.programs.remove();
  }
}
