/** Serves figures of the hub for operators, with a survey of the newest live sessions. Caches both for all readers. */

import { isoFromMs, msFromIso } from '../../../core/lib/time.ts';
import type {
  AgentLoad,
  HubFigures,
  PendingWait,
  SlowConsumer,
} from '../../../core/protocol/operations/console-hub.ts';
import type { Head } from '../../../core/records/session/unit.ts';
import { changedAt } from '../../../core/state/fold-head.ts';
import type { SessionState } from '../../../core/state/state.ts';
import { iterateSessions } from '../../log/read-pages.ts';
import { RecentSeconds } from '../../telemetry/recent-seconds.ts';
import type { ReadingRooms } from '../log/read-access.ts';
import type { WaitStartTimes } from './waits.ts';

type SurveyRooms = Pick<ReadingRooms, 'store' | 'registry' | 'sessions' | 'streams'> & {
  readonly startTimes: WaitStartTimes;
};

type OverviewRooms = SurveyRooms &
  Pick<
    ReadingRooms,
    'clock' | 'limits' | 'backlog' | 'meter' | 'index' | 'bindings' | 'inboxes' | 'countConnections' | 'looks'
  >;

/** How long an answer, and a survey of the live sessions, are reused. */
const FRESH_MS = 500;
const SURVEY_FRESH_MS = 2_000;
const MAX_SLOW = 50;
const MAX_AGENTS = 200;

export class Overview {
  private readonly rooms: OverviewRooms;
  private readonly recent: RecentSeconds;
  private readonly beganMs: number;
  private readonly answer = new Fresh(FRESH_MS, (nowMs) => this.collect(nowMs));
  private readonly survey = new Fresh(SURVEY_FRESH_MS, () => this.rooms.looks.run(() => surveyWaits(this.rooms)));

  constructor(rooms: OverviewRooms) {
    this.rooms = rooms;
    this.recent = new RecentSeconds(rooms.clock, rooms.meter);
    this.beganMs = rooms.clock.monotonic();
  }

  /** Called once a second. */
  sample(): void {
    this.recent.sample();
  }

  figures(): Promise<HubFigures> {
    return this.answer.get(this.rooms.clock.monotonic());
  }

  private async collect(nowMs: number): Promise<HubFigures> {
    const { clock, bindings, meter, backlog } = this.rooms;
    const survey = await this.survey.get(nowMs);
    return {
      time: isoFromMs(clock.now()),
      uptime_s: Math.round((nowMs - this.beganMs) / 1000),
      connections: this.rooms.countConnections(),
      agents_connected: bindings.size,
      sessions: this.byState(),
      totals: { posts: meter.posted, delivered: meter.delivered, refused: meter.refusedTotal },
      series: [...this.recent.series],
      staged: { units: backlog.units, bytes: backlog.bytes },
      slow_consumers: this.slow(),
      waits: survey.waits,
      agents: this.loads(survey),
      is_partial: survey.isPartial,
    };
  }

  private byState(): Readonly<Record<string, number>> {
    const byState: Record<string, number> = { INVITED: 0, ACTIVE: 0, CLOSING: 0 };
    for (const { state, count } of this.rooms.index.census.counts()) byState[state] = (byState[state] ?? 0) + count;
    return byState;
  }

  /** Connections under backpressure, and those with a full window of unacked deliveries. */
  private slow(): readonly SlowConsumer[] {
    const { streams, limits } = this.rooms;
    const slow: SlowConsumer[] = [];
    for (const { binding, unacked } of streams.all()) {
      const { agentId: agent_id, name, isBackpressured: isHeldUp } = binding;
      if (!isHeldUp && unacked < limits.window) continue;
      slow.push({ agent_id, name, unsent_bytes: binding.endpoint.unsentBytes ?? 0, unacked });
    }
    return slow.sort((a, b) => b.unsent_bytes - a.unsent_bytes || b.unacked - a.unacked).slice(0, MAX_SLOW);
  }

  /** Connected agents and turn holders, those with the most turns first. */
  private loads({ busy }: WaitSurvey): readonly AgentLoad[] {
    const { bindings, registry, inboxes } = this.rooms;
    const ids = new Set([...bindings.all()].map(({ agentId }) => agentId));
    for (const [agentId, { openTurns }] of busy) if (openTurns > 0) ids.add(agentId);
    const loads = [...ids].map((agent_id) => ({
      agent_id,
      name: registry.nameOf(agent_id) ?? agent_id,
      connected: bindings.isBound(agent_id),
      open_turns: busy.get(agent_id)?.openTurns ?? 0,
      sessions: busy.get(agent_id)?.sessions ?? 0,
      inbox: inboxes.pendingOf(agent_id),
    }));
    const order = (a: AgentLoad, b: AgentLoad): number => b.open_turns - a.open_turns || (a.name < b.name ? -1 : 1);
    return loads.sort(order).slice(0, MAX_AGENTS);
  }
}

/** Caches a result while it is fresh; drops a failed one. */
class Fresh<T> {
  private readonly freshMs: number;
  private readonly make: (nowMs: number) => Promise<T>;
  private latest: { readonly atMs: number; readonly value: Promise<T> } | null = null;

