/**
 * The runner interface 0.2: what each call is given and what it answers. Nothing here is thrown: a call that cannot be
 * done answers `{ok: false}` with a code that stays and a sentence for people.
 */

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
  /** What was expected, what came, and where. */
  readonly error: string;
  /** Stays the same; see docs/reference/governed-runner.md. */
  readonly error_code: string;
  /** What kind of refusal the engine says it is. */
  readonly error_type?: string;
  readonly details?: UnknownRecord;
  /** Of a result that did not pass. */
  readonly validation?: ValidationReport;
  /** What hooks did before it was stopped. */
  readonly hookResults?: readonly HookAudit[];
}

export interface ValidationReport {
  readonly ok: boolean;
  /** The stage that found something; null = none has. */
  readonly failed_stage: string | null;
  readonly error_type: string | null;
  readonly stages_passed: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly normalisations: readonly Normalisation[];
}

export interface RunContext {
  readonly root: string;
  /** As it stands in agentxchain.json. */
  readonly rawConfig: unknown;
  /** After synonyms were replaced. */
  readonly config: GovernedConfig;
  readonly version: string;
}

export interface RunChanged {
  readonly ok: true;
  readonly state: RunState;
  /** What went wrong on the way and undoes nothing. */
  readonly warnings?: readonly string[];
}

export interface InitOptions {
  readonly provenance?: UnknownRecord | null;
  readonly inherited_context?: UnknownRecord | null;
  /** A run that is completed is followed by a new one only if this is said. */
  readonly allow_terminal_restart?: boolean;
  readonly intakeContext?: UnknownRecord | null;
}

export interface RunBegun extends RunChanged {
  /** Said when a run was taken over from files, and of what was mended; else null. */
  readonly migration_notice: string | null;
  readonly phantom_notice: string | null;
}

export interface ReactivateDetails {
  /** Who or what resumes it. */
  readonly via?: string;
  readonly note?: string;
}

export interface AssignOptions {
  /** An id of the caller's own; else one is made. */
  readonly turnId?: string;
}

export interface TurnAssigned extends RunChanged {
  readonly turn: Turn;
  readonly warnings: readonly string[];
}

export interface AcceptOptions {
  /** May be left out if one turn is out. */
  readonly turnId?: string;
  /** `human_merge`: a person has merged what clashed with another turn. */
  readonly resolutionMode?: 'standard' | 'human_merge';
  /** An empty workspace is judged as a review where a rule allows it, whatever this says; kept for callers that give it. */
  readonly normalizeArtifactType?: boolean;
}

/** The turn is part of the run. */
export interface TurnTaken extends RunChanged {
  readonly validation: ValidationReport;
  /** Its entry of history. */
  readonly accepted: HistoryEntry;
  readonly gateResult: PhaseVerdict | null;
  readonly completionResult: CompletionVerdict | null;
  readonly hookResults: readonly HookAudit[];
  readonly warnings: readonly string[];
  readonly budget_warning?: string;
}

/** What was wrong with a result, as `acceptTurn` tells it or in the caller's own words. */
export interface RejectedResult {
  readonly stage?: string | null;
  readonly failed_stage?: string | null;
  readonly errors?: readonly string[];
}

export interface RejectOptions {
  /** May be left out if one turn is out. */
  readonly turnId?: string;
  readonly reason?: string;
}

export interface TurnRejectedAnswer extends RunChanged {
  /** Its attempts are used up, and the run waits for a person. */
  readonly escalated: boolean;
  readonly turn: Turn;
}

export interface ApproveOptions {
  /** Says what would happen, and changes nothing. */
  readonly dryRun?: boolean;
  readonly note?: string;
}

export interface PhaseApproved extends RunChanged {
  readonly transition: RunState['pending_phase_transition'];
  /** There are no actions of gates; kept for callers that look at it. */
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
  /** The engine makes these of the blocker and the clock; kept for callers that give them. */
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
  /** May be left out if one turn is out. */
  readonly turnId?: string;
  readonly warnings?: readonly string[];
  /** Files for the bundle beside its own, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

export interface BundleDispatched {
  readonly ok: true;
  /** Relative to the root. */
  readonly bundlePath: string;
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  /** Of MANIFEST.json, to verify the bundle by; it is in the log too. */
  readonly digest: string;
  readonly hookResults: readonly HookAudit[];
  readonly state: RunState;
}

export interface ReissueOptions {
  readonly turnId?: string;
  /** Which role's turn, in place of its id. */
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
  /** False = it was there already. */
  readonly changed: boolean;
}

export interface LockTaken {
  readonly ok: true;
  readonly owner: string;
  /** Greater than that of every holder before. */
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

/** The calls that look at a run or change it. `root` is the folder of the project. */
export interface Runner {
  loadContext(dir?: string): Promise<RunContext | null>;
  loadState(root: string, config: GovernedConfig): Promise<RunState | null>;
  initRun(root: string, config: GovernedConfig, options?: InitOptions): Answer<RunBegun>;
  /** Takes back a beginning from which nothing came: the project is idle again. Nothing to take back is no failure. */
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
