/** Defines the runner interface 0.2. No call throws: a failure is `{ok: false}` with a stable code and a message. */

import type { HookAudit, HooksConfig } from '../../engine/hooks/hook.ts';
import type {
  CompletionVerdict,
  GovernedConfig,
  HistoryEntry,
  Normalisation,
  PhaseVerdict,
  RunState,
  Turn,
} from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';

export interface RunnerFailure {
  readonly ok: false;
  /** Message with the expectation, the value found, and the place. */
  readonly error: string;
  /** Stable; see docs/reference/governed-runner.md. */
  readonly error_code: string;
  readonly error_type?: string;
  readonly details?: UnknownRecord;
  readonly validation?: ValidationReport;
  readonly hookResults?: readonly HookAudit[];
}

export interface ValidationReport {
  readonly ok: boolean;
  /** null if all stages passed. */
  readonly failed_stage: string | null;
  readonly error_type: string | null;
  readonly stages_passed: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly normalisations: readonly Normalisation[];
}

export interface RunContext {
  readonly root: string;
  /** Unchanged content of agentxchain.json. */
  readonly rawConfig: unknown;
  /** Config with synonyms replaced. */
  readonly config: GovernedConfig;
  readonly version: string;
}

export interface RunChanged {
  readonly ok: true;
  readonly state: RunState;
  readonly warnings?: readonly string[];
}

export interface InitOptions {
  readonly provenance?: UnknownRecord | null;
  readonly inherited_context?: UnknownRecord | null;
  /** Required to begin a new run after a completed or blocked one. */
  readonly allow_terminal_restart?: boolean;
  readonly intakeContext?: UnknownRecord | null;
}

export interface RunBegun extends RunChanged {
  /** Notice that the run was taken over from files; otherwise null. */
  readonly migration_notice: string | null;
  readonly phantom_notice: string | null;
}

export interface ReactivateDetails {
  readonly via?: string;
  readonly note?: string;
}

export interface AssignOptions {
  /** Default: a generated id. */
  readonly turnId?: string;
}

export interface TurnAssigned extends RunChanged {
  readonly turn: Turn;
  readonly warnings: readonly string[];
}

export interface AcceptOptions {
  /** Optional if exactly one turn is active. */
  readonly turnId?: string;
  /** `human_merge`: a person merged the conflict with another turn. */
  readonly resolutionMode?: 'standard' | 'human_merge';
  /** Ignored, kept for compatibility: a rule decides whether an empty workspace counts as a review. */
  readonly normalizeArtifactType?: boolean;
}

export interface TurnTaken extends RunChanged {
  readonly validation: ValidationReport;
  readonly accepted: HistoryEntry;
  readonly gateResult: PhaseVerdict | null;
  readonly completionResult: CompletionVerdict | null;
  readonly hookResults: readonly HookAudit[];
  readonly warnings: readonly string[];
  readonly budget_warning?: string;
}

/** Faults of a result: the report of `acceptTurn`, or the caller's own. */
export interface RejectedResult {
  readonly stage?: string | null;
  readonly failed_stage?: string | null;
  readonly errors?: readonly string[];
}

export interface RejectOptions {
  /** Optional if exactly one turn is active. */
  readonly turnId?: string;
  readonly reason?: string;
}

export interface TurnRejectedAnswer extends RunChanged {
  /** True if no attempts are left, so that the run waits for an operator. */
  readonly escalated: boolean;
  readonly turn: Turn;
}

export interface ApproveOptions {
  /** Returns the outcome without changing anything. */
  readonly dryRun?: boolean;
  readonly note?: string;
}

export interface PhaseApproved extends RunChanged {
  readonly transition: RunState['pending_phase_transition'];
  /** Kept for compatibility: gates have no actions. */
  readonly gateActionRun: null;
  readonly dryRun?: true;
}

export interface CompletionApproved extends RunChanged {
  readonly completion: RunState['pending_run_completion'];
  readonly gateActionRun: null;
  readonly dryRun?: true;
}

export interface BlockDetails {
  readonly blockedOn: string;
  readonly category: string;
  readonly recovery?: {
    readonly owner?: string;
    readonly recovery_action?: string;
    readonly detail?: string;
    readonly [more: string]: unknown;
  } | null;
  readonly turnId?: string | null;
  /** Ignored, kept for compatibility: the engine derives this and the following members. */
  readonly escalation?: UnknownRecord | null;
  readonly hooksConfig?: unknown;
  readonly notificationConfig?: unknown;
  readonly blockedAt?: string;
}

