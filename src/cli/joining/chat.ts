/** Runs a person's chat in a terminal: shows all sessions, and sends typed text to the current one. */

import type { HumanClient } from '../../client/human-client.ts';
import type { Invite } from '../../client/session/invites.ts';
import type { Message, Session } from '../../client/session/session.ts';
import type { ForwardedDelta } from '../../core/protocol/frames/frames.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { reportError } from '../terminal/command-error.ts';
import type { Io } from '../terminal/io.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import { type ChatCommands, runLine } from './chat-commands.ts';
import { ChatRoom } from './chat-room.ts';
import type { ChatScreen } from './chat-screen.ts';

export class Chat implements ChatCommands {
  private readonly io: Io;
  private readonly now: () => number;
  private readonly rooms = new Map<string, ChatRoom>();
  private client: HumanClient | null = null;
  private screen: ChatScreen | null = null;
  private current: ChatRoom | null = null;
  private isAway = false;
  /** Typed lines run in order, and finish before the chat ends. */
  private work: Promise<unknown>;
  /** Lets the lines run that were typed before the sessions were known. */
  private begun: () => void = () => {};

  constructor(io: Io, now: () => number) {
    this.io = io;
    this.now = now;
    this.work = new Promise<void>((resolve) => {
      this.begun = resolve;
    });
  }

  /** Starts showing events; the client keeps earlier messages until then. */
  async begin(client: HumanClient, screen: ChatScreen): Promise<void> {
    this.client = client;
    this.screen = screen;
    this.io.put({ event: 'joined', name: client.name, agent_id: client.agentId });
    this.note(`you are ${client.name}; your lines go to the session named in the prompt; "/help" lists commands`);
    for await (const { session_id } of client.sessions({ states: ['INVITED', 'ACTIVE', 'CLOSING'] })) {
      await this.enter(client.session(session_id));
    }
    client.onMessage((message) => this.said(message));
    this.begun();
    this.refresh();
  }

  invited({ session, type, from, role, metadata }: Invite): boolean {
    this.io.put({ event: 'invited', session_id: session.id, type, from, role });
    this.roomOf(session).know(metadata);
    this.note(`${from} invites you to a ${type} session, as ${role}; you accept`);
    return true;
  }

  happened(envelope: Envelope, session: Session): void {
    this.io.put({ event: 'event', envelope, turn: session.turn });
    const room = this.roomOf(session);
    room.heard(envelope);
    if (envelope.event_type === 'session.opened' || envelope.event_type === 'session.participant.joined')
      // Ignore errors: the next such event tries again, or the chat is over.
      this.enter(session).catch(() => {});
    this.print(room, room.transcript.linesOf(envelope));
    const isOver = session.state !== null && isTerminal(session.state);
    if (isOver) this.leave(room);
    this.refresh();
  }

  showed(delta: ForwardedDelta, session: Session): void {
    this.io.put({ event: 'delta', delta });
    const room = this.roomOf(session);
    room.showed(delta);
    this.current ??= room;
    this.refresh();
  }

  reached(state: 'open' | 'away' | 'closed'): void {
    this.io.put({ event: state });
    this.isAway = state === 'away';
    if (state === 'away') this.note('hub unreachable; retrying');
    if (state === 'open') this.note('hub connected again');
    this.refresh();
  }

  typed(line: string): void {
    const text = line.trim();
    if (text === '') return;
    this.work = this.work
      .then(() => runLine(text, this))
      .catch((thrown: unknown) => {
        const { message, hint, code } = reportError(thrown);
        this.io.put({ event: 'refused', code, message });
        const { paint } = this.io.terminal;
        this.screen?.print([
          paint(`✗ ${printableLine(message)}`, 'red'),
          ...(hint === '' ? [] : [paint(`  ${hint}`, 'dim')]),
        ]);
      });
  }

  async settled(): Promise<void> {
    await this.work;
  }

