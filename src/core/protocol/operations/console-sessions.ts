/** Operations of the console about sessions: the caller, session types, session states and graphs. */

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

/** The caller and its grants. */
export interface WhoAmI {
  readonly agent_id: string;
  readonly name: string;
  readonly kind: AgentKind;
  /** Grants of the identity and of its credential. */
  readonly grants: readonly Grant[];
}

/** A condition or target for graphs. */
export interface RulePartInfo {
  readonly name: string;
  readonly version: number;
  /** Arguments that name participants. */
  readonly agents: readonly string[];
  /** Arguments that hold conditions; empty for targets. */
  readonly conditions: readonly string[];
}

export interface SessionType {
  readonly manifest: Manifest;
  /** Parts for its graphs; null = the type has no graphs. */
  readonly graph: { readonly conditions: readonly RulePartInfo[]; readonly targets: readonly RulePartInfo[] } | null;
}

export interface TurnSince {
  readonly agent_id: string;
  readonly since_seq: number;
  readonly since_at: string;
}

export interface AwaitedSince extends Awaited {
  readonly since_at: string;
}

/** The next automatic event. `what`: `invites`, `ttl`, `drain`, `expected`, or the name of an expectation. */
export interface NextDeadline {
  readonly at: string;
  readonly what: string;
  /** The agent that must act; null if nobody in particular must, or if unknown. */
  readonly agent_id: string | null;
}

export interface DescribedParticipant {
  readonly agent_id: string;
  readonly name: string;
  /** null if the participant was added later and the session is not loaded. */
  readonly role: string | null;
  readonly status: ParticipantStatus;
}

/** A session as shown in a list. */
export interface SessionDescription {
  readonly session_id: string;
  readonly head_seq: number;
  readonly state: LifecycleState;
  readonly participants: readonly DescribedParticipant[];
  readonly turn: TurnSince | null;
  /** The decision that the session waits for; null if none, or if you are not in the session. */
  readonly awaits: AwaitedSince | null;
  readonly next_deadline: NextDeadline | null;
  /** Reported spending; null if none, or if you are not in the session. */
  readonly cost_usd: number | null;
  readonly usage: Spend | null;
  /** The newest line you can read, shortened; null if none, or if you are not in the session. */
  readonly text: string | null;
}

export interface ArmedWait {
  /** The agent that must act; null if anyone may. */
  readonly agent_id: string | null;
  readonly since_seq: number;
  readonly due_at: string;
}

/** An expectation of a session, with its running waits. */
export interface ExpectationStatus extends ExpectationEntry {
  readonly armed: readonly ArmedWait[];
}

/** A session now or at an earlier seq. */
export interface SessionStateAt {
  readonly at_seq: number;
  /** When the envelope at `at_seq` was accepted. */
  readonly at: string;
  readonly head_seq: number;
  readonly session: SessionMetadata;
  readonly turn: TurnSince | null;
  /** The decision that the session waits for; null if none, or if you are not in the session. */
  readonly awaits: AwaitedSince | null;
  readonly public_state: JsonObject;
  readonly expectations: readonly ExpectationStatus[];
  readonly next_deadline: NextDeadline | null;
  readonly cost_usd: number | null;
  readonly usage: Spend | null;
  /** Why the adapter's share of this answer is missing; null if the answer is complete. */
  readonly unavailable: string | null;
  /** Redactions so far: a copy read with a lower count may show redacted content. */
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
      /** Read as this participant (name or id); requires `observe`. */
      readonly participant?: string | undefined;
    };
    result: SessionStateAt;
  };
  check_graph: {
    params: { readonly graph: JsonObject; readonly type?: string | undefined };
    result: GraphReport;
  };
}

/** Maximum number of sessions described for one screen. */
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
    help: 'Show your identity and your grants.',
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
    help: 'List the session types, newest version of each: their manifests, and the parts their graphs may use.',
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
    help: 'Describe sessions: participants, turn holder, next deadline and costs. Leaves out those you may not see; the grant `observe` shows all.',
    retry: 'always',
    about: { session_ids: 'The sessions; those you may not see are left out.' },
  }),
  read_state: operation({
    params: z.object({ session_id: sessionId, at_seq: seq.optional(), participant: agentRef.optional() }),
    result: stateAt,
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'Read a session now or at an earlier seq: metadata, turn, public state and expectations. The grant `observe` allows any session.',
    retry: 'always',
    about: { participant: 'Read as this participant (name or id); requires `observe`; absent = yourself.' },
  }),
  check_graph: operation({
    params: z.object({ graph: anyObject(), type: text(64).optional() }),
    result: graphReport,
    who: 'bound',
    errors: ['not_found'],
    help: 'Check a graph and draw it; nothing is stored.',
    retry: 'always',
    about: {
      graph: 'The graph, as in `knobs.graph`.',
      type: 'The session type; absent = the one that has graphs.',
    },
  }),
};