export interface EscalateDetails {
  readonly reason: string;
  readonly detail?: string | null;
  readonly action?: string | null;
  readonly turnId?: string | null;
}

export interface Escalated extends RunChanged {
  readonly escalation: RunState['escalation'];
}

export interface DispatchOptions {
  /** Optional if exactly one turn is active. */
  readonly turnId?: string;
  readonly warnings?: readonly string[];
  /** Additional files for the bundle, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

export interface BundleDispatched {
  readonly ok: true;
  /** Relative to the root. */
  readonly bundlePath: string;
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  /** Digest of MANIFEST.json, to verify the bundle; also in the log. */
  readonly digest: string;
  readonly hookResults: readonly HookAudit[];
  readonly state: RunState;
}

export interface ReissueOptions {
  readonly turnId?: string;
  /** Selects the turn by its role instead of its id. */
  readonly roleId?: string;
  readonly reason?: string;
}

export interface TurnReissued extends RunChanged {
  readonly turn: Turn;
  readonly escalated: boolean;
}

export interface BaselineRefreshed extends RunChanged {
  readonly turn: Turn;
  readonly baseline: UnknownRecord;
}

export type LifecycleStep = 'dispatched' | 'starting' | 'running' | 'stalled' | 'failed_start';

export interface LifecycleDetails {
  readonly at?: string;
  readonly pid?: number;
  readonly stream?: string;
}

export interface LifecycleChanged extends RunChanged {
  readonly turn: Turn;
  /** False if the turn was already at that step. */
  readonly changed: boolean;
}

export interface LockTaken {
  readonly ok: true;
  readonly owner: string;
  readonly fence: number;
  readonly expires_at: string;
}

export interface NotificationResult {
  readonly webhook: string;
  readonly ok: boolean;
  readonly status: number | null;
  readonly attempts: number;
  readonly problem: string | null;
}

export interface Notified {
  readonly ok: true;
  readonly event_id: string;
  readonly results: readonly NotificationResult[];
}

type Answer<T> = Promise<T | RunnerFailure>;

export interface Runner {
  loadContext(dir?: string): Promise<RunContext | null>;
  loadState(root: string, config: GovernedConfig): Promise<RunState | null>;
  initRun(root: string, config: GovernedConfig, options?: InitOptions): Answer<RunBegun>;
  /** Undoes `initRun` while the run has no turns: the project is idle again. Succeeds if there is nothing to undo. */
  abandonRun(root: string, runId: string | null): Answer<RunChanged>;
  reactivateRun(root: string, state: RunState | null, details?: ReactivateDetails): Answer<RunChanged>;
  assignTurn(root: string, config: GovernedConfig, roleId: string, options?: AssignOptions): Answer<TurnAssigned>;
  acceptTurn(root: string, config: GovernedConfig, options?: AcceptOptions): Answer<TurnTaken>;
  rejectTurn(
    root: string,
    config: GovernedConfig,
    result: RejectedResult | null | undefined,
    reason?: string | RejectOptions | null,
    options?: RejectOptions,
  ): Answer<TurnRejectedAnswer>;
  approvePhaseGate(root: string, config: GovernedConfig, options?: ApproveOptions): Answer<PhaseApproved>;
  approveCompletionGate(root: string, config: GovernedConfig, options?: ApproveOptions): Answer<CompletionApproved>;
  markRunBlocked(root: string, details: BlockDetails): Answer<RunChanged>;
  escalate(root: string, config: GovernedConfig, details: EscalateDetails): Answer<Escalated>;
  writeDispatchBundle(
    root: string,
    state: RunState | null,
    config: GovernedConfig,
    options?: DispatchOptions,
  ): Answer<BundleDispatched>;
  refreshTurnBaselineSnapshot(root: string, turnId: string): Answer<BaselineRefreshed>;
  reissueTurn(root: string, config: GovernedConfig, options?: ReissueOptions): Answer<TurnReissued>;
  transitionActiveTurnLifecycle(
    root: string,
    turnId: string,
    step: LifecycleStep,
    details?: LifecycleDetails,
  ): Answer<LifecycleChanged>;
  acquireLock(root: string): Answer<LockTaken>;
  releaseLock(root: string): Promise<void>;
  emitNotifications(
    root: string,
    config: GovernedConfig,
    state: RunState | null,
    event: string,
    payload?: UnknownRecord,
    turn?: Turn | null,
  ): Answer<Notified>;
}

export type { HookAudit, HooksConfig };
