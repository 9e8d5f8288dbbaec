/** Defines hooks: project programs and services called at phases of a run; some may block it. */

import type { UnknownRecord } from '../lib/unknown-record.ts';

export const HOOK_PHASES = [
  'before_assignment',
  'after_dispatch',
  'before_validation',
  'after_validation',
  'before_acceptance',
  'after_acceptance',
  'before_gate',
  'on_escalation',
] as const;
type HookPhase = (typeof HOOK_PHASES)[number];

/** Phases whose event has already happened, so that their hooks cannot block. */
export const ADVISORY_PHASES: readonly string[] = ['after_acceptance', 'on_escalation'];

export const HOOK_MODES = ['blocking', 'advisory'] as const;
export type HookMode = (typeof HOOK_MODES)[number];

export const MAX_HOOKS_PER_PHASE = 8;
export const HOOK_TIMEOUT_MS = { least: 100, most: 30_000 } as const;

interface AnyHook {
  readonly name: string;
  readonly mode: HookMode;
  readonly timeout_ms: number;
}

export interface ProcessHook extends AnyHook {
  readonly type: 'process';
  readonly command: readonly [string, ...string[]];
  /** `${NAME}` is replaced by a variable of the runner; use it for secrets. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpHook extends AnyHook {
  readonly type: 'http';
  readonly url: string;
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
}

export type Hook = ProcessHook | HttpHook;
export type HooksConfig = Readonly<Partial<Record<HookPhase, readonly Hook[]>>>;

/** Input of a hook, sent on stdin or as a request body. */
export interface HookEnvelope {
  readonly hook_phase: string;
  readonly hook_name: string;
  readonly run_id: string | null;
  readonly project_root: string;
  readonly timestamp: string;
  readonly payload: UnknownRecord;
}

export const VERDICTS = ['allow', 'warn', 'block'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Annotation {
  readonly key: string;
  readonly value: string;
}

export interface HookAnswer {
  readonly verdict: Verdict;
  readonly message: string | null;
  readonly annotations: readonly Annotation[];
}

export const HOOK_ACTIONS = [
  'continued',
  'warned',
  'blocked',
  'downgraded_block_to_warn',
  'blocked_timeout',
  'warned_timeout',
  'blocked_failure',
  'warned_failure',
  'blocked_invalid_output',
  'warned_invalid_output',
  'aborted_tamper',
  'skipped',
] as const;
export type HookAction = (typeof HOOK_ACTIONS)[number];

/** A line of hook-audit.jsonl. */
export interface HookAudit {
  readonly timestamp: string;
  readonly hook_phase: string;
  readonly hook_name: string;
  /** Absent if the hook was skipped. */
  readonly transport?: Hook['type'];
  readonly run_id: string | null;
  readonly turn_id: string | null;
  readonly duration_ms: number;
  readonly verdict: Verdict | null;
  readonly message: string | null;
  readonly annotations: readonly Annotation[];
  readonly exit_code: number | null;
  readonly timed_out: boolean;
  readonly stderr_excerpt: string;
  readonly orchestrator_action: HookAction;
}
