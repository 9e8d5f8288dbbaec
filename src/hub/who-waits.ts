/** Who is waited for, and how much each agent has to do: a walk over the heads of the newest live sessions. */

import type { HubWait } from '../core/console-operations.ts';
import { changedAt, type Head } from '../core/state/fold-head.ts';
import type { SessionState } from '../core/state/state.ts';
import { isoFromMs, msFromIso } from '../core/time.ts';
import type { HubParts } from './parts.ts';
import { listed } from './log/read-pages.ts';

/** Heads of one walk: it takes some ten milliseconds of the hub's time, in pages. */
const MOST_SESSIONS = 2_000;
const MOST_WAITS = 200;

export interface Busy {
  openTurns: number;
  sessions: number;
}

export interface Walked {
  readonly waits: readonly HubWait[];
  readonly busy: ReadonlyMap<string, Busy>;
  /** There are more sessions than were looked at. */
  readonly isPartial: boolean;
}

interface Found extends HubWait {
  /** Of a turn or a decision: its head, from which the exact time is found. */
  readonly head: Head;
}

export async function whoWaits(parts: HubParts): Promise<Walked> {
  const busy = new Map<string, Busy>();
  const found: Found[] = [];
  let looked = 0;
  for await (const { head } of listed(parts.store, { states: ['INVITED', 'ACTIVE', 'CLOSING'] })) {
    if (looked === MOST_SESSIONS) return { waits: await oldest(parts, found), busy, isPartial: true };
    looked += 1;
    count(busy, head);
    found.push(...waitsIn(parts, head));
  }
  return { waits: await oldest(parts, found), busy, isPartial: false };
}

function count(busy: Map<string, Busy>, { members, turn }: Head): void {
  for (const [agentId, status] of Object.entries(members)) {
    if (status !== 'active' && status !== 'hidden') continue;
    const known = busy.get(agentId) ?? { openTurns: 0, sessions: 0 };
    known.sessions += 1;
    if (turn?.agent_id === agentId) known.openTurns += 1;
    busy.set(agentId, known);
  }
}

function waitsIn(parts: HubParts, head: Head): readonly Found[] {
  const { session_id, state, turn, members } = head;
  const wait = (agent_id: string, what: HubWait['what'], since_at: string, due_at: string | null): Found => ({
    ...{ session_id, agent_id, name: parts.registry.nameOf(agent_id) ?? agent_id },
    ...{ what, text: null, grant: null, since_at, due_at, head },
  });
  if (state === 'CLOSING') return unacked(parts, head).map((id) => wait(id, 'ack', ...drainOf(head)));
  const invited = Object.entries(members).filter(([, status]) => status === 'invited');
  const inviteDue = state === 'INVITED' ? head.invite_deadline_at : null;
  const due = head.due_at == null ? null : isoFromMs(head.due_at);
  return [
    ...invited.map(([id]) => wait(id, 'invite', head.created_at, inviteDue)),
    ...(turn === null ? [] : [wait(turn.agent_id, 'turn', changedAt(head), due)]),
    ...replies(parts.sessions.peek(session_id)?.durable ?? null).map(({ agent_id, at }) =>
      wait(agent_id, 'reply', isoFromMs(at), null),
    ),
    ...decisions(head),
  ];
}

/** Of nobody in particular. */
function decisions(head: Head): readonly Found[] {
  const { session_id, awaits } = head;
  if (awaits === undefined) return [];
  const { text, grant } = awaits;
  const nobody = { agent_id: null, name: null, what: 'decision' } as const;
  return [{ session_id, ...nobody, text, grant, since_at: changedAt(head), due_at: null, head }];
}

/** Whoever has the turn is waited for already. */
function replies(state: SessionState | null): SessionState['pacing']['unanswered'] {
  if (state === null) return [];
  return state.pacing.unanswered.filter(({ agent_id }) => agent_id !== state.head.turn?.agent_id);
}

function unacked({ bindings }: HubParts, { session_id, members, closing_seq }: Head): readonly string[] {
  return Object.keys(members).filter((agentId) => {
    const pump = bindings.of(agentId)?.pumps.get(session_id);
    return pump !== undefined && closing_seq !== null && !pump.hasAcked(closing_seq);
  });
}

function drainOf(head: Head): [since: string, due: string] {
  const since = head.closing_at ?? changedAt(head);
  return [since, isoFromMs(msFromIso(since) + head.drain_timeout_ms)];
}

/** Times of turns and decisions are read only for those that are shown. */
async function oldest(parts: HubParts, found: readonly Found[]): Promise<readonly HubWait[]> {
  const bySince = (a: HubWait, b: HubWait): number => (a.since_at < b.since_at ? -1 : a.since_at > b.since_at ? 1 : 0);
  const waits: HubWait[] = [];
  for (const { head, ...wait } of found.toSorted(bySince).slice(0, MOST_WAITS)) {
    const state = parts.sessions.peek(head.session_id)?.durable ?? null;
    const since =
      wait.what === 'turn'
        ? await parts.sinceWhen.turnOf(head, state)
        : wait.what === 'decision'
          ? await parts.sinceWhen.awaitedOf(head, head.awaits)
          : null;
    waits.push(since === null ? wait : { ...wait, since_at: since.since_at });
  }
  return waits.sort(bySince);
}
