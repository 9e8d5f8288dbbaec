/** Renders a session as text, with lines for each envelope. */

import { type Envelope, HUB_ID, isContent, type Turn } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import { type Style, type Terminal, wrap } from '../terminal/terminal.ts';
import { describeEvent } from './describe-event.ts';

const NAME_STYLES: readonly Style[] = ['cyan', 'green', 'yellow', 'magenta', 'blue'];
const LEFT = 5;

export class Transcript {
  private readonly terminal: Terminal;
  private readonly names = new Map<string, string>();

  constructor(terminal: Terminal, session?: SessionMetadata) {
    this.terminal = terminal;
    if (session !== undefined) this.know(session);
  }

  know(session: SessionMetadata): void {
    for (const { agent_id, name } of session.participants) this.names.set(agent_id, printableLine(name));
  }

  nameOf(id: unknown): string {
    return this.names.get(String(id)) ?? printableLine(String(id));
  }

  turnOf(turn: Turn | null): string {
    return turn === null ? '' : `${this.nameOf(turn.agent_id)}'s turn`;
  }

  linesOf(envelope: Envelope): readonly string[] {
    this.learn(envelope);
    const { terminal } = this;
    const who = this.nameOf(envelope.sender_id);
    const width = Math.max(8, ...[...this.names.values()].map((name) => name.length));
    const indent = ' '.repeat(LEFT + width + 2);
    const words = printable(describeEvent(envelope, (id) => this.nameOf(id)));
    const lines = words.split('\n').flatMap((line) => wrap(line, Math.max(24, terminal.columns - indent.length)));
    const isSaid = isContent(envelope.event_type);
    const left = terminal.paint(String(envelope.seq).padStart(LEFT - 1), 'dim');
    const name = terminal.paint(who.padEnd(width), ...(isSaid ? [this.styleOf(who)] : (['dim'] as const)));
    return lines.map((line, i) => {
      const text = isSaid ? line : terminal.paint(line, 'dim');
      return i === 0 ? `${left} ${name}  ${text}` : `${indent}${text}`;
    });
  }

  /** Learns names from hub envelopes only: names in posted content cannot be trusted. */
  private learn({ sender_id, event_data }: Envelope): void {
    if (sender_id !== HUB_ID) return;
    const { participants, agent_id, name } = event_data;
    const introduced = Array.isArray(participants) ? participants : [{ agent_id, name }];
    for (const one of introduced) {
      if (typeof one !== 'object' || one === null || Array.isArray(one)) continue;
      if (typeof one.agent_id === 'string' && typeof one.name === 'string')
        this.names.set(one.agent_id, printableLine(one.name));
    }
  }

  styleOf(name: string): Style {
    let sum = 0;
    for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 997;
    return NAME_STYLES[sum % NAME_STYLES.length] ?? 'cyan';
  }
}
