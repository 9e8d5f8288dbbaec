/** What somebody who looks after a hub asks for, as it travels: who one is, what there is, how sessions stand, how the hub is doing. */

import type { Awaited } from './records/session/envelope.ts';
import type { Grant } from './records/access/grants.ts';
import type { JsonObject } from './lib/json.ts';
import type { AgentKind } from './records/identity/passport.ts';
import type { ExpectationEntry, LifecycleState, Manifest, ParticipantStatus, SessionMetadata } from './records/session/session.ts';
import type { Spent } from './records/session/spending.ts';

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
  readonly usage: Spent | null;
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
export interface ShownExpectation extends ExpectationEntry {
  readonly armed: readonly ArmedWait[];
}

/** A session as it is, or was at a seq. */
export interface StateAt {
  readonly at_seq: number;
  /** When the envelope with this seq was accepted. */
  readonly at: string;
  readonly head_seq: number;
  readonly session: SessionMetadata;
  readonly turn: TurnSince | null;
  /** What it waits for that is nobody's turn; null = nothing, or you are not in it. */
  readonly awaits: AwaitedSince | null;
  readonly public_state: JsonObject;
  readonly expectations: readonly ShownExpectation[];
  readonly next_deadline: NextDeadline | null;
  readonly cost_usd: number | null;
  readonly usage: Spent | null;
  /** Why its type can say nothing of it; null = it can. */
  readonly unavailable: string | null;
  /** How often something of it was redacted, as of now: what was read when there were fewer may show too much. */
  readonly redactions: number;
}

export interface GraphNode {
  readonly id: string;
  readonly kind: 'start' | 'agent' | 'anyone' | 'target' | 'end';
  readonly label: string;
  /** Whom an `agent` stands for: a name or an id, as the graph says it. */
  readonly agent: string | null;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** A graph as far as it can be drawn, and what is wrong with it. */
export interface GraphReport {
  readonly ok: boolean;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  readonly warnings: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The node of who begins. */
  readonly initial: string | null;
}

/** One second of the hub. */
export interface FigurePoint {
  /** The end of it. */
  readonly at: string;
  readonly posts_per_s: number;
  readonly delivered_per_s: number;
  readonly refused_per_s: number;
  /** Of posts that were answered in it; null = there were none. */
  readonly ack_p50_ms: number | null;
  readonly ack_p99_ms: number | null;
}

export interface SlowConsumer {
  readonly agent_id: string;
  readonly name: string;
  /** Sent, and not gone yet. */
  readonly unsent_bytes: number;
  /** Delivered, and not acked. */
  readonly unacked: number;
}

/** Somebody is waited for. */
export interface HubWait {
  readonly session_id: string;
  /** null = anybody with `grant`. */
  readonly agent_id: string | null;
  readonly name: string | null;
  readonly what: 'turn' | 'invite' | 'ack' | 'reply' | 'decision';
  /** What has to be decided, as the type of the session says it; null = nothing has. */
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
  /** Live sessions it is in. */
  readonly sessions: number;
  /** Delivered or to be delivered, and not acked; null = not counted yet. */
  readonly inbox: number | null;
}

export interface HubFigures {
  readonly time: string;
  readonly uptime_s: number;
  readonly connections: number;
  readonly agents_connected: number;
  /** Live sessions by state. */
  readonly sessions: Readonly<Record<string, number>>;
  /** Since the hub began. */
  readonly totals: { readonly posts: number; readonly delivered: number; readonly refused: number };
  /** The last seconds, oldest first. */
  readonly series: readonly FigurePoint[];
  readonly staged: { readonly units: number; readonly bytes: number };
  readonly slow_consumers: readonly SlowConsumer[];
  /** Oldest first. */
  readonly waits: readonly HubWait[];
  readonly agents: readonly AgentLoad[];
  /** Waits and loads are of the newest live sessions alone: there are more. */
  readonly is_partial: boolean;
}

export interface FeedEntry {
  readonly number: number;
  readonly at: string;
  readonly kind: 'violation' | 'audit';
  readonly session_id: string | null;
  readonly agent_id: string | null;
  readonly name: string | null;
  /** The expectation that was violated, or the kind of the audit record. */
  readonly what: string;
  readonly detail: JsonObject;
}

export interface ConsoleOperationTypes {
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
    result: StateAt;
  };
  check_graph: {
    params: { readonly graph: JsonObject; readonly type?: string | undefined };
    result: GraphReport;
  };
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
}
