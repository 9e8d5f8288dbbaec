/** Draws what happens in a hub, one line per event, at a pace that can be read. It only listens. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope, Turn } from '../core/envelope.ts';
import type { LifecycleState } from '../core/session.ts';
import type { HubEvents } from '../hub/events.ts';
import type { LocalHub } from './create-hub.ts';
import { type Style, type Terminal, wrap } from './terminal.ts';

/** Between two lines, and before somebody acts. Without a terminal nobody waits. */
const LINE_MS = 75;
const BEAT_MS = 340;

const STATE_WIDTH = 8;
const MARK_WIDTH = 3;
const WHO_WIDTH = 10;
const INDENT = STATE_WIDTH + MARK_WIDTH + 2 + WHO_WIDTH;

const SPEAKER_STYLES: readonly Style[] = ['cyan', 'magenta', 'blue'];
const STATE_STYLES: Readonly<Record<LifecycleState, Style>> = {
  INVITED: 'yellow',
  ACTIVE: 'green',
  CLOSING: 'yellow',
  CLOSED: 'bold',
  EXPIRED: 'red',
};
const STATES_BEGUN: Readonly<Record<string, LifecycleState>> = {
  'session.created': 'INVITED',
  'session.opened': 'ACTIVE',
  'session.closing': 'CLOSING',
  'session.closed': 'CLOSED',
  'session.expired': 'EXPIRED',
};

interface Line {
  /** The state that begins here. */
  readonly state?: LifecycleState | undefined;
  /** A seq, or a sign for what is not in the log. */
  readonly mark?: string;
  readonly who?: string;
  readonly text: string;
  readonly style?: Style;
}

export class DemoView {
  private readonly terminal: Terminal;
  private readonly names = new Map<string, string>();
  private readonly styles = new Map<string, Style>([['hub', 'dim']]);
  /** By session: the seq of its closing. */
  private readonly closings = new Map<string, number>();
  private drawn: Promise<void> = Promise.resolve();

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  watch(hub: LocalHub): void {
    hub.on('agentRegistered', ({ passport }) => this.meet(passport.agent_id, passport.name));
    hub.on('envelopePosted', ({ envelope, turn }) => this.posted(envelope, turn));
    hub.on('operationRefused', ({ agent_id, error }) =>
      this.line({
        mark: '✗',
        who: this.nameOf(agent_id ?? ''),
        text: `refused, ${error.code}: ${error.message}`,
        style: 'red',
      }),
    );
    hub.on('deliveryAcked', (receipt) => this.acked(receipt));
  }

  title(text: string): void {
    const { columns, paint } = this.terminal;
    const rule = '─'.repeat(Math.max(3, columns - text.length - 4));
    this.print(`\n${paint('──', 'dim')} ${paint(text, 'bold')} ${paint(rule, 'dim')}`);
  }

  /** What somebody does that the log does not show. */
  aside(who: string, text: string): void {
    this.line({ mark: '·', who, text, style: 'dim' });
  }

  print(text: string): void {
    this.drawn = this.drawn.then(async () => {
      this.terminal.write(text);
      await this.wait(LINE_MS);
    });
  }

  /** Everything so far is drawn, and there was time to read it. */
  async beat(): Promise<void> {
    await this.drawn;
    await this.wait(BEAT_MS);
  }

  private async wait(ms: number): Promise<void> {
    if (this.terminal.isLive) await sleep(ms);
  }

  private meet(agentId: string, name: string): void {
    this.names.set(agentId, name);
    this.styles.set(name, SPEAKER_STYLES[(this.names.size - 1) % SPEAKER_STYLES.length] ?? 'cyan');
  }

  private nameOf(id: unknown): string {
    return this.names.get(String(id)) ?? String(id);
  }

  private posted(envelope: Envelope, turn: Turn | null): void {
    const { event_type, seq, sender_id, session_id } = envelope;
    const state = STATES_BEGUN[event_type];
    this.line({ state, mark: String(seq), who: this.nameOf(sender_id), text: this.describe(envelope) });
    if (state === 'CLOSING') this.closings.set(session_id, seq);
    if (turn?.since_seq === seq) this.line({ mark: '▸', text: `${this.nameOf(turn.agent_id)}'s turn`, style: 'dim' });
    if (state === 'ACTIVE' && turn === null) this.line({ mark: '▸', text: 'either may speak', style: 'dim' });
  }

  private describe({ event_type, event_data }: Envelope): string {
    const { agent_id, creator_id, manifest, reason, text } = event_data;
    switch (event_type) {
      case 'session.created': {
        const type = typeof manifest === 'object' && manifest !== null && 'type' in manifest ? manifest.type : '';
        return `${this.nameOf(creator_id)} opens a ${type} session`;
      }
      case 'session.invite':
        return `invites ${this.nameOf(agent_id)}`;
      case 'session.invite.ack':
        return `${this.nameOf(agent_id)} accepts the invite`;
      case 'session.opened':
        return 'the session is open';
      case 'session.closing':
        return `no more posts: ${reason}`;
      case 'session.closed':
        return `it is over: ${reason}`;
      default:
        return typeof text === 'string' ? text : event_type;
    }
  }

  /** Every delivery is acked; the acks of a closing are what a session waits for before it ends. */
  private acked({ agent_id, session_id, seq }: HubEvents['deliveryAcked']): void {
    if (this.closings.get(session_id) !== seq) return;
    this.line({ mark: '✓', who: this.nameOf(agent_id), text: `has heard of it (ack of ${seq})`, style: 'dim' });
  }

  private line({ state, mark = '', who = '', text, style }: Line): void {
    const { columns, paint } = this.terminal;
    const whoStyle = this.styles.get(who);
    const head = [
      paint((state ?? '').padEnd(STATE_WIDTH), ...(state === undefined ? [] : [STATE_STYLES[state]])),
      paint(mark.padStart(MARK_WIDTH), style ?? 'dim'),
      '  ',
      paint(who.padEnd(WHO_WIDTH), ...(whoStyle === undefined ? [] : [whoStyle])),
    ].join('');
    const textStyle = style ?? (who === 'hub' ? undefined : whoStyle);
    const rows = wrap(text, columns - INDENT).map((row) => paint(row, ...(textStyle === undefined ? [] : [textStyle])));
    this.print(head + rows.join(`\n${' '.repeat(INDENT)}`));
  }
}
