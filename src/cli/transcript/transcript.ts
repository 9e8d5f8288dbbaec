/** Renders a session as text, with lines for each envelope. */

import type { Json } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import { type Envelope, HUB_ID, isContent, type Turn } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import { type Style, type Terminal, wrap } from '../terminal/terminal.ts';

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

export function describeEvent(envelope: Envelope, nameOf: (id: unknown) => string): string {
  const { event_type, event_data, sender_id, audience, task_id } = envelope;
  const { agent_id, reason } = event_data;
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  switch (event_type) {
    case 'session.invite':
      return `invites ${(audience ?? []).map(nameOf).join(', ')}`;
    case 'session.invite.ack':
      return `${nameOf(agent_id ?? sender_id)} accepts`;
    case 'session.invite.reject':
      return `${nameOf(agent_id ?? sender_id)} declines${why}`;
    case 'session.participant.joined':
      return `${nameOf(agent_id)} is invited too`;
    case 'session.participant.removed':
      return `${nameOf(agent_id)} is out${why}`;
    case 'session.expired':
      return `it has expired${why}`;
    case 'session.available':
      return 'the session is available again';
    case 'task.failed':
      // Without a task id, a turn has failed; a task has its own text.
      if (task_id === null) return `${nameOf(agent_id ?? sender_id)} could not answer${why}`;
      return describeEnvelope(envelope, nameOf);
    default:
      return describeEnvelope(envelope, nameOf);
  }
}

export function describeEnvelope(envelope: Envelope, nameOf: (id: unknown) => string): string {
  const { event_type, event_data } = envelope;
  const { agent_id, creator_id, manifest, knobs, reason, context_updates, on_violation, detail } = event_data;
  switch (event_type) {
    case 'session.created':
      return `${nameOf(creator_id)} opens a ${member(manifest, 'type')} session${ownKnobs(knobs, manifest)}`;
    case 'session.opened':
      return 'the session is open';
    case 'session.participant.hidden':
      return `${nameOf(agent_id)} is hidden: ${reason}`;
    case 'session.participant.returned':
      return `${nameOf(agent_id)} is back`;
    case 'expectation.violated':
      return `${on_violation}: ${detail}`;
    case 'session.closing':
      return `no more posts: ${reason}`;
    case 'session.closed':
      return `it is over: ${reason}`;
    default:
      return [renderText(envelope), ...variables(context_updates)].join(' ');
  }
}

/** The knobs declared by the type, without structured values such as graphs. */
function ownKnobs(knobs: Json | undefined, manifest: Json | undefined): string {
  const own = Object.keys(member(member(manifest, 'knobs_schema'), 'properties') ?? {});
  const plain = Object.entries(knobs ?? {}).filter(([key, value]) => own.includes(key) && typeof value !== 'object');
  return plain.length === 0 ? '' : ` (${plain.map(([key, value]) => `${key} ${value}`).join(', ')})`;
}

/** Context variables set by a packet. */
function variables(updates: Json | undefined): readonly string[] {
  return Object.entries(member(updates, 'set') ?? {}).map(([key, value]) => `[${key} = ${value}]`);
}

function member(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
