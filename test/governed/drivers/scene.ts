/** A project with one dispatched turn: its bundle is written and sealed, and any driver can run it. */

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
import { afterEach, beforeEach, expect } from 'vitest';
import { writeBundle } from '../../../src/governed/dispatch/bundle.ts';
import {
  type DriverFailure,
  type DriverOutcome,
  type RunAdapterOptions,
  runTurnWithDriver,
  sealDispatchBundle,
} from '../../../src/governed/index.ts';
import { VirtualClock } from '../../participants/models/scene.ts';
import { StubModel } from '../../participants/models/stub-model.ts';
import { Programs } from '../../participants/processes/programs.ts';
import { CONFIG, resultFor } from '../engine/lighthouse.ts';
import { Project } from '../hooks/project.ts';

const NOW = '2030-01-02T03:04:05.000Z';
export const TURN = 'turn_wick';
export const RESULT = `.agentxchain/staging/${TURN}/turn-result.json`;
export const BUNDLE = `.agentxchain/dispatch/turns/${TURN}`;
/** Logs of the first attempt. */
export const KEPT = `.agentxchain/dispatch/runtime/${TURN}/attempt-1`;
export const SECRET = 'wonderful-lamp-secret-4711';

export interface Runtime {
  readonly type: string;
  readonly [setting: string]: unknown;
}

export class Scene {
  project!: Project;
  programs!: Programs;
  written: string[] = [];
  config: GovernedConfig = CONFIG;
  state: RunState = EMPTY_STATE;
  digest = '';

  /** A scene that starts again for each test. */
  static fresh<S extends Scene>(this: new () => S): S {
    const scene = new this();
    beforeEach(() => scene.begin());
    afterEach(() => scene.end());
    return scene;
  }

  async begin(): Promise<void> {
    const empty = { written: [], config: CONFIG, state: EMPTY_STATE, digest: '' };
    Object.assign(this, { project: new Project(), programs: new Programs(), ...empty });
  }

  async end(): Promise<void> {
    expect(this.programs.left()).toEqual([]);
    this.project.remove();
    this.programs.remove();
  }

  get root(): string {
    return this.project.root;
  }

  get turn(): Turn {
    const turn = this.state.active_turns[TURN];
    if (turn === undefined) throw new Error('no dispatched turn');
    return turn;
  }

  get result(): Record<string, unknown> {
    return resultFor(this.state, TURN);
  }

  /** Dispatches the turn to a role with this runtime. */
  async dispatched(runtime: RuntimeConfig, more: Partial<GovernedConfig> = {}, attempt = 1): Promise<this> {
    this.config = { ...CONFIG, ...more, runtimes: { bench: runtime } };
    const idle = { ...EMPTY_STATE, phase: 'implementation' };
    const begun = initialiseRun(idle, this.config, { runId: 'run_lamp', now: NOW });
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
    if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome)}`);
    return outcome;
  }

  staged(): unknown {
    return existsSync(join(this.root, RESULT)) ? JSON.parse(this.project.read(RESULT)) : null;
  }

  /** All files and messages as one text, to search for secrets. */
  everything(): string {
    return [this.everythingIn('.'), ...this.written].join('\n');
  }

  everythingIn(folder: string): string {
    const entries = readdirSync(join(this.root, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ name, parentPath }) => `${name}\n${readFileSync(join(parentPath, name), 'utf8')}`).join('\n');
  }

  /** Runs the turn, and cancels it once it has begun. */
  async cancels(begun: () => Promise<unknown>, options: RunAdapterOptions = {}): Promise<DriverFailure> {
    const cancel = new AbortController();
    const failed = this.fails({ ...options, signal: cancel.signal });
    await begun();
    cancel.abort();
    return failed;
  }
}

/** Adds a stub model and virtual time. Every wait between two tries passes immediately. */
export class ModelScene extends Scene {
  clock!: VirtualClock;
  stub!: StubModel;

  override async begin(): Promise<void> {
    await super.begin();
    this.clock = new VirtualClock(Date.UTC(2026, 9, 20));
    this.stub = await StubModel.start(() => this.clock.monotonic());
  }

  override async end(): Promise<void> {
    await this.stub.stop();
    await super.end();
  }

  override run(options: RunAdapterOptions = {}): Promise<DriverOutcome> {
    const write = (text: string): void => {
      this.written.push(text);
      if (/ in [\d.]+ s\n$/.test(text)) setImmediate(() => this.clock.toNext());
    };
    return super.run({ clock: this.clock, variables: { LAMP_KEY: SECRET, GEMINI_API_KEY: SECRET }, write, ...options });
  }
}
