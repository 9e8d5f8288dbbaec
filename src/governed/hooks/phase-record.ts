/** Records what the hooks of one phase did: audit lines, annotations and the answer to the caller. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { makeFolder } from '../../system/make-folder.ts';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import type { Hook, HookAudit, HookEnvelope } from '../engine/hooks/hook.ts';
import type { UnknownRecord } from '../engine/lib/unknown-record.ts';

export interface HookOptions {
  readonly run_id?: string | null;
  readonly turn_id?: string | null;
  /** Folder of hook-audit.jsonl, relative to the root. */
  readonly auditDir?: string;
  /** Paths protected in addition to the run files, relative to the root. A folder protects its files. */
  readonly protectedPaths?: readonly string[];
  /** Values of `${NAME}` (default: the environment of this process). */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

export class PhaseRecord {
  readonly root: string;
  readonly options: HookOptions;
  readonly entries: HookAudit[] = [];
  readonly #phase: string;
  readonly #payload: UnknownRecord;

  constructor(root: string, phase: string, payload: UnknownRecord, options: HookOptions) {
    this.root = root;
    this.options = options;
    this.#phase = phase;
    this.#payload = payload;
  }

  envelopeFor(hook: Hook): HookEnvelope {
    const { turn_id: _, ...head } = this.headFor(hook);
    return { ...head, project_root: this.root, payload: this.#payload };
  }

  headFor({ name }: Hook): Pick<HookAudit, 'timestamp' | 'hook_phase' | 'hook_name' | 'run_id' | 'turn_id'> {
    return {
      timestamp: new Date().toISOString(),
      hook_phase: this.#phase,
      hook_name: name,
      run_id: this.#id('run_id'),
      turn_id: this.#id('turn_id'),
    };
  }

  /** Audit and annotation files, relative to the root. */
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

  /** Returns the caller's id, or else the id in the payload. */
  #id(name: 'run_id' | 'turn_id'): string | null {
    const id = this.options[name] ?? this.#payload[name];
    return typeof id === 'string' ? id : null;
  }
}

export async function appendLine(path: string, record: unknown): Promise<void> {
  await makeFolder(dirname(path));
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last.toString() !== '\n';
    // A single write, so that concurrent readers see complete lines.
    await file.appendFile(`${isTorn ? '\n' : ''}${JSON.stringify(record)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