  constructor(freshMs: number, make: (nowMs: number) => Promise<T>) {
    this.freshMs = freshMs;
    this.make = make;
  }

  get(nowMs: number): Promise<T> {
    if (this.latest !== null && nowMs - this.latest.atMs < this.freshMs) return this.latest.value;
    const value = this.make(nowMs);
    this.latest = { atMs: nowMs, value };
    value.catch(() => {
      this.latest = null;
    });
    return value;
  }
}

/** Maximum heads per survey, which then takes about ten milliseconds. */
const MAX_SESSIONS = 2_000;
const MAX_WAITS = 200;

interface Workload {
  openTurns: number;
  sessions: number;
}

interface WaitSurvey {
  readonly waits: readonly PendingWait[];
  readonly busy: ReadonlyMap<string, Workload>;
  /** True if more sessions exist than were read. */
  readonly isPartial: boolean;
}

interface Found extends PendingWait {
  /** For finding the exact time of a turn or a decision. */
  readonly head: Head;
}

async function surveyWaits(rooms: SurveyRooms): Promise<WaitSurvey> {
  const busy = new Map<string, Workload>();
  const found: Found[] = [];
  let looked = 0;
  for await (const { head } of iterateSessions(rooms.store, { states: ['INVITED', 'ACTIVE', 'CLOSING'] })) {
    if (looked === MAX_SESSIONS) return { waits: await oldest(rooms, found), busy, isPartial: true };
    looked += 1;
    count(busy, head);
    found.push(...waitsIn(rooms, head));
  }
  return { waits: await oldest(rooms, found), busy, isPartial: false };
}

function count(busy: Map<string, Workload>, { members, turn }: Head): void {
  for (const [agentId, status] of Object.entries(members)) {
    if (status !== 'active' && status !== 'hidden') continue;
    const known = busy.get(agentId) ?? { openTurns: 0, sessions: 0 };
    known.sessions += 1;
    if (turn?.agent_id === agentId) known.openTurns += 1;
    busy.set(agentId, known);
  }
}

function waitsIn(rooms: SurveyRooms, head: Head): readonly Found[] {
  const { session_id, state, turn, members } = head;
  const wait = (agent_id: string, what: PendingWait['what'], since_at: string, due_at: string | null): Found => ({
    ...{ session_id, agent_id, name: rooms.registry.nameOf(agent_id) ?? agent_id },
    ...{ what, text: null, grant: null, since_at, due_at, head },
  });
  if (state === 'CLOSING') return unacked(rooms, head).map((id) => wait(id, 'ack', ...drainOf(head)));
  const invited = Object.entries(members).filter(([, status]) => status === 'invited');
  const inviteDue = state === 'INVITED' ? head.invite_deadline_at : null;
  const due = head.due_at == null ? null : isoFromMs(head.due_at);
  return [
    ...invited.map(([id]) => wait(id, 'invite', head.created_at, inviteDue)),
    ...(turn === null ? [] : [wait(turn.agent_id, 'turn', changedAt(head), due)]),
    ...replies(rooms.sessions.peek(session_id)?.durable ?? null).map(({ agent_id, at }) =>
      wait(agent_id, 'reply', isoFromMs(at), null),
    ),
    ...decisions(head),
  ];
}

/** The awaited decision, if any; it is not awaited from a particular agent. */
function decisions(head: Head): readonly Found[] {
  const { session_id, awaits } = head;
  if (awaits === undefined) return [];
  const { text, grant } = awaits;
  const nobody = { agent_id: null, name: null, what: 'decision' } as const;
  return [{ session_id, ...nobody, text, grant, since_at: changedAt(head), due_at: null, head }];
}

/** Replies expected from agents other than the turn holder, which is listed with its turn. */
function replies(state: SessionState | null): SessionState['pacing']['unanswered'] {
  if (state === null) return [];
  return state.pacing.unanswered.filter(({ agent_id }) => agent_id !== state.head.turn?.agent_id);
}

function unacked({ streams }: SurveyRooms, { session_id, members, closing_seq }: Head): readonly string[] {
  if (closing_seq === null) return [];
  return Object.keys(members).filter((agentId) => streams.isBehind(agentId, session_id, closing_seq));
}

function drainOf(head: Head): [since: string, due: string] {
  const since = head.closing_at ?? changedAt(head);
  return [since, isoFromMs(msFromIso(since) + head.drain_timeout_ms)];
}

/** The oldest waits. Reads exact times only for the waits shown. */
async function oldest(rooms: SurveyRooms, found: readonly Found[]): Promise<readonly PendingWait[]> {
  const bySince = (a: PendingWait, b: PendingWait): number =>
    a.since_at < b.since_at ? -1 : a.since_at > b.since_at ? 1 : 0;
  const waits: PendingWait[] = [];
  for (const { head, ...wait } of found.toSorted(bySince).slice(0, MAX_WAITS)) {
    const state = rooms.sessions.peek(head.session_id)?.durable ?? null;
    const since =
      wait.what === 'turn'
        ? await rooms.startTimes.turnOf(head, state)
        : wait.what === 'decision'
          ? await rooms.startTimes.awaitedOf(head, head.awaits)
          : null;
    waits.push(since === null ? wait : { ...wait, since_at: since.since_at });
  }
  return waits.sort(bySince);
}
