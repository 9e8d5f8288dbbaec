/** The protocol of session adapters: pure decisions over (metadata, envelope, state). */

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

/** What an agent answered on its turn. */
export interface Reply {
  readonly text: string;
  readonly usage?: JsonObject;
  readonly cost_usd?: number | null;
}

/** A draft as an adapter or a participant writes it; the rest gets defaults. */
export interface RoundDraft {
  readonly event_type: string;
  readonly event_data: JsonObject;
  readonly audience?: readonly string[] | null;
}

/** What a model may call on its turn. */
export interface TurnTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/**
 * The first six members are the protocol; the rest have defaults.
 *
 * Adapters are pure: no clock, no chance, no I/O, no registry, and no memory between calls. The state survives JSON
 * unchanged and is never mutated. `fold` is total and O(1): it is called once for each envelope, live and on replay,
 * and returns the state unchanged for a type it does not know. A `ProtocolError` thrown by a validator refuses; any
 * other throw is a defect: it refuses the post as `internal`, and on load makes the session unavailable.
 */
export interface SessionAdapter<State = unknown> {
  readonly manifest: Manifest;
  initialState(metadata: SessionMetadata): State;
  validateCreate(metadata: SessionMetadata): void;
  /** `state` is the state before the draft is folded. */
  validateSend(metadata: SessionMetadata, draft: Draft, state: State): void;
  /** `metadata` is as of this envelope. */
  fold(envelope: Envelope, state: State, metadata: SessionMetadata): State;
  /** `state` is the state after the envelope was folded. Called for what participants sent. */
  onAccepted(metadata: SessionMetadata, envelope: Envelope, state: State): AdapterResult;

  expectedNext?(metadata: SessionMetadata, state: State): Turn | null;
  /**
   * What an active session waits for that is nobody's turn, in 1 to 200 characters on one line, and the grant with which
   * somebody may see to it. It is kept in the log and shown in lists: names and settings, and nothing that anybody said.
   */
  awaits?(metadata: SessionMetadata, state: State): Pick<Awaited, 'text' | 'grant'> | null;
  defaultView?(metadata: SessionMetadata, participantId: string): ViewRef;
  render?(envelope: Envelope): string;
  turnInput?(envelope: Envelope): string;
  buildRound?(metadata: SessionMetadata, state: State, reply: Reply): readonly RoundDraft[];
  tools?(metadata: SessionMetadata, state: State, participantId: string): readonly TurnTool[];
  /** What this participant, who has joined, may see of the state: `get_session` shows it. */
  publicState?(metadata: SessionMetadata, state: State, participantId: string): JsonObject;

  /**
   * Called at create, first: the conditions and targets that the knobs name. `registered` is all there are, the newest of
   * each. Throws like `validateCreate`, also for a name that is not among them.
   */
  uses?(metadata: SessionMetadata, registered: Vocabulary): UsedNames;
  /** The adapter of one session, with what `uses` named. Called at create and whenever the session comes into memory. */
  forSession?(metadata: SessionMetadata, vocabulary: Vocabulary): SessionAdapter<State>;
  /** Called at create, on what `forSession` gave: the knobs with the names of participants replaced by ids. Throws like `validateCreate`. */
  resolveKnobs?(metadata: SessionMetadata): JsonObject;
  /** Called at create, after `validateCreate`: what is allowed and probably not meant. The creator is told. */
  warnings?(metadata: SessionMetadata): readonly string[];
  /** A graph that is no session's yet: what is wrong with it, and how it is drawn. Only a type that has graphs has this. */
  inspectGraph?(graph: JsonObject, vocabulary: Vocabulary): GraphReport;
}

/** An adapter with its defaults filled in; its state is opaque to whoever holds it. */
export type CompleteAdapter = Required<Omit<SessionAdapter, 'inspectGraph'>>;

export function completeAdapter<State>(given: SessionAdapter<State>): CompleteAdapter {
  // The state type is known to the adapter alone: the hub only hands back what the adapter returned.
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

/** The text of a message, or that it was redacted; a packet as a line to read; a violation in words; other content as its type and JSON. */
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
