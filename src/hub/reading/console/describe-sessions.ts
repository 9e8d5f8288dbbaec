/** Describes sessions for the rows of a list, from memory, or else from heads and a few entries; loads no session. */

import type { DescribedParticipant, SessionDescription } from '../../../core/protocol/operations/console-sessions.ts';
import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
import { isReadable, membershipEnd } from '../../../core/records/session/delivery.ts';
import { type Envelope, isContent } from '../../../core/records/session/envelope.ts';
import type { CreatedData } from '../../../core/records/session/session.ts';
import type { Entry, Head } from '../../../core/records/session/unit.ts';
import type { SessionState } from '../../../core/state/state.ts';
import { dropWithheld } from '../../access/filter-withheld.ts';
import type { Binding } from '../../bindings/binding.ts';
import { countFitting } from '../../lib/fit-page.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import type { ReadingRooms } from '../log/read-access.ts';
import { nextDeadline, type WaitStartTimes } from './waits.ts';

type DescribeRooms = Pick<
  ReadingRooms,
  'limits' | 'store' | 'registry' | 'sessions' | 'redactions' | 'access' | 'looks'
> & { readonly startTimes: WaitStartTimes };

/** Maximum sessions whose roles are cached. */
const ROLES_KEPT = 4096;
/** Number of newest entries searched for the newest text. */
const LAST_ENTRIES = 8;
const TEXT_LENGTH = 160;

export class SessionDescriber {
  private readonly rooms: DescribeRooms;
  /** Roles by session; they never change. */
  private readonly roles = new LruCache<Readonly<Record<string, string>>>(ROLES_KEPT);

  constructor(rooms: DescribeRooms) {
    this.rooms = rooms;
  }

  describe(asker: Binding, { session_ids }: Params<'describe_sessions'>): Promise<Result<'describe_sessions'>> {
    return this.rooms.looks.run(async () => {
      const sessions: SessionDescription[] = [];
      for (const sessionId of new Set(session_ids)) {
        const described = await this.describeOne(asker, sessionId);
        if (described !== null) sessions.push(described);
      }
      return { sessions: sessions.slice(0, countFitting(sessions, this.rooms.limits.maxResponseBytes)) };
    });
  }

  /** null if the session does not exist for this asker. */
  private async describeOne({ agentId, credential }: Binding, sessionId: string): Promise<SessionDescription | null> {
    const { sessions, registry, startTimes } = this.rooms;
    const current = await sessions.currentHead(sessionId);
    if (current === null) return null;
    const { head } = current;
    const observes = registry.hasGrant(agentId, 'observe', credential);
    const isNamed = Object.hasOwn(head.members, agentId);
    if (!isNamed && !observes) return null;
    const session = sessions.peek(sessionId);
    const state = session?.durable?.head === head ? session.durable : null;
    // Invitees and former participants see only what get_session shows them.
    const isIn = membershipEnd(head, agentId) === Number.POSITIVE_INFINITY;
    const spent = isIn || observes ? (head.spent ?? null) : null;
    const shown = observes ? 'all' : ({ to: agentId } as const);
    return {
      session_id: sessionId,
      head_seq: head.seq,
      state: head.state,
      participants: await this.participantsOf(head, state),
      turn: await startTimes.turnOf(head, state),
      awaits: isIn || observes ? await startTimes.awaitedOf(head, head.awaits) : null,
      next_deadline: isIn || observes ? nextDeadline(head, state, session?.watch ?? null, shown) : null,
      cost_usd: spent?.usd ?? null,
      usage: spent,
      text: isIn ? await this.newestText(agentId, head, session) : null,
    };
  }

  private async participantsOf(head: Head, state: SessionState | null): Promise<readonly DescribedParticipant[]> {
    if (state !== null) {
      return state.metadata.participants.map(({ agent_id, name, role, status }) => ({ agent_id, name, role, status }));
    }
    const roles = await this.rolesOf(head.session_id);
    return Object.entries(head.members).map(([agent_id, status]) => ({
      agent_id,
      name: this.rooms.registry.nameOf(agent_id) ?? agent_id,
      role: roles[agent_id] ?? null,
      status,
    }));
  }

  private async rolesOf(sessionId: string): Promise<Readonly<Record<string, string>>> {
    const known = this.roles.get(sessionId);
    if (known !== undefined) return known;
    const [entry] = await this.rooms.store.read(sessionId, { from_seq: 1, to_seq: 1, limit: 1 });
    if (entry === undefined) return {};
    // The hub wrote session.created; reading a log verifies checksums, not schemas.
    const created = entry.envelope.event_data as unknown as CreatedData;
    const read = Object.fromEntries(created.participants.map(({ agent_id, role }) => [agent_id, role]));
    this.roles.set(sessionId, read);
    return read;
  }

  /** The newest text the asker could read: no whispers to others, nothing withheld. */
  private async newestText(agentId: string, head: Head, session: LiveSession | undefined): Promise<string | null> {
    const { store, access, redactions } = this.rooms;
    const from_seq = Math.max(1, head.seq - LAST_ENTRIES + 1);
    const entries: readonly Entry[] =
      session?.tailFrom(from_seq) ??
      (await store.read(head.session_id, { from_seq, to_seq: head.seq, limit: LAST_ENTRIES }));
    const end = membershipEnd(head, agentId);
    const readable = entries.filter(({ envelope }) => hasText(envelope) && isReadable(envelope, agentId, end));
    const newest = (await dropWithheld(access, agentId, readable)).at(-1);
    const text = newest === undefined ? undefined : redactions.shown(newest).envelope.event_data.text;
    return typeof text === 'string' ? shortened(text) : null;
  }
}

function hasText({ event_type, event_data }: Envelope): boolean {
  return isContent(event_type) && typeof event_data.text === 'string';
}

/** The first line, never cut within a character. */
function shortened(text: string): string {
  const line =
    text
      .slice(0, 4 * TEXT_LENGTH)
      .trim()
      .split(/\s*[\r\n]+\s*/, 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= TEXT_LENGTH ? line : `${characters.slice(0, TEXT_LENGTH - 1).join('')}…`;
}
