/** One run of a phase: what its hooks are told, and what is written down of them. */

import { join, posix } from 'node:path';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import type { Hook, HookAudit, HookEnvelope } from '../engine/hooks/hook.ts';
import type { Unknowns } from '../engine/lib/unknown-record.ts';
import { appendLine } from '../../node/governed/hooks/audit.ts';
import type { HookOptions } from './run-hooks.ts';

export class PhaseRecord {
  readonly root: string;
  readonly options: HookOptions;
  readonly entries: HookAudit[] = [];
  readonly #phase: string;
  readonly #payload: Unknowns;

  constructor(root: string, phase: string, payload: Unknowns, options: HookOptions) {
    this.root = root;
    this.options = options;
    this.#phase = phase;
    this.#payload = payload;
  }

  envelopeFor({ name }: Hook): HookEnvelope {
    return {
      hook_phase: this.#phase,
      hook_name: name,
      run_id: this.#id('run_id'),
      project_root: this.root,
      timestamp: new Date().toISOString(),
      payload: this.#payload,
    };
  }

  /** What is the same in every entry. */
  headFor({ name }: Hook): Pick<HookAudit, 'timestamp' | 'hook_phase' | 'hook_name' | 'run_id' | 'turn_id'> {
    return {
      timestamp: new Date().toISOString(),
      hook_phase: this.#phase,
      hook_name: name,
      run_id: this.#id('run_id'),
      turn_id: this.#id('turn_id'),
    };
  }

  /** What says which hooks were asked, relative to the root. */
  get auditFiles(): readonly string[] {
    const folder = this.options.auditDir ?? RUN_FOLDER;
    return ['hook-audit.jsonl', 'hook-annotations.jsonl'].map((name) => posix.join(folder, name));
  }

  async add(entry: HookAudit): Promise<void> {
    this.entries.push(entry);
    const [audit = '', notes = ''] = this.auditFiles.map((path) => join(this.root, path));
    await appendLine(audit, entry);
    if (this.#phase !== 'after_acceptance' || entry.annotations.length === 0) return;
    const { timestamp, hook_name, run_id, turn_id, annotations } = entry;
    await appendLine(notes, { timestamp, run_id, turn_id, hook_name, annotations });
  }

  async skip(hook: Hook): Promise<void> {
    await this.add({
      ...this.headFor(hook),
      duration_ms: 0,
      verdict: null,
      message: null,
      annotations: [],
      exit_code: null,
      timed_out: false,
      stderr_excerpt: '',
      orchestrator_action: 'skipped',
    });
  }

  /** As the caller says; else as what is looked on at says itself. */
  #id(name: 'run_id' | 'turn_id'): string | null {
    const id = this.options[name] ?? this.#payload[name];
    return typeof id === 'string' ? id : null;
  }
}