  /** Redraws the bottom lines: after a change, and every second to update the time left. */
  refresh(): void {
    const { current, client, screen } = this;
    if (client === null || screen === null) return;
    const words =
      current === null ? 'no session' : `${current.label} · ${current.turnText(client.agentId, this.now())}`;
    const { paint } = this.io.terminal;
    const isMine = current?.session.isMyTurn === true;
    const prompt = `${paint(`${this.client?.name ?? ''} · ${this.isAway ? 'away · ' : ''}${words}`, isMine ? 'green' : 'dim')} > `;
    screen.status({ prompt, live: current?.liveLine ?? '' });
    if (current?.newTurn() !== true) return;
    this.io.put({ event: 'turn', session_id: current.session.id, turn: current.session.turn, due_at: current.dueAt() });
    if (!this.io.terminal.isLive) screen.print([`▸ ${current.turnText(client.agentId, this.now())}`]);
  }

  async send(text: string, to?: readonly string[]): Promise<void> {
    const { session } = this.needCurrent();
    const room = this.roomOf(session);
    const posted = await session.send(text, to === undefined ? {} : { to });
    room.begun(posted.seq, posted.created_at);
    this.io.put({ event: 'sent', session_id: session.id, seq: posted.seq, turn: posted.turn });
    const { paint } = this.io.terminal;
    if (this.io.terminal.isLive) this.screen?.print([paint(`${String(posted.seq).padStart(4)} sent`, 'dim')]);
    this.refresh();
  }

  needCurrent(): ChatRoom {
    if (this.current !== null) return this.current;
    throw new Error('you are in no session; wait for an invite, or open one with "parley open"');
  }

  all(): readonly ChatRoom[] {
    return [...this.rooms.values()];
  }

  choose(room: ChatRoom): void {
    this.current = room;
    this.refresh();
  }

  note(text: string): void {
    this.screen?.print([this.io.terminal.paint(printable(text), 'dim')]);
  }

  quit(): void {
    this.screen?.close();
  }

  turnTextOf(room: ChatRoom): string {
    return room.turnText(this.client?.agentId ?? '', this.now());
  }

  private said({ session, envelope, turn }: Message): void {
    this.io.put({ event: 'message', envelope, turn });
    const room = this.roomOf(session);
    room.heard(envelope);
    if (this.current === null || !this.current.session.isMyTurn) this.current = room;
    this.print(room, room.transcript.linesOf(envelope));
    this.refresh();
  }

  /** Loads the participants of a session and the start of its turn. */
  private async enter(session: Session): Promise<void> {
    const room = this.roomOf(session);
    const { session: metadata } = await session.info();
    room.know(metadata);
    if (session.turn !== null) await this.learnTurn(room, session.turn.since_seq);
    const isMember = metadata.participants.some(
      ({ agent_id, status }) => agent_id === this.client?.agentId && status === 'active',
    );
    if (isMember && !isTerminal(metadata.state)) this.current ??= room;
    this.refresh();
  }

  private async learnTurn(room: ChatRoom, seq: number): Promise<void> {
    for await (const envelope of room.session.log({ fromSeq: seq, pageSize: 1 })) {
      return room.begun(envelope.seq, envelope.created_at);
    }
  }

  private leave(room: ChatRoom): void {
    this.rooms.delete(room.session.id);
    if (this.current === room) this.current = this.all().find(({ session }) => session.state === 'ACTIVE') ?? null;
  }

  private roomOf(session: Session): ChatRoom {
    const known = this.rooms.get(session.id);
    if (known !== undefined) return known;
    const room = new ChatRoom(session, this.io.terminal);
    this.rooms.set(session.id, room);
    return room;
  }

  /** Prints lines, labelled if they belong to a session other than the current one. */
  private print(room: ChatRoom, lines: readonly string[]): void {
    const isOther = this.current !== null && this.current !== room;
    const label = isOther ? this.io.terminal.paint(`[${room.label}] `, 'magenta') : '';
    this.screen?.print(lines.map((line) => `${label}${line}`));
  }
}
