/** The schemas of what somebody who looks after a hub asks for, and of what it is answered. */

import { z } from 'zod';
import type {
  AgentLoad,
  ArmedWait,
  AwaitedSince,
  ConsoleOperationTypes,
  DescribedParticipant,
  FeedEntry,
  FigurePoint,
  GraphEdge,
  GraphNode,
  GraphReport,
  HubFigures,
  HubWait,
  NextDeadline,
  RulePartInfo,
  SessionDescription,
  SessionType,
  ShownExpectation,
  SlowConsumer,
  StateAt,
  TurnSince,
  WhoAmI,
} from './console-operations.ts';
import {
  agentKind,
  agentName,
  agentRef,
  count,
  grant,
  lifecycleState,
  madeId,
  manifest,
  participantStatus,
  seq,
  sessionId,
  sessionMetadata,
  time,
} from './records/session/record-schemas.ts';
import { anyObject, oneOf, record, text, whole } from './lib/schema.ts';
import type { ExpectationEntry } from './records/session/session.ts';
import type { Spent } from './records/session/spending.ts';

type Name = keyof ConsoleOperationTypes;

/** Rows of a list that are on a screen at once. */
export const MOST_DESCRIBED = 100;
const nothing: z.ZodType<Record<string, never>> = z.object({});

export const CONSOLE_PARAMS: { readonly [N in Name]: z.ZodType<ConsoleOperationTypes[N]['params']> } = {
  whoami: nothing,
  list_types: nothing,
  describe_sessions: z.object({
    session_ids: z
      .array(sessionId, { error: 'a list of session ids' })
      .max(MOST_DESCRIBED, `at most ${MOST_DESCRIBED} session ids`),
  }),
  read_state: z.object({
    session_id: sessionId,
    at_seq: whole(1, Number.MAX_SAFE_INTEGER).optional(),
    participant: agentRef.optional(),
  }),
  check_graph: z.object({ graph: anyObject(), type: text(64).optional() }),
  hub_figures: nothing,
  read_feed: z.object({
    since: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    after: whole(1, Number.MAX_SAFE_INTEGER).optional(),
    limit: whole(1, 200).optional(),
  }),
};

const amount = z.number().nonnegative();
const spent = record<Spent>({ usd: amount, tokens: count, unpriced: count });
const turnSince = record<TurnSince>({ agent_id: madeId, since_seq: seq, since_at: time });
const awaitedSince = record<AwaitedSince>({ text: z.string(), grant, since_seq: seq, since_at: time });
const nextDeadline = record<NextDeadline>({ at: time, what: text(64), agent_id: madeId.nullable() });
const rulePart = record<RulePartInfo>({
  name: z.string(),
  version: whole(1, Number.MAX_SAFE_INTEGER),
  agents: z.array(z.string()),
  conditions: z.array(z.string()),
});
const costs = { cost_usd: amount.nullable(), usage: spent.nullable() };

const described = record<SessionDescription>({
  session_id: sessionId,
  head_seq: seq,
  state: lifecycleState,
  participants: z.array(
    record<DescribedParticipant>({
      agent_id: madeId,
      name: agentName,
      role: text(64).nullable(),
      status: participantStatus,
    }),
  ),
  turn: turnSince.nullable(),
  awaits: awaitedSince.nullable(),
  next_deadline: nextDeadline.nullable(),
  ...costs,
  text: z.string().nullable(),
});

const shownExpectation = record<ShownExpectation>({
  name: text(64),
  on_violation: text(64),
  params: anyObject(),
  applies_to: z.array(text(64)).exactOptional() as z.ZodExactOptional<
    z.ZodType<NonNullable<ExpectationEntry['applies_to']>>
  >,
  armed: z.array(record<ArmedWait>({ agent_id: madeId.nullable(), since_seq: seq, due_at: time })),
});

const stateAt = record<StateAt>({
  at_seq: seq,
  at: time,
  head_seq: seq,
  session: sessionMetadata,
  turn: turnSince.nullable(),
  awaits: awaitedSince.nullable(),
  public_state: anyObject(),
  expectations: z.array(shownExpectation),
  next_deadline: nextDeadline.nullable(),
  ...costs,
  unavailable: z.string().nullable(),
  redactions: whole(0, Number.MAX_SAFE_INTEGER),
});

const graphReport = record<GraphReport>({
  ok: z.boolean(),
  errors: z.array(record<GraphReport['errors'][number]>({ field: z.string(), message: z.string() })),
  warnings: z.array(z.string()),
  nodes: z.array(
    record<GraphNode>({
      id: text(64),
      kind: oneOf<GraphNode['kind']>({ start: 1, agent: 1, anyone: 1, target: 1, end: 1 }),
      label: z.string(),
      agent: z.string().nullable(),
    }),
  ),
  edges: z.array(record<GraphEdge>({ from: text(64), to: text(64), label: z.string() })),
  initial: text(64).nullable(),
});

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
    record<SlowConsumer>({ agent_id: madeId, name: agentName, unsent_bytes: count, unacked: count }),
  ),
  waits: z.array(
    record<HubWait>({
      session_id: sessionId,
      agent_id: madeId.nullable(),
      name: agentName.nullable(),
      what: oneOf<HubWait['what']>({ turn: 1, invite: 1, ack: 1, reply: 1, decision: 1 }),
      text: z.string().nullable(),
      grant: grant.nullable(),
      since_at: time,
      due_at: time.nullable(),
    }),
  ),
  agents: z.array(
    record<AgentLoad>({
      agent_id: madeId,
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

export const CONSOLE_RESULTS: { readonly [N in Name]: z.ZodType<ConsoleOperationTypes[N]['result']> } = {
  whoami: record<WhoAmI>({ agent_id: madeId, name: agentName, kind: agentKind, grants: z.array(grant) }),
  list_types: record<ConsoleOperationTypes['list_types']['result']>({
    types: z.array(
      record<SessionType>({
        manifest,
        graph: record<NonNullable<SessionType['graph']>>({
          conditions: z.array(rulePart),
          targets: z.array(rulePart),
        }).nullable(),
      }),
    ),
  }),
  describe_sessions: record<ConsoleOperationTypes['describe_sessions']['result']>({ sessions: z.array(described) }),
  read_state: stateAt,
  check_graph: graphReport,
  hub_figures: hubFigures,
  read_feed: record<ConsoleOperationTypes['read_feed']['result']>({
    entries: z.array(feedEntry),
    next: count.nullable(),
  }),
};
