/** Displays an agent's turns as they run: lines for people, one JSON object per line for programs. */

import type { PostAnswer } from '../../core/decisions/admit.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { AgentReply, Usage } from '../../participants/agent/agent-fn.ts';
import type { AgentTurn, JoinHandlers } from '../../participants/joining/handlers.ts';
import type { Io } from '../terminal/io.ts';
import { printable, printableLine } from '../terminal/printable.ts';

interface DisplayedTurn {
  readonly beganMs: number;
  /** All text that the agent has written in this turn. */
  text: string;
  /** The incomplete last line, not printed yet. */
  rest: string;
  isPrinted: boolean;
  /** True if the last printed line was incomplete. */
  isHalf: boolean;
  /** Text not yet sent to programs; null if the next piece is sent immediately. */
  untold: string | null;
  stopTelling: (() => void) | null;
  /** Timer that prints an incomplete line. */
  stopWait: (() => void) | null;
}

const MAX_KEPT = 1_000_000;
const HALF_LINE_MS = 250;
/** Pieces within this time become one object for programs. */
const TELL_MS = 100;

export class TurnDisplay implements Required<JoinHandlers> {
  private readonly io: Io;
  private readonly name: string;
  private readonly clock: Clock;
  private readonly turns = new Map<string, DisplayedTurn>();

  constructor(io: Io, name: string, clock: Clock) {
    this.io = io;
    this.name = name;
    this.clock = clock;
  }

  onTurn(turn: AgentTurn): void {
    const empty = { text: '', rest: '', isPrinted: false, isHalf: false };
    const timers = { untold: null, stopTelling: null, stopWait: null };
    this.turns.set(turn.idempotencyKey, { beganMs: this.clock.monotonic(), ...empty, ...timers });
    const { from, text, resumed } = turn;
    this.put('turn', turn, { from, text, resumed });
    const prompt = from === null ? `${this.name} has the turn` : `${from}: ${printableLine(text)}`;
    this.line(turn, prompt);
    this.line(turn, this.io.terminal.paint(resumed ? 'resuming …' : 'working …', 'dim'));
  }

  /** Prints whole lines immediately, and an incomplete one after a pause. */
  onDelta(text: string, turn: AgentTurn): void {
    const shown = this.turns.get(turn.idempotencyKey);
    if (shown === undefined || shown.text.length > MAX_KEPT) return;
    this.tellPiece(turn, shown, text);
    shown.text += text;
    const end = text.lastIndexOf('\n') + 1;
    shown.stopWait?.();
    if (end > 0) {
      this.writeWhole(turn, shown, shown.rest + text.slice(0, end));
      shown.rest = '';
    }
    shown.rest += text.slice(end);
    shown.stopWait = this.clock.after(HALF_LINE_MS, () => this.writeRest(turn, shown));
  }

  onProgress({ kind, text }: Parameters<Required<JoinHandlers>['onProgress']>[0], turn: AgentTurn): void {
    const shown = this.turns.get(turn.idempotencyKey);
    if (shown !== undefined) this.tellUntold(turn, shown);
    this.put('progress', turn, { kind, text });
    this.line(turn, this.io.terminal.paint(`· ${kind}: ${printableLine(text)}`, 'dim'));
  }

  onReply(reply: AgentReply, turn: AgentTurn, { seq }: PostAnswer): void {
    const shown = this.take(turn);
    const { text, usage, cost_usd } = reply;
    const ms = this.elapsed(shown);
    this.put('reply', turn, { answer_seq: seq, text, ms, usage: usage ?? null, cost_usd: cost_usd ?? null });
    if (shown !== undefined && shown.text.trim() === text.trim() && shown.isPrinted) {
      this.writeRest(turn, shown);
    } else this.line(turn, `${this.name}: ${printable(text)}`);
    this.line(turn, this.io.terminal.paint(`✓ posted${costOf(ms, usage, cost_usd)}`, 'green'));
  }

  onError(error: Error, turn: AgentTurn): void {
    const kind = 'kind' in error ? String(error.kind) : 'code' in error ? String(error.code) : 'failed';
    this.put('failed', turn, { kind, message: error.message, ms: this.elapsed(this.take(turn)) });
    this.line(turn, this.io.terminal.paint(`✗ no answer: ${printableLine(error.message)}`, 'red'));
  }

  onCancelled(reason: string, turn: AgentTurn): void {
    this.put('cancelled', turn, { reason, ms: this.elapsed(this.take(turn)) });
    this.line(turn, this.io.terminal.paint(`✗ cancelled: ${printableLine(reason)}`, 'yellow'));
  }

  onClosed(
    session: AgentTurn['session'],
    { state, reason }: { readonly state: string; readonly reason: string | null },
  ): void {
    this.io.put({ event: 'over', session_id: session.id, state, reason });
    this.io.say(`${shortOf(session.id)} session ended: ${printableLine(reason ?? state)}`);
  }

  private take(turn: AgentTurn): DisplayedTurn | undefined {
    const shown = this.turns.get(turn.idempotencyKey);
    this.turns.delete(turn.idempotencyKey);
    shown?.stopWait?.();
    if (shown !== undefined) this.tellUntold(turn, shown);
    return shown;
  }

  private elapsed(shown: DisplayedTurn | undefined): number {
    return shown === undefined ? 0 : Math.round(this.clock.monotonic() - shown.beganMs);
  }

  private writeRest(turn: AgentTurn, shown: DisplayedTurn): void {
    if (shown.rest === '') return;
    this.write(turn, shown, shown.rest);
    shown.rest = '';
    shown.isHalf = true;
  }

  /** Drops a leading line end that only completes a line already printed. */
  private writeWhole(turn: AgentTurn, shown: DisplayedTurn, text: string): void {
    const lines = shown.isHalf && text.startsWith('\n') ? text.slice(1) : text;
    shown.isHalf = false;
    if (lines !== '') this.write(turn, shown, lines);
  }

  private write(turn: AgentTurn, shown: DisplayedTurn, text: string): void {
    shown.isPrinted = true;
    for (const one of text.replace(/\n$/, '').split('\n')) this.line(turn, `| ${printable(one)}`);
  }

  /** Groups pieces into one object: one per character would make the output a hundred times larger. */
  private tellPiece(turn: AgentTurn, shown: DisplayedTurn, text: string): void {
    if (shown.untold !== null) {
      shown.untold += text;
      return;
    }
    this.put('delta', turn, { text });
    shown.untold = '';
    shown.stopTelling = this.clock.after(TELL_MS, () => this.tellUntold(turn, shown));
  }

  private tellUntold(turn: AgentTurn, shown: DisplayedTurn): void {
    shown.stopTelling?.();
    const { untold } = shown;
    shown.untold = null;
    if (untold !== null && untold !== '') this.put('delta', turn, { text: untold });
  }

  private put(event: string, { session, type, seq }: AgentTurn, more: object): void {
    this.io.put({ event, session_id: session.id, type, seq, ...more });
  }

  private line({ session }: AgentTurn, text: string): void {
    this.io.say(`${shortOf(session.id)} ${text}`);
  }
}

function shortOf(sessionId: string): string {
  return `[${sessionId.slice(-6)}]`;
}

function costOf(ms: number, usage: Usage | undefined, cost: number | null | undefined): string {
  const parts = [`${(ms / 1000).toFixed(1)} s`];
  if (usage?.input_tokens != null) parts.push(`${usage.input_tokens} tokens in`);
  if (usage?.output_tokens != null) parts.push(`${usage.output_tokens} out`);
  if (cost != null) parts.push(`$${cost.toFixed(4)}`);
  return ` (${parts.join(', ')})`;
}
