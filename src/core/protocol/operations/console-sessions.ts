/** What the console asks about sessions: who one is, which types there are, how sessions stand, and how graphs are drawn. */

import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { anyObject, integerBetween, oneOf, record, text } from '../../lib/schema.ts';
import type { GraphEdge, GraphNode, GraphReport } from '../../ports/adapter.ts';
import type { Grant } from '../../records/access/grants.ts';
import { grant } from '../../records/access/token-schema.ts';
import { agentName, agentRef, count, generatedId, seq, sessionId, time } from '../../records/fields.ts';
import type { AgentKind } from '../../records/identity/passport.ts';
import { agentKind } from '../../records/identity/passport-schema.ts';
import type { Awaited } from '../../records/session/envelope.ts';
import { lifecycleState, manifest, participantStatus, sessionMetadata } from '../../records/session/record-schemas.ts';
import type {
  ExpectationEntry,
  LifecycleState,
  Manifest,
  ParticipantStatus,
  SessionMetadata,
} from '../../records/session/session.ts';
import type { Spend } from '../../records/session/spending.ts';
import { nothing, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

/** Who asks, and what it may do beyond its own business. */
export interface WhoAmI {
  readonly agent_id: string;
  readonly name: string;
  readonly kind: AgentKind;
  /** Its own and those of the credential it asks with. */
  readonly grants: readonly Grant[];
}

/** A condition or a target that graphs may name. */
export interface RulePartInfo {
  readonly name: string;
  readonly version: number;
  /** The arguments that name participants. */
  readonly agents: readonly string[];
  /** The arguments that hold conditions; of a target none. */
  readonly conditions: readonly string[];
}

export interface SessionType {
  readonly manifest: Manifest;
  /** What its graphs may be made of; null = it has no graphs. */
  readonly graph: { readonly conditions: readonly RulePartInfo[]; readonly targets: readonly RulePartInfo[] } | null;
}

/** Whose turn it is, and since when. */
export interface TurnSince {
  readonly agent_id: string;
  readonly since_seq: number;
  readonly since_at: string;
}

/** What is waited for that is nobody's turn, and since when. */
export interface AwaitedSince extends Awaited {
  readonly since_at: string;
}

/** What happens next by itself. `what`: `invites`, `ttl`, `drain`, `expected`, or the name of what is expected. */
export interface NextDeadline {
  readonly at: string;
  readonly what: string;
  /** Who is waited for; null = nobody in particular, or that is not known. */
  readonly agent_id: string | null;
}

export interface DescribedParticipant {
  readonly agent_id: string;
  readonly name: string;
  /** null = it came later, and the session is not in memory. */
  readonly role: string | null;
  readonly status: ParticipantStatus;
}

/** A session as a row of a list shows it. */
export interface SessionDescription {
  readonly session_id: string;
  readonly head_seq: number;
  readonly state: LifecycleState;
  readonly participants: readonly DescribedParticipant[];
  readonly turn: TurnSince | null;
  /** What it waits for that is nobody's turn; null = nothing, or you are not in it. */
  readonly awaits: AwaitedSince | null;
  readonly next_deadline: NextDeadline | null;
  /** What was spent, as far as anybody said; null = nobody did, or you are not in it. */
  readonly cost_usd: number | null;
  readonly usage: Spend | null;
  /** The newest line you can read, shortened; null = there is none, or you are not in it. */
  readonly text: string | null;
}

export interface ArmedWait {
  /** Who must act; null = anybody. */
  readonly agent_id: string | null;
  readonly since_seq: number;
  readonly due_at: string;
}

/** Something a session expects, and for whom it is running. */
export interface ExpectationStatus extends ExpectationEntry {
  readonly armed: readonly ArmedWait[];
}

/** A session as it is, or was at a seq. */
export interface SessionStateAt {
  readonly at_seq: number;
  /** When the envelope with this seq was accepted. */
  readonly at: string;
  readonly head_seq: number;
  readonly session: SessionMetadata;
  readonly turn: TurnSince | null;
  /** What it waits for that is nobody's turn; null = nothing, or you are not in it. */
  readonly awaits: AwaitedSince | null;
  readonly public_state: JsonObject;
  readonly expectations: readonly ExpectationStatus[];
  readonly next_deadline: NextDeadline | null;
  readonly cost_usd: number | null;
  readonly usage: Spend | null;
  /** Why its type can say nothing of it; null = it can. */
  readonly unavailable: string | null;
  /** How often something of it was redacted, as of now: what was read when there were fewer may show too much. */
  readonly redactions: number;
}

export interface ConsoleSessionOperations {
  whoami: { params: Record<string, never>; result: WhoAmI };
  list_types: { params: Record<string, never>; result: { readonly types: readonly SessionType[] } };
  describe_sessions: {
    params: { readonly session_ids: readonly string[] };
    result: { readonly sessions: readonly SessionDescription[] };
  };
  read_state: {
    params: {
      readonly session_id: string;
      readonly at_seq?: number | undefined;
      /** As this one sees it, by name or id: with the grant `observe`. */
      readonly participant?: string | undefined;
    };
    result: SessionStateAt;
  };
  check_graph: {
    params: { readonly graph: JsonObject; readonly type?: string | undefined };
    result: GraphReport;
  };
}

/** Rows of a list that are on a screen at once. */
const MAX_DESCRIBED = 100;
const amount = z.number().nonnegative();
const spent = record<Spend>({ usd: amount, tokens: count, unpriced: count });
const turnSince = record<TurnSince>({ agent_id: generatedId, since_seq: seq, since_at: time });
const awaitedSince = record<AwaitedSince>({ text: z.string(), grant, since_seq: seq, since_at: time });
const nextDeadline = record<NextDeadline>({ at: time, what: text(64), agent_id: generatedId.nullable() });
const rulePart = record<RulePartInfo>({
  name: z.string(),
  version: integerBetween(1, Number.MAX_SAFE_INTEGER),
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
      agent_id: generatedId,
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

const shownExpectation = record<ExpectationStatus>({
  name: text(64),
  on_violation: text(64),
  params: anyObject(),
  applies_to: z.array(text(64)).exactOptional() as z.ZodExactOptional<
    z.ZodType<NonNullable<ExpectationEntry['applies_to']>>
  >,
  armed: z.array(record<ArmedWait>({ agent_id: generatedId.nullable(), since_seq: seq, due_at: time })),
});

const stateAt = record<SessionStateAt>({
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
  redactions: integerBetween(0, Number.MAX_SAFE_INTEGER),
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

export const CONSOLE_SESSIONS: Operations<ConsoleSessionOperations> = {
  whoami: operation({
    params: nothing,
    result: record<WhoAmI>({ agent_id: generatedId, name: agentName, kind: agentKind, grants: z.array(grant) }),
    who: 'self',
    errors: [],
    help: 'Who you are to the hub, and which grants you ask with.',
    retry: 'always',
  }),
  list_types: operation({
    params: nothing,
    result: record<ConsoleSessionOperations['list_types']['result']>({
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
    who: 'bound',
    errors: [],
    help: 'The session types there are, the newest version of each: their manifests, and what graphs of theirs may name.',
    retry: 'always',
  }),
  describe_sessions: operation({
    params: z.object({
      session_ids: z
        .array(sessionId, { error: 'a list of session ids' })
        .max(MAX_DESCRIBED, `at most ${MAX_DESCRIBED} session ids`),
    }),
    result: record<ConsoleSessionOperations['describe_sessions']['result']>({ sessions: z.array(described) }),
    who: 'participant',
    errors: [],
    help: 'How these sessions stand: who is in them, whose turn it is and since when, what is due next, what they cost. Those you may not see are left out; with the grant `observe`, of any.',
    retry: 'always',
    about: { session_ids: 'The sessions; those you may not see are left out.' },
  }),
  read_state: operation({
    params: z.object({ session_id: sessionId, at_seq: seq.optional(), participant: agentRef.optional() }),
    result: stateAt,
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'A session as it is, or was at a seq: metadata, turn, what its type shows of its state, what is expected until when; with the grant `observe`, of any.',
    retry: 'always',
    about: { participant: 'As whom (name or id), with the grant `observe`; absent = yourself.' },
  }),
  check_graph: operation({
    params: z.object({ graph: anyObject(), type: text(64).optional() }),
    result: graphReport,
    who: 'bound',
    errors: ['not_found'],
    help: 'What is wrong with a graph, and how it is drawn; nothing is made of it.',
    retry: 'always',
    about: {
      graph: 'The graph, as in `knobs.graph`.',
      type: 'The session type whose graphs are meant; absent = the one that has some.',
    },
  }),
};
