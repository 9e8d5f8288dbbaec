/** Prints lines in columns, at a readable pace. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { LifecycleState } from '../../core/records/session/session.ts';
import { type Style, type Terminal, wrap } from '../terminal/terminal.ts';

/** Pauses between lines, and before an action; without a terminal there are none. */
const LINE_MS = 35;
const BEAT_MS = 130;

const STATE_WIDTH = 8;
const MARK_WIDTH = 3;
const WHO_WIDTH = 10;
const INDENT = STATE_WIDTH + MARK_WIDTH + 2 + WHO_WIDTH;
const TURN_WIDTH = 18;
/** Line break and indent for the continuation of a line. */
const BELOW = `\n${' '.repeat(INDENT)}`;

const SPEAKER_STYLES: readonly Style[] = ['cyan', 'magenta', 'blue', 'yellow', 'green'];
const STATE_STYLES: Readonly<Record<LifecycleState, Style>> = {
  INVITED: 'yellow',
  ACTIVE: 'green',
  CLOSING: 'yellow',
  CLOSED: 'bold',
  EXPIRED: 'red',
};

export interface Line {
  /** State that begins at this line. */
  readonly state?: LifecycleState | undefined;
  /** A seq, or a symbol for lines that are not in the log. */
  readonly mark?: string;
  readonly who?: string;
  readonly text: string;
  readonly style?: Style;
  /** Text on the right, computed when the line is drawn; null for none. */
  readonly turn?: () => string | null;
}

export class Screen {
  private readonly terminal: Terminal;
  private readonly styles = new Map<string, Style>([['hub', 'dim']]);
  private drawn: Promise<void> = Promise.resolve();

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Assigns a colour to a name. */
  introduce(name: string): void {
    const speakers = this.styles.size - 1;
    this.styles.set(name, SPEAKER_STYLES[speakers % SPEAKER_STYLES.length] ?? 'cyan');
  }

  title(text: string): void {
    const { columns, paint } = this.terminal;
    const rule = '─'.repeat(Math.max(3, columns - text.length - 4));
    this.print(`\n${paint('──', 'dim')} ${paint(text, 'bold')} ${paint(rule, 'dim')}`);
  }

  line(line: Line): void {
    this.enqueue(() => this.laidOut(line));
  }

  print(text: string): void {
    this.enqueue(() => text);
  }

  /** Resolves when everything is drawn and there was time to read it. */
  async beat(): Promise<void> {
    await this.drawn;
    await this.wait(BEAT_MS);
  }

  private enqueue(text: () => string): void {
    this.drawn = this.drawn.then(async () => {
      this.terminal.write(text());
      await this.wait(LINE_MS);
    });
  }

  private async wait(ms: number): Promise<void> {
    if (this.terminal.isLive) await sleep(ms);
  }

  private laidOut({ state, mark = '', who = '', text, style, turn = () => null }: Line): string {
    const whoStyle = this.styles.get(who);
    const head = [
      this.painted((state ?? '').padEnd(STATE_WIDTH), state && STATE_STYLES[state]),
      this.painted(mark.padStart(MARK_WIDTH), style ?? 'dim'),
      '  ',
      this.painted(who.padEnd(WHO_WIDTH), whoStyle),
    ].join('');
    const textStyle = style ?? (who === 'hub' ? undefined : whoStyle);
    const rows = wrap(text, this.terminal.columns - INDENT);
    const body = rows.map((row) => this.painted(row, textStyle)).join(BELOW);
    return head + body + this.beside(rows.at(-1) ?? '', turn());
  }

  /** Text right of a row, or below it if it does not fit. */
  private beside(row: string, turn: string | null): string {
    if (turn === null) return '';
    const room = this.terminal.columns - INDENT;
    const fits = row.length + 2 + turn.length <= room;
    const gap = ' '.repeat(Math.max(fits ? 2 : 0, room - TURN_WIDTH - (fits ? row.length : 0)));
    return (fits ? '' : BELOW) + gap + this.painted(turn, 'dim');
  }

  private painted(text: string, style: Style | undefined): string {
    return style === undefined ? text : this.terminal.paint(text, style);
  }
}
