/** Promises of schedules, read from the logs alone: no time opens twice, none overlaps unless allowed, none is early. */

import { type Entry, isTerminal, type LifecycleState, type SessionMetadata } from 'parley-hub/core';
import { holds } from './law-broken.ts';
import type { Simulation } from './simulation.ts';

interface Opened {
  readonly sessionId: string;
  readonly time: string;
  readonly createdId: string;
}

export class ScheduleBook {
  private readonly known = new Set<string>();
  private readonly times = new Set<string>();
  private readonly last = new Map<string, Opened>();
  /** Whether a schedule may overlap; it does not change in a history. */
  private readonly overlaps = new Map<string, boolean>();

  check(sim: Simulation): void {
    for (const { envelope } of sim.store.durableEntries('schedules')) {
      const { schedule_id, overlap } = envelope.event_data;
      this.overlaps.set(String(schedule_id), overlap === true);
    }
    const fresh = [...sim.model.sessions].filter(([sessionId]) => !this.known.has(sessionId));
    // In the order of creation.
    fresh.sort(([, a], [, b]) => (idOf(a.entries) < idOf(b.entries) ? -1 : 1));
    for (const [sessionId, { entries, states }] of fresh) {
      this.known.add(sessionId);
      const first = states[0];
      if (first !== undefined) this.take(sim, sessionId, entries, first.metadata);
    }
  }

  private take(sim: Simulation, sessionId: string, entries: readonly Entry[], metadata: SessionMetadata): void {
    const { schedule_id, scheduled_at: time } = metadata.labels;
    if (schedule_id === undefined || time === undefined) return;
    sim.count('schedule opened');
    const where = `session ${sessionId} of ${schedule_id} at ${time}`;
    holds(!this.times.has(`${schedule_id} ${time}`), 'SC7', () => `${where} was opened before`);
    this.times.add(`${schedule_id} ${time}`);
    // Stamps never go back, so this only shows that they are not early; a clock may go back during an opening.
    const [atMs, createdMs] = [Date.parse(time), Date.parse(metadata.created_at)];
    const wasSetBack = sim.model.setBacks.some(({ fromMs, toMs }) => toMs <= createdMs && atMs <= fromMs);
    holds(createdMs >= atMs || wasSetBack, 'SC6', () => `${where} was opened early, at ${metadata.created_at}`);
    const overlap = this.overlaps.get(schedule_id);
    holds(overlap !== undefined, 'L1', () => `${where}: there is no such schedule on the disk`);
    const before = this.last.get(schedule_id);
    const createdId = idOf(entries);
    this.last.set(schedule_id, { sessionId, time, createdId });
    if (overlap || before === undefined) return;
    const log = sim.model.sessions.get(before.sessionId);
    const ended = log?.entries.find((_, i) => isClosing(log.states[i]?.metadata.state ?? 'ACTIVE'))?.envelope;
    const expiresAt = log?.states[0]?.metadata.expires_at ?? null;
    const ranOut = expiresAt !== null && expiresAt <= metadata.created_at;
    const isOver = ranOut || (ended !== undefined && ended.envelope_id < createdId);
    holds(isOver, 'SC9', () => `${where} was opened beside ${before.sessionId}`);
  }
}

function isClosing(state: LifecycleState): boolean {
  return state === 'CLOSING' || isTerminal(state);
}

function idOf(entries: readonly Entry[]): string {
  return entries[0]?.envelope.envelope_id ?? '';
}
