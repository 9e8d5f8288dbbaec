/** Operations of the console about the hub: figures, the feed of violations and audit records, and health. */

import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { anyObject, integerBetween, oneOf, record, text } from '../../lib/schema.ts';
import type { Grant } from '../../records/access/grants.ts';
import { grant } from '../../records/access/token-schema.ts';
import { agentName, count, generatedId, sessionId, time } from '../../records/fields.ts';
import { nothing, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

/** Figures of one second. */
export interface FigurePoint {
  /** The end of the second. */
  readonly at: string;
  readonly posts_per_s: number;
  readonly delivered_per_s: number;
  readonly refused_per_s: number;
  /** Latency of the posts answered in this second; null if there were none. */
  readonly ack_p50_ms: number | null;
  readonly ack_p99_ms: number | null;
}

export interface SlowConsumer {
  readonly agent_id: string;
  readonly name: string;
  /** Bytes sent but not drained. */
  readonly unsent_bytes: number;
  /** Unacked deliveries. */
  readonly unacked: number;
}

/** A wait for the action of a participant or an operator. */
export interface PendingWait {
  readonly session_id: string;
  /** null if anyone with `grant` may act. */
  readonly agent_id: string | null;
  readonly name: string | null;
  readonly what: 'turn' | 'invite' | 'ack' | 'reply' | 'decision';
  /** The decision to make, as described by the session type; null if the wait is not for a decision. */
  readonly text: string | null;
  readonly grant: Grant | null;
  readonly since_at: string;
  readonly due_at: string | null;
}

export interface AgentLoad {
  readonly agent_id: string;
  readonly name: string;
  readonly connected: boolean;
  readonly open_turns: number;
  /** Number of the agent's live sessions. */
  readonly sessions: number;
  /** Unacked envelopes; null = not counted yet. */
  readonly inbox: number | null;
}

export interface HubFigures {
  readonly time: string;
  readonly uptime_s: number;
  readonly connections: number;
  readonly agents_connected: number;
  /** Live sessions by state. */
  readonly sessions: Readonly<Record<string, number>>;
  /** Since the hub started. */
  readonly totals: { readonly posts: number; readonly delivered: number; readonly refused: number };
  /** One per second, oldest first. */
  readonly series: readonly FigurePoint[];
  readonly staged: { readonly units: number; readonly bytes: number };
  readonly slow_consumers: readonly SlowConsumer[];
  /** Waits, oldest first. */
  readonly waits: readonly PendingWait[];
  readonly agents: readonly AgentLoad[];
  /** true = waits and loads cover only the newest live sessions. */
  readonly is_partial: boolean;
}

export interface FeedEntry {
  readonly number: number;
  readonly at: string;
  readonly kind: 'violation' | 'audit';
  readonly session_id: string | null;
  readonly agent_id: string | null;
  readonly name: string | null;
  /** The violated expectation, or the kind of the audit record. */
  readonly what: string;
  readonly detail: JsonObject;
}

export interface Health {
  readonly ready: boolean;
  readonly reason: string | null;
  readonly hub_id: string;
  readonly time: string;
  readonly sessions: { readonly live: number; readonly loaded: number; readonly unavailable: number };
  readonly bound: number;
  readonly connections: number;
  readonly staged_units: number;
  readonly staged_bytes: number;
}

export interface ConsoleHubOperations {
  hub_figures: { params: Record<string, never>; result: HubFigures };
  read_feed: {
    params: {
      /** Only entries with a greater number. */
      readonly since?: number | undefined;
      readonly after?: number | undefined;
      readonly limit?: number | undefined;
    };
    /** Newest first. */
    result: { readonly entries: readonly FeedEntry[]; readonly next: number | null };
  };
  health: { params: Record<string, never>; result: Health; open: true };
}

const amount = z.number().nonnegative();

const hubFigures = record<HubFigures>({
  time,
  uptime_s: amount,
  connections: count,
  agents_connected: count,
  sessions: z.record(z.string(), count),
  totals: record<HubFigures['totals']>({ posts: count, delivered: count, refused: count }),
  series: z.array(
    record<FigurePoint>({
      at: time,
      posts_per_s: amount,
      delivered_per_s: amount,
      refused_per_s: amount,
      ack_p50_ms: amount.nullable(),
      ack_p99_ms: amount.nullable(),
    }),
  ),
  staged: record<HubFigures['staged']>({ units: count, bytes: count }),
  slow_consumers: z.array(
    record<SlowConsumer>({ agent_id: generatedId, name: agentName, unsent_bytes: count, unacked: count }),
  ),
  waits: z.array(
    record<PendingWait>({
      session_id: sessionId,
      agent_id: generatedId.nullable(),
      name: agentName.nullable(),
      what: oneOf<PendingWait['what']>({ turn: 1, invite: 1, ack: 1, reply: 1, decision: 1 }),
      text: z.string().nullable(),
      grant: grant.nullable(),
      since_at: time,
      due_at: time.nullable(),
    }),
  ),
  agents: z.array(
    record<AgentLoad>({
      agent_id: generatedId,
      name: agentName,
      connected: z.boolean(),
      open_turns: count,
      sessions: count,
      inbox: count.nullable(),
    }),
  ),
  is_partial: z.boolean(),
});

const feedEntry = record<FeedEntry>({
  number: count,
  at: time,
  kind: oneOf<FeedEntry['kind']>({ violation: 1, audit: 1 }),
  session_id: sessionId.nullable(),
  agent_id: z.string().nullable(),
  name: z.string().nullable(),
  what: z.string(),
  detail: anyObject(),
});

export const CONSOLE_HUB: Operations<ConsoleHubOperations> = {
  hub_figures: operation({
    params: nothing,
    result: hubFigures,
    who: 'observer',
    errors: ['forbidden'],
    help: 'Show the state of the hub: rates of the last minute, slow consumers, waits, and the load of each agent.',
    retry: 'always',
  }),
  read_feed: operation({
    params: z.object({
      since: integerBetween(0, Number.MAX_SAFE_INTEGER).optional(),
      after: integerBetween(1, Number.MAX_SAFE_INTEGER).optional(),
      limit: integerBetween(1, 200).optional(),
    }),
    result: record<ConsoleHubOperations['read_feed']['result']>({
      entries: z.array(feedEntry),
      next: count.nullable(),
    }),
    who: 'observer',
    errors: ['forbidden'],
    help: 'Read violations (requires `observe`) and audit records (requires `operate`), newest first. A page may be empty: follow next.',
    retry: 'always',
    about: { since: 'Only entries with a greater number.' },
  }),
  health: operation({
    params: nothing,
    result: record<Health>({
      ready: z.boolean(),
      reason: z.string().nullable(),
      hub_id: text(128),
      time,
      sessions: record<Health['sessions']>({ live: count, loaded: count, unavailable: count }),
      bound: count,
      connections: count,
      staged_units: count,
      staged_bytes: count,
    }),
    who: 'anyone',
    errors: [],
    help: 'Show whether the hub accepts posts, and how much it holds.',
    retry: 'always',
  }),
};
