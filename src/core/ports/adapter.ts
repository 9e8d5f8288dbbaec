/** The contract of session adapters: pure decisions over (metadata, envelope, state). */

import type { Json, JsonObject } from '../lib/json.ts';
import type { Awaited, Draft, Envelope, Turn } from '../records/session/envelope.ts';
import { packetText } from '../records/session/packets.ts';
import { REDACTED_TEXT } from '../records/session/redaction.ts';
import type { Manifest, SessionMetadata, ViewRef } from '../records/session/session.ts';
import type { UsedNames, Vocabulary } from './transition.ts';

export interface AdapterResult {
  readonly next_state?: 'CLOSING';
  readonly close_reason?: string;
}

/** An agent's answer on its turn. */
export interface Reply {
  readonly text: string;
  readonly usage?: JsonObject;
  readonly cost_usd?: number | null;
}

/** A draft written by an adapter or participant; the hub fills in the other members. */
export interface RoundDraft {
  readonly event_type: string;
  readonly event_data: JsonObject;
  readonly audience?: readonly string[] | null;
}

/** A tool a model may call on its turn. */
export interface TurnTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/**
 * The first six members are required; the rest have defaults.
 *
 * Adapters are pure: no clock, randomness, I/O or memory between calls. State survives JSON and is never mutated.
 * `fold` is O(1), runs once per envelope, live and on replay, and ignores unknown types. A `ProtocolError` from a
 * validator rejects; any other throw rejects a post as `internal`, and on load makes the session unavailable.
 */
export interface SessionAdapter<State = unknown> {
  readonly manifest: Manifest;
  initialState(metadata: SessionMetadata): State;
  validateCreate(metadata: SessionMetadata): void;
  /** `state` is the state before the draft is folded. */
  validateSend(metadata: SessionMetadata, draft: Draft, state: State): void;
  /** `metadata` already includes this envelope. */
  fold(envelope: Envelope, state: State, metadata: SessionMetadata): State;
  /** `state` is the state after the envelope was folded. Called for participants' envelopes only. */
  onAccepted(metadata: SessionMetadata, envelope: Envelope, state: State): AdapterResult;

  expectedNext?(metadata: SessionMetadata, state: State): Turn | null;
  /** The decision, other than a turn, that an active session waits for, and the grant that may resolve it. The text has one
   * line of 1 to 200 characters. It is logged and listed: use names and settings only, never content. */
  awaits?(metadata: SessionMetadata, state: State): Pick<Awaited, 'text' | 'grant'> | null;
  defaultView?(metadata: SessionMetadata, participantId: string): ViewRef;
  render?(envelope: Envelope): string;
  turnInput?(envelope: Envelope): string;
  buildRound?(metadata: SessionMetadata, state: State, reply: Reply): readonly RoundDraft[];
  tools?(metadata: SessionMetadata, state: State, participantId: string): readonly TurnTool[];
  /** The part of the state that `get_session` shows to this participant, who has joined. */
  publicState?(metadata: SessionMetadata, state: State, participantId: string): JsonObject;

  /** Returns the conditions and targets that the knobs name. Called first at create, with the newest registered parts.
   * Throws like `validateCreate`, including for an unknown name. */
  uses?(metadata: SessionMetadata, registered: Vocabulary): UsedNames;
  /** Returns the adapter of one session, with the parts that `uses` named. Called at create and on every load. */
  forSession?(metadata: SessionMetadata, vocabulary: Vocabulary): SessionAdapter<State>;
  /** Called at create on the result of `forSession`: the knobs with names replaced by ids. Throws like `validateCreate`. */
  resolveKnobs?(metadata: SessionMetadata): JsonObject;
  /** Returns allowed but probably unintended settings, for the creator. Called at create after `validateCreate`. */
  warnings?(metadata: SessionMetadata): readonly string[];
  /** Checks and draws a graph that no session uses yet. Only session types with graphs define it. */
  inspectGraph?(graph: JsonObject, vocabulary: Vocabulary): GraphReport;
}

/** An adapter with all defaults; its state is opaque to the caller. */
export type CompleteAdapter = Required<Omit<SessionAdapter, 'inspectGraph'>>;

export function completeAdapter<State>(given: SessionAdapter<State>): CompleteAdapter {
  // Only the adapter knows its state type; the hub just passes the state back.
  const adapter = given as SessionAdapter;
  return {
    manifest: adapter.manifest,
    initialState: (metadata) => adapter.initialState(metadata),
    validateCreate: (metadata) => adapter.validateCreate(metadata),
    validateSend: (metadata, draft, state) => adapter.validateSend(metadata, draft, state),
    fold: (envelope, state, metadata) => adapter.fold(envelope, state, metadata),
    onAccepted: (metadata, envelope, state) => adapter.onAccepted(metadata, envelope, state),
    expectedNext: (metadata, state) => adapter.expectedNext?.(metadata, state) ?? null,
    awaits: (metadata, state) => adapter.awaits?.(metadata, state) ?? null,
    defaultView: (metadata, id) => adapter.defaultView?.(metadata, id) ?? metadata.manifest.default_view,
    render: (envelope) => adapter.render?.(envelope) ?? renderText(envelope),
    turnInput: (envelope) => adapter.turnInput?.(envelope) ?? adapter.render?.(envelope) ?? renderText(envelope),
    buildRound: (metadata, state, reply) => adapter.buildRound?.(metadata, state, reply) ?? [textRound(reply)],
    tools: (metadata, state, id) => adapter.tools?.(metadata, state, id) ?? [],
    publicState: (metadata, state, id) => adapter.publicState?.(metadata, state, id) ?? {},
    uses: (metadata, registered) => adapter.uses?.(metadata, registered) ?? { conditions: [], targets: [] },
    forSession: (metadata, vocabulary) => adapter.forSession?.(metadata, vocabulary) ?? adapter,
    resolveKnobs: (metadata) => adapter.resolveKnobs?.(metadata) ?? metadata.knobs,
    warnings: (metadata) => adapter.warnings?.(metadata) ?? [],
  };
}

/** Renders an envelope: a redaction, a text, a packet or a violation as a sentence, other content as type and JSON. */
export function renderText({ event_type, event_data, redacted }: Envelope): string {
  if (redacted !== undefined) return REDACTED_TEXT;
  const text: Json | undefined = event_data.text;
  if (event_type === 'msg.text' && typeof text === 'string') return text;
  if (event_type === 'msg.packet') return packetText(event_data);
  if (event_type === 'expectation.violated') return violationText(event_data);
  return `${event_type} ${JSON.stringify(event_data)}`;
}

function violationText({ name, detail }: JsonObject): string {
  const words = `expectation ${String(name)} was violated`;
  return typeof detail === 'string' && detail !== '' ? `${words}: ${detail}` : words;
}

function textRound(reply: Reply): RoundDraft {
  const { text, usage, cost_usd } = reply;
  return {
    event_type: 'msg.text',
    event_data: { text, ...(usage === undefined ? {} : { usage }), ...(cost_usd === undefined ? {} : { cost_usd }) },
  };
}

export interface GraphNode {
  readonly id: string;
  readonly kind: 'start' | 'agent' | 'anyone' | 'target' | 'end';
  readonly label: string;
  /** The agent's name or id as written in the graph; null if the node is not an agent. */
  readonly agent: string | null;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** The drawable part of a graph, and the problems found in the graph. */
export interface GraphReport {
  readonly ok: boolean;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  readonly warnings: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The node of the first speaker; null if the graph could not be drawn. */
  readonly initial: string | null;
}
