/** Every limit of the hub with its default; all can be set when the hub is created. */

import { HubError } from '../../lib/errors.ts';
import { describeValue } from '../../lib/json.ts';

export interface Limits {
  /** Participants of one session, the creator included. */
  readonly maxParticipants: number;
  /** Bytes of JSON in one envelope's event_data. */
  readonly maxEventBytes: number;
  /** Bytes of JSON in a session's knobs, including context variables. */
  readonly maxKnobBytes: number;
  readonly maxLabels: number;
  readonly maxLabelBytes: number;
  /** Bytes of an agent's skill, its front matter included. */
  readonly maxSkillBytes: number;
  /** Nesting of any JSON a client sends. */
  readonly maxJsonDepth: number;
  /** Envelopes of one session; at the limit it closes with `log_full`. */
  readonly maxEnvelopes: number;
  /** Open tasks of one session. */
  readonly maxTasks: number;
  /** Maximum unacked deliveries per stream. */
  readonly window: number;
  /** Unacked envelopes per recipient over all sessions, unless its access rule sets another limit. */
  readonly maxPending: number;
  readonly maxFrameBytes: number;
  /** Bytes of one page of results. */
  readonly maxResponseBytes: number;
  /** Envelopes, and characters of text, that one search call reads; the next call continues. */
  readonly maxSearchEntries: number;
  readonly maxSearchText: number;
  /** Open requests per connection. */
  readonly maxOpenRequests: number;
  /** Consecutive invalid frames before the connection is closed. */
  readonly maxBadFrames: number;
  /** Identities bound on one connection. */
  readonly maxIdentities: number;
  /** Sessions observed on one connection. */
  readonly maxSubscriptions: number;
  /** Bytes of delta text per turn, each second and in total. */
  readonly maxDeltaRateBytes: number;
  readonly maxTurnDeltaBytes: number;
  /** Unsent bytes of a connection above which its streams pause and the hub stops reading from it. */
  readonly maxUnsentBytes: number;
  /** Unsent bytes above which the connection is closed as a slow consumer. */
  readonly maxHeldBytes: number;
  /** How long backpressure may last before the connection is closed as a slow consumer. */
  readonly slowConsumerMs: number;
  /** Staged bytes over all sessions; the hub rejects more. */
  readonly maxStagedBytes: number;
  /** While a flush takes longer than this, the hub rejects new posts. */
  readonly maxFlushMs: number;
  /** Loaded sessions above which idle ones are evicted. */
  readonly maxLoadedSessions: number;
  /** Envelopes of a loaded session kept in memory for delivery. */
  readonly tailLength: number;
  /** Sessions with fewer envelopes are always folded: a snapshot would save nothing. */
  readonly snapshotLength: number;
  /** Envelopes between two counts of a session's visible lines; limits how far a view of the past reads. */
  readonly tallyLength: number;
  readonly inviteTimeoutMs: number;
  readonly drainTimeoutMs: number;
  /** Grace period after a start: older invites last at least this long, and no expectation fires. */
  readonly restartGraceMs: number;
  readonly sessionTtlMs: number;
  /** A session without TTL ends when none of its participants was bound for this long. */
  readonly orphanMs: number;
  /** How long absent participants can still learn that a session ended. */
  readonly endedForMs: number;
  /** Time in which an arbiter must answer; later the hub denies. */
  readonly arbiterMs: number;
  /** Maximum number of schedules, per hub and per creator. */
  readonly maxSchedules: number;
  readonly maxSchedulesPerCreator: number;
  /** Bytes of JSON in the template of a schedule. */
  readonly maxTemplateBytes: number;
  /** A run that starts later than this is missed. */
  readonly scheduleLateMs: number;
  /** How long a create_session key is remembered. */
  readonly createKeyMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  maxParticipants: 256,
  maxEventBytes: 256 * 1024,
  maxKnobBytes: 64 * 1024,
  maxLabels: 32,
  maxLabelBytes: 1024,
  maxSkillBytes: 64 * 1024,
  maxJsonDepth: 64,
  maxEnvelopes: 1_000_000,
  maxTasks: 256,
  window: 256,
  maxPending: 1000,
  maxFrameBytes: 1024 * 1024,
  maxResponseBytes: 768 * 1024,
  maxSearchEntries: 2_000,
  maxSearchText: 4 * 1024 * 1024,
  maxOpenRequests: 64,
  maxBadFrames: 20,
  maxIdentities: 64,
  maxSubscriptions: 256,
  maxDeltaRateBytes: 64 * 1024,
  maxTurnDeltaBytes: 1024 * 1024,
  maxUnsentBytes: 1024 * 1024,
  maxHeldBytes: 8 * 1024 * 1024,
  slowConsumerMs: 30_000,
  maxStagedBytes: 64 * 1024 * 1024,
  maxFlushMs: 5_000,
  maxLoadedSessions: 10_000,
  tailLength: 64,
  snapshotLength: 64,
  tallyLength: 1024,
  inviteTimeoutMs: 30_000,
  drainTimeoutMs: 5_000,
  restartGraceMs: 30_000,
  sessionTtlMs: 2 * 3_600_000,
  orphanMs: 24 * 3_600_000,
  endedForMs: 7 * 24 * 3_600_000,
  arbiterMs: 1_000,
  maxSchedules: 1000,
  maxSchedulesPerCreator: 100,
  maxTemplateBytes: 64 * 1024,
  scheduleLateMs: 60_000,
  createKeyMs: 24 * 3_600_000,
};

/** Merges overrides into the defaults. Rejects unknown limits and non-positive numbers by name. */
export function limitsWith(overrides: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const known = Object.keys(DEFAULT_LIMITS).join(', ');
      throw new HubError('bad_limits', `limits.${name}: unknown limit; valid limits: ${known}`);
    }
    const isNumber = typeof value === 'number' && value > 0;
    // Times may be fractions; counts are whole or unlimited.
    const isWhole = name.endsWith('Ms') || Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
    if (value !== undefined && !(isNumber && isWhole)) {
      const expected = name.endsWith('Ms') ? 'a number over 0' : 'a whole number over 0';
      throw new HubError('bad_limits', `limits.${name}: expected ${expected}, got ${describeValue(value)}`);
    }
  }
  const set = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}
