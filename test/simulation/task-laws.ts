/** Laws of tasks by an independent reading of the spec: their moves, their ends, and that an end is permanent. */

import type { Envelope } from 'parley-hub/core';
import type { SessionState } from '../../src/core/state/state.ts';
import { holds } from './law-broken.ts';

interface Known {
  readonly session: string;
  readonly owner: string;
  readonly capability: string | null;
  readonly dueMs: number;
  state: string;
}

const ENDS: ReadonlyMap<string, string> = new Map([
  ['task.completed', 'done'],
  ['task.failed', 'failed'],
  ['task.cancelled', 'cancelled'],
  ['task.expired', 'expired'],
]);
const RUNS: ReadonlySet<string> = new Set(['task.progress', 'task.checkpoint', 'task.resumed']);
const SESSION_ENDS: ReadonlySet<string> = new Set(['session.closing', 'session.closed', 'session.expired']);

export class TaskBook {
  private readonly tasks = new Map<string, Known>();

  /** One more envelope of a session, and the state before it. */
  take(before: SessionState | null, envelope: Envelope): void {
    const { task_id, event_type, event_data, session_id } = envelope;
    const where = `${session_id} seq ${envelope.seq}`;
    if (SESSION_ENDS.has(event_type)) {
      for (const id of this.live(session_id)) holds(false, 'L6', () => `${where}: task ${id} outlives its session`);
    }
    if (event_type === 'session.participant.removed') {
      const left = this.live(session_id).filter((id) => this.tasks.get(id)?.owner === event_data.agent_id);
      holds(left.length === 0, 'L6', () => `${where}: task ${left[0]} outlives its owner's place`);
    }
    if (task_id === null || !event_type.startsWith('task.') || before === null) return;
    const sender = before.metadata.participants.find(({ agent_id }) => agent_id === envelope.sender_id);
    holds(
      before.metadata.state === 'ACTIVE' || event_type === 'task.expired',
      'L4',
      () => `${where}: ${event_type} while ${before.metadata.state}`,
    );
    if (event_type === 'task.started') {
      holds(
        sender?.status === 'active' && !this.tasks.has(task_id),
        'L4',
        () => `${where}: ${task_id} is started by ${sender?.status}`,
      );
      this.tasks.set(task_id, started(envelope));
      return;
    }
    this.move(envelope, task_id, where, sender?.status);
  }

  /** The hub's fold of a session equals this book. */
  compare({ tasks, head, metadata }: SessionState): void {
    const { session_id, head_seq } = metadata;
    const mine = this.live(session_id);
    const told = (ids: readonly string[]) => [...ids].sort().join(' ');
    const where = `${session_id} at seq ${head_seq}`;
    holds(
      told(mine) === told(tasks.live.map(({ task_id }) => task_id)),
      'L3',
      () => `${where}: its live tasks are others`,
    );
    for (const { task_id, state, owner_id } of [...tasks.live, ...tasks.ended]) {
      const known = this.tasks.get(task_id);
      holds(
        known?.state === state && known.owner === owner_id,
        'L3',
        () => `${where}: task ${task_id} is ${known?.state}, not ${state}`,
      );
    }
    for (const owner of new Set(mine.map((id) => this.tasks.get(id)?.owner ?? ''))) {
      const count = mine.filter((id) => this.tasks.get(id)?.owner === owner).length;
      holds(
        head.tasks?.[owner] === count,
        'L3',
        () => `${where}: the head counts ${head.tasks?.[owner]} of ${count} tasks`,
      );
    }
    holds(mine.length > 0 || head.tasks === undefined, 'L3', () => `${where}: the head counts tasks that have ended`);
  }

  /** After a sweep that nothing held back. */
  checkExpired(nowMs: number): void {
    for (const [id, { state, dueMs, session }] of this.tasks) {
      const isLive = state === 'open' || state === 'running';
      holds(!isLive || dueMs > nowMs, 'L9', () => `task ${id} of ${session} should have expired`);
    }
  }

  /** Tasks of a session past their ttl. */
  dueBy(session: string, atMs: number): readonly string[] {
    return this.live(session).filter((id) => (this.tasks.get(id)?.dueMs ?? Number.POSITIVE_INFINITY) <= atMs);
  }

  /** A crash may lose one from the statistics; none is counted twice. */
  checkObserved(
    agentId: string,
    observed: Readonly<Record<string, { readonly n: number; readonly completed: number }>>,
  ): void {
    for (const [capability, { n, completed }] of Object.entries(observed)) {
      const all = [...this.tasks.values()].filter((task) => task.owner === agentId && task.capability === capability);
      const ended = all.filter(({ state }) => state !== 'open' && state !== 'running').length;
      const done = all.filter(({ state }) => state === 'done').length;
      holds(
        n <= ended && completed <= done,
        'L5',
        () => `${agentId} has ${n} (${completed}) of ${ended} (${done}) ${capability}`,
      );
    }
  }

  countOf(state: string): number {
    return [...this.tasks.values()].filter((task) => task.state === state).length;
  }

  private move(envelope: Envelope, id: string, where: string, status: string | undefined): void {
    const { event_type, sender_id, event_data, created_at } = envelope;
    const task = this.tasks.get(id);
    holds(task !== undefined && task.session === envelope.session_id, 'L4', () => `${where}: there is no task ${id}`);
    holds(
      task.state === 'open' || task.state === 'running',
      'L4',
      () => `${where}: task ${id} is ${task.state}, then ${event_type}`,
    );
    if (event_type === 'task.cancel_request') {
      holds(sender_id !== task.owner && status === 'active', 'L7', () => `${where}: ${sender_id} asks to cancel ${id}`);
      holds(envelope.audience?.join() === task.owner, 'L7', () => `${where}: the request is not for the owner`);
      return;
    }
    const mover = event_type === 'task.expired' ? 'hub' : task.owner;
    holds(sender_id === mover, 'L7', () => `${where}: ${sender_id} moves ${id}, which is ${task.owner}'s`);
    if (event_type === 'task.expired' && event_data.reason === 'ttl') {
      holds(Date.parse(created_at) >= task.dueMs, 'L9', () => `${where}: ${id} expired early`);
    }
    const end = ENDS.get(event_type);
    holds(end !== undefined || RUNS.has(event_type), 'L4', () => `${where}: ${event_type} is no move`);
    task.state = end ?? 'running';
  }

  private live(session: string): readonly string[] {
    return [...this.tasks].flatMap(([id, task]) =>
      task.session === session && (task.state === 'open' || task.state === 'running') ? [id] : [],
    );
  }
}

function started({ session_id, sender_id, event_data, created_at }: Envelope): Known {
  const startedMs = Date.parse(created_at);
  const ttlMs = Number(event_data.ttl_ms);
  return {
    session: session_id,
    owner: sender_id,
    capability: typeof event_data.capability === 'string' ? event_data.capability.toLowerCase() : null,
    dueMs: ttlMs === 0 ? Number.POSITIVE_INFINITY : startedMs + ttlMs,
    state: 'open',
  };
}
