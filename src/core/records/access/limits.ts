/** Every bound of the hub with its default; all can be set when the hub is made. */

import { HubError } from '../../lib/errors.ts';
import { describeValue } from '../../lib/json.ts';

export interface Limits {
  /** Participants of one session, the creator included. */
  readonly maxParticipants: number;
  /** Bytes of JSON in one envelope's event_data. */
  readonly maxEventBytes: number;
  /** Bytes of JSON in a session's knobs (with its context). */
  readonly maxKnobBytes: number;
  readonly maxLabels: number;
  readonly maxLabelBytes: number;
  /** Bytes of an agent's skill, its front matter included. */
  readonly maxSkillBytes: number;
  /** Nesting of any JSON a client sends. */
  readonly maxJsonDepth: number;
  /** Envelopes of one session; then it closes with `log_full`. */
  readonly maxEnvelopes: number;
  /** Tasks of one session that have not ended. */
  readonly maxTasks: number;
  /** Unacknowledged deliveries of one stream. */
  readonly window: number;
  /** Envelopes a recipient may leave unacked over all its sessions, unless its rule says another. */
  readonly maxPending: number;
  readonly maxFrameBytes: number;
  /** Bytes of a paged answer. */
  readonly maxResponseBytes: number;
  /** Envelopes, and characters of text, that one call of a search looks through; the next call goes on. */
  readonly maxSearchEntries: number;
  readonly maxSearchText: number;
  /** Requests of one connection that may be open at once. */
  readonly maxOpenRequests: number;
  /** Frames that do not parse before the connection is closed. */
  readonly maxBadFrames: number;
  /** Identities bound on one connection. */
  readonly maxIdentities: number;
  /** Sessions that are observed on one connection. */
  readonly maxSubscriptions: number;
  /** Bytes of text that a turn may show before it is said, in a second and in all. */
  readonly maxDeltaRateBytes: number;
  readonly maxTurnDeltaBytes: number;
  /** Bytes waiting to leave on one connection above which its streams wait, and nothing more is read from it. */
  readonly maxUnsentBytes: number;
  /** Bytes waiting to leave above which the connection is ended as a slow consumer. */
  readonly maxHeldBytes: number;
  /** How long a connection may be held up before it is ended as a slow consumer. */
  readonly slowConsumerMs: number;
  /** Bytes staged and not yet durable over all sessions; more are refused. */
  readonly maxStagedBytes: number;
  /** A flush older than this refuses new posts. */
  readonly maxFlushMs: number;
  /** Loaded sessions above which idle ones are evicted. */
  readonly maxLoadedSessions: number;
  /** Envelopes of a loaded session kept in memory for delivery. */
  readonly tailLength: number;
  /** Envelopes below which a session is always folded: a snapshot of fewer saves nothing. */
  readonly snapshotLength: number;
  /** Envelopes after which a session's lines are counted up: what a view of the past may read beyond what it shows. */
  readonly tallyLength: number;
  readonly inviteTimeoutMs: number;
  readonly drainTimeoutMs: number;
  /** After a start, how long those invited before it have at least, and nothing that is expected is violated: nobody could act while the hub was down. */
  readonly restartGraceMs: number;
  readonly sessionTtlMs: number;
  /** A session without TTL ends when none of its participants was bound for this long. */
  readonly orphanMs: number;
  /** How long the end of a session is kept for those who were away. */
  readonly endedForMs: number;
  /** How long an arbiter may take; then the answer is no. */
  readonly arbiterMs: number;
  /** Schedules of the hub, and of one creator. */
  readonly maxSchedules: number;
  readonly maxSchedulesPerCreator: number;
  /** Bytes of JSON in the template of a schedule. */
  readonly maxTemplateBytes: number;
  /** A scheduled time that is seen later than this is missed. */
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

/** The defaults with what is given in their place; a limit that is unknown or not a positive number is refused by name. */
export function limitsWith(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const known = Object.keys(DEFAULT_LIMITS).join(', ');
      throw new HubError('bad_limits', `limits.${name}: there is no such limit; there are ${known}`);
    }
    const isNumber = typeof value === 'number' && value > 0;
    // Times may be any; what is counted is whole, or without bound.
    const isWhole = name.endsWith('Ms') || Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
    if (value !== undefined && !(isNumber && isWhole)) {
      const expected = name.endsWith('Ms') ? 'a number over 0' : 'a whole number over 0';
      throw new HubError('bad_limits', `limits.${name}: expected ${expected}, got ${describeValue(value)}`);
    }
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}
