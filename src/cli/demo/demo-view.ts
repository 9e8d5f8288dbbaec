/** Draws the events of a hub line by line. */

import type { Result } from '../../core/protocol/operations/operations.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import type { LocalHub } from '../../server/create-hub.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeEnvelope } from '../transcript/transcript.ts';
import { type Line, Screen } from './screen.ts';

const STATES_BEGUN: Readonly<Record<string, LifecycleState>> = {
  'session.created': 'INVITED',
  'session.opened': 'ACTIVE',
  'session.closing': 'CLOSING',
  'session.closed': 'CLOSED',
  'session.expired': 'EXPIRED',
};

/** Events that are drawn on one line if they arrive in a row. */
const GATHERED: Readonly<Record<string, GatheredKind>> = {
  'session.invite': 'invite',
  'session.invite.ack': 'accept',
};

export class DemoView {
  private readonly screen: Screen;
  private readonly names = new Map<string, string>();
  /** Seq of the closing envelope, by session. */
  private readonly closings = new Map<string, number>();
  private readonly gathering = new Gathering();

  constructor(terminal: Terminal) {
    this.screen = new Screen(terminal);
  }

  watch(hub: LocalHub): void {
    hub.on('agentRegistered', ({ passport }) => {
      this.names.set(passport.agent_id, passport.name);
      this.screen.introduce(passport.name);
    });
    hub.on('envelopePosted', ({ envelope, turn }) => this.posted(envelope, turn));
    hub.on('operationRefused', ({ agent_id, error }) => {
      const text = `refused, ${error.code}: ${error.message}`;
      this.line({ mark: '✗', who: this.nameOf(agent_id ?? ''), text, style: 'red' });
    });
    // Show who acked the closing envelope: the session ends only then.
    hub.on('deliveryAcked', ({ agent_id, session_id, seq }) => {
      if (this.closings.get(session_id) === seq) this.gather('ack', seq, agent_id);
    });
  }

  title(text: string): void {
    this.screen.title(text);
  }

  /** Shows an action that is not in the log. */
  aside(who: string, text: string): void {
    this.line({ mark: '·', who, text, style: 'dim' });
  }

  /** Shows a session's view for one participant. */
  shown(who: string, { view, messages }: Result<'read_view'>): void {
    const params = Object.entries(view.params).map(([key, value]) => `${key} ${value}`);
    this.aside(who, `sees it as ${view.name} (${params.join(', ')}):`);
    for (const { role, content } of messages) this.line({ mark: '│', who: role, text: content });
  }

  print(text: string): void {
    this.screen.print(text);
  }

  /** Resolves after everything is drawn, and a pause to read it. */
  beat(): Promise<void> {
    return this.screen.beat();
  }

  private nameOf(id: unknown): string {
    return this.names.get(String(id)) ?? String(id);
  }

  private posted(envelope: Envelope, turn: Turn | null): void {
    const { event_type, event_data, seq, sender_id, session_id } = envelope;
    const kind = GATHERED[event_type];
    if (kind !== undefined) return this.gather(kind, seq, event_data.agent_id);
    const state = STATES_BEGUN[event_type];
    const text = describeEnvelope(envelope, (id) => this.nameOf(id));
    const turnText = () => this.turnText(envelope, turn);
    this.line({ state, mark: String(seq), who: this.nameOf(sender_id), text, turn: turnText });
    if (state === 'CLOSING') this.closings.set(session_id, seq);
  }

  /** The turn, shown only where it begins, and not if the next envelope closes the session. */
  private turnText({ event_type, seq, session_id }: Envelope, turn: Turn | null): string | null {
    if (this.closings.get(session_id) === seq + 1) return null;
    if (turn?.since_seq === seq) return `▸ ${this.nameOf(turn.agent_id)}'s turn`;
    return turn === null && event_type === 'session.opened' ? '▸ either may speak' : null;
  }

  private gather(kind: GatheredKind, seq: number, id: unknown): void {
    const name = this.nameOf(id);
    if (this.gathering.add(kind, seq, name)) return;
    this.drawGathered();
    this.gathering.add(kind, seq, name);
  }

  private drawGathered(): void {
    const line = this.gathering.take();
    if (line === null) return;
    const { kind, from, to, names } = line;
    // Acks arrive in any order: sort names so that the demo always prints the same.
    const known = [...this.names.values()];
    const ordered = kind === 'ack' ? names.toSorted((a, b) => known.indexOf(a) - known.indexOf(b)) : names;
    const text = describeGathered({ ...line, names: ordered });
    if (kind === 'ack') this.screen.line({ mark: '✓', text, style: 'dim' });
    else this.screen.line({ mark: from === to ? String(from) : `${from}–${to}`, who: 'hub', text });
  }

  private line(line: Line): void {
    this.drawGathered();
    this.screen.line(line);
  }
}

type GatheredKind = 'invite' | 'accept' | 'ack';

interface GatheredLine {
  readonly kind: GatheredKind;
  /** First and last seq. */
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
}

class Gathering {
  private line: GatheredLine | null = null;

  /** Returns false if the current line has another kind: call `take` first. */
  add(kind: GatheredKind, seq: number, name: string): boolean {
    if (this.line !== null && this.line.kind !== kind) return false;
    const { from, names } = this.line ?? { from: seq, names: [] };
    this.line = { kind, from, to: seq, names: [...names, name] };
    return true;
  }

  take(): GatheredLine | null {
    const { line } = this;
    this.line = null;
    return line;
  }
}

function describeGathered({ kind, to, names }: GatheredLine): string {
  const all = [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');
  switch (kind) {
    case 'invite':
      return `invites ${all}`;
    case 'accept':
      return names.length === 1 ? `${all} accepts the invite` : `${all} accept their invites`;
    case 'ack':
      return `${all} ${names.length === 1 ? 'has' : 'have'} acked ${to}`;
  }
}
