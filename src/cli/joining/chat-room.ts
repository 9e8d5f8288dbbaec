/** Models one session in a chat: participants, turn, deadline, and live text. */

import type { Session } from '../../client/session/session.ts';
import { msFromIso } from '../../core/lib/time.ts';
import type { ForwardedDelta } from '../../core/protocol/frames/frames.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { formatDuration } from '../terminal/columns.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { secondsPerTurn } from '../transcript/pending-actions.ts';
import { Transcript } from '../transcript/transcript.ts';

/** Maximum length of the live text kept: more than any terminal shows. */
const LIVE_LENGTH = 2_000;

export class ChatRoom {
  readonly session: Session;
  readonly transcript: Transcript;
  private metadata: SessionMetadata | null = null;
  /** Times of recent envelopes by seq, to find the beginning of a turn. */
  private readonly times = new Map<number, number>();
  /** Live text by sender. */
  private readonly live = new Map<string, { readonly turn: string; readonly text: string }>();
  /** `since_seq` of the turn last announced on plain output. */
  private toldTurn: number | null = null;

  constructor(session: Session, terminal: Terminal) {
    this.session = session;
    this.transcript = new Transcript(terminal);
  }

  know(metadata: SessionMetadata): void {
    this.metadata = metadata;
    this.transcript.know(metadata);
  }

  get label(): string {
    const type = this.metadata === null ? 'session' : this.metadata.manifest.type;
    return `${type} ${this.session.id.slice(-6)}`;
  }

  get names(): readonly string[] {
    return (this.metadata?.participants ?? []).map(({ name, role, status }) => `${name} (${role}, ${status})`);
  }

  heard({ seq, created_at, sender_id }: Envelope): void {
    this.live.delete(sender_id);
    this.begun(seq, created_at);
  }

  begun(seq: number, at: string): void {
    this.times.set(seq, msFromIso(at));
    for (const oldest of this.times.keys()) {
      if (this.times.size <= 64) return;
      this.times.delete(oldest);
    }
  }

  showed({ sender_id, turn_id, text }: ForwardedDelta): void {
    const before = this.live.get(sender_id);
    const all = before?.turn === turn_id ? before.text + text : text;
    this.live.set(sender_id, { turn: turn_id, text: all.slice(-LIVE_LENGTH) });
  }

  get liveLine(): string {
    const parts = [...this.live].map(([id, { text }]) => `${this.transcript.nameOf(id)} is writing: ${text}`);
    return parts.join(' | ');
  }

  /** Describes the turn, such as "your turn, 42 s left". */
  turnText(ownId: string, nowMs: number): string {
    const { turn, state } = this.session;
    if (state !== 'ACTIVE') return state === null ? '' : state.toLowerCase();
    if (turn === null) return 'anyone may speak';
    const who = turn.agent_id === ownId ? 'your turn' : `${this.transcript.nameOf(turn.agent_id)}'s turn`;
    const left = this.msLeft(turn, nowMs);
    if (left === null) return who;
    return left <= 0 ? `${who}, late` : `${who}, ${formatDuration(left)} left`;
  }

  /** True once per turn, for output without a prompt line. */
  newTurn(): boolean {
    const since = this.session.turn?.since_seq ?? null;
    if (since === this.toldTurn) return false;
    this.toldTurn = since;
    return since !== null;
  }

  /** Deadline of the turn in ISO-8601; null if there is none, or if it is unknown. */
  dueAt(): string | null {
    const { turn } = this.session;
    const left = turn === null ? null : this.msLeft(turn, 0);
    return left === null ? null : new Date(left).toISOString();
  }

  private msLeft({ agent_id, since_seq }: Turn, nowMs: number): number | null {
    const begun = this.times.get(since_seq);
    const seconds = this.metadata === null ? null : secondsPerTurn(this.metadata, agent_id);
    return begun === undefined || seconds === null ? null : begun + seconds * 1000 - nowMs;
  }
}
