/** Sessions as the rows of a list show them: from what is in memory, else from their heads and few entries; none is loaded for it. */

import type { DescribedParticipant, SessionDescription } from '../core/console-operations.ts';
import { isReadable, membershipEnd } from '../core/records/session/delivery.ts';
import { type Entry, type Envelope, isContent } from '../core/records/session/envelope.ts';
import type { Head } from '../core/state/fold-head.ts';
import type { Params, Result } from '../core/operations.ts';
import type { CreatedData } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import { nextDeadline } from './reading/console/waits.ts';
import type { Binding } from './bindings.ts';
import { countWithin } from './lib/fit-page.ts';
import { currentHead } from './current-head.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import { notWithheld } from './access/filter-withheld.ts';

/** The newest line is looked for among so many entries. */
const LAST_ENTRIES = 8;
const TEXT_LENGTH = 160;

export function describeSessions(
  parts: HubParts,
  { agentId }: Binding,
  { session_ids }: Params<'describe_sessions'>,
): Promise<Result<'describe_sessions'>> {
  // The others wait their turn: who looks on must not take the disk from those who talk.
  return parts.looks.run(async () => {
    const sessions: SessionDescription[] = [];
    for (const sessionId of new Set(session_ids)) {
      const described = await describeOne(parts, agentId, sessionId);
      if (described !== null) sessions.push(described);
    }
    return { sessions: sessions.slice(0, countWithin(sessions, parts.limits.maxResponseBytes)) };
  });
}

/** null = there is no such session for this asker. */
async function describeOne(parts: HubParts, agentId: string, sessionId: string): Promise<SessionDescription | null> {
  const current = await currentHead(parts, sessionId);
  if (current === null) return null;
  const { head } = current;
  const observes = parts.registry.holds(agentId, 'observe');
  const isNamed = Object.hasOwn(head.members, agentId);
  if (!isNamed && !observes) return null;
  const session = parts.sessions.peek(sessionId);
  const state = session?.durable?.head === head ? session.durable : null;
  // Who is invited or out knows the session by its name alone, as in get_session.
  const isIn = membershipEnd(head, agentId) === Number.POSITIVE_INFINITY;
  const spent = isIn || observes ? (head.spent ?? null) : null;
  const shown = observes ? 'all' : ({ to: agentId } as const);
  return {
    session_id: sessionId,
    head_seq: head.seq,
    state: head.state,
    participants: await participantsOf(parts, head, state),
    turn: await parts.sinceWhen.turnOf(head, state),
    awaits: isIn || observes ? await parts.sinceWhen.awaitedOf(head, head.awaits) : null,
    next_deadline: isIn || observes ? nextDeadline(head, state, session?.watch ?? null, shown) : null,
    cost_usd: spent?.usd ?? null,
    usage: spent,
    text: isIn ? await newestText(parts, agentId, head, session) : null,
  };
}

async function participantsOf(
  parts: HubParts,
  head: Head,
  state: SessionState | null,
): Promise<readonly DescribedParticipant[]> {
  if (state !== null) {
    return state.metadata.participants.map(({ agent_id, name, role, status }) => ({ agent_id, name, role, status }));
  }
  const roles = await rolesOf(parts, head.session_id);
  return Object.entries(head.members).map(([agent_id, status]) => ({
    agent_id,
    name: parts.registry.nameOf(agent_id) ?? agent_id,
    role: roles[agent_id] ?? null,
    status,
  }));
}

/** Those of the creation, which never change. */
async function rolesOf({ store, roles }: HubParts, sessionId: string): Promise<Readonly<Record<string, string>>> {
  const known = roles.get(sessionId);
  if (known !== undefined) return known;
  const [entry] = await store.read(sessionId, { from_seq: 1, to_seq: 1, limit: 1 });
  if (entry === undefined) return {};
  // session.created is made by the hub; the log is read by checksum, not by schema.
  const created = entry.envelope.event_data as unknown as CreatedData;
  const read = Object.fromEntries(created.participants.map(({ agent_id, role }) => [agent_id, role]));
  roles.set(sessionId, read);
  return read;
}

/** What it could read itself: neither what was whispered to others nor what a rule withholds. */
async function newestText(
  parts: HubParts,
  agentId: string,
  head: Head,
  session: LiveSession | undefined,
): Promise<string | null> {
  const from_seq = Math.max(1, head.seq - LAST_ENTRIES + 1);
  const entries: readonly Entry[] =
    session?.tailFrom(from_seq) ??
    (await parts.store.read(head.session_id, { from_seq, to_seq: head.seq, limit: LAST_ENTRIES }));
  const end = membershipEnd(head, agentId);
  const said = entries.filter(({ envelope }) => isSaid(envelope) && isReadable(envelope, agentId, end));
  const newest = (await notWithheld(parts.gate, agentId, said)).at(-1);
  const text = newest === undefined ? undefined : parts.redactions.shown(newest).envelope.event_data.text;
  return typeof text === 'string' ? shortened(text) : null;
}

/** In words: other content would be shown as JSON. */
function isSaid({ event_type, event_data }: Envelope): boolean {
  return isContent(event_type) && typeof event_data.text === 'string';
}

/** One line, and never cut within a character. */
function shortened(text: string): string {
  const line =
    text
      .slice(0, 4 * TEXT_LENGTH)
      .trim()
      .split(/\s*[\r\n]+\s*/, 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= TEXT_LENGTH ? line : `${characters.slice(0, TEXT_LENGTH - 1).join('')}…`;
}
