/** How a hub is doing, for who looks after it. However many look at once, it is put together once in so much time. */

import type { AgentLoad, HubFigures, SlowConsumer } from '../core/console-operations.ts';
import { isoFromMs } from '../core/time.ts';
import type { HubParts } from './parts.ts';
import { RecentSeconds } from './telemetry/recent-seconds.ts';
import { type Walked, whoWaits } from './who-waits.ts';

/** For so long an answer is as good as a new one, and for so long a walk over the live sessions. */
const FRESH_MS = 500;
const WALK_FRESH_MS = 2_000;
const MOST_SLOW = 50;
const MOST_AGENTS = 200;

export class Overview {
  private readonly parts: HubParts;
  private readonly recent: RecentSeconds;
  private readonly beganMs: number;
  private answer: { readonly atMs: number; readonly figures: Promise<HubFigures> } | null = null;
  private walk: { readonly atMs: number; readonly walked: Promise<Walked> } | null = null;

  constructor(parts: HubParts) {
    this.parts = parts;
    this.recent = new RecentSeconds(parts.clock, parts.meter);
    this.beganMs = parts.clock.monotonic();
  }

  /** Called once a second. */
  sample(): void {
    this.recent.sample();
  }

  figures(): Promise<HubFigures> {
    const nowMs = this.parts.clock.monotonic();
    if (this.answer !== null && nowMs - this.answer.atMs < FRESH_MS) return this.answer.figures;
    const figures = this.look(nowMs);
    this.answer = { atMs: nowMs, figures };
    figures.catch(() => {
      this.answer = null;
    });
    return figures;
  }

  private async look(nowMs: number): Promise<HubFigures> {
    const { clock, bindings, meter, backlog } = this.parts;
    const walked = await this.walked(nowMs);
    return {
      time: isoFromMs(clock.now()),
      uptime_s: Math.round((nowMs - this.beganMs) / 1000),
      connections: this.parts.countConnections(),
      agents_connected: bindings.size,
      sessions: this.byState(),
      totals: { posts: meter.posted, delivered: meter.delivered, refused: meter.refusedTotal },
      series: [...this.recent.series],
      staged: { units: backlog.units, bytes: backlog.bytes },
      slow_consumers: this.slow(),
      waits: walked.waits,
      agents: this.loads(walked),
      is_partial: walked.isPartial,
    };
  }

  private walked(nowMs: number): Promise<Walked> {
    if (this.walk !== null && nowMs - this.walk.atMs < WALK_FRESH_MS) return this.walk.walked;
    const walked = this.parts.looks.run(() => whoWaits(this.parts));
    this.walk = { atMs: nowMs, walked };
    walked.catch(() => {
      this.walk = null;
    });
    return walked;
  }

  private byState(): Readonly<Record<string, number>> {
    const byState: Record<string, number> = { INVITED: 0, ACTIVE: 0, CLOSING: 0 };
    for (const { state, count } of this.parts.index.census.counts()) byState[state] = (byState[state] ?? 0) + count;
    return byState;
  }

  /** Connections whose bytes do not leave, and those that have as much unacked as one stream may. */
  private slow(): readonly SlowConsumer[] {
    const { bindings, limits } = this.parts;
    const slow: SlowConsumer[] = [];
    for (const binding of bindings.all()) {
      const { agentId: agent_id, name, unacked, isHeldUp } = binding;
      if (!isHeldUp && unacked < limits.window) continue;
      slow.push({ agent_id, name, unsent_bytes: binding.endpoint.unsentBytes ?? 0, unacked });
    }
    return slow.sort((a, b) => b.unsent_bytes - a.unsent_bytes || b.unacked - a.unacked).slice(0, MOST_SLOW);
  }

  /** Those who are connected, and those who have a turn; the busiest first. */
  private loads({ busy }: Walked): readonly AgentLoad[] {
    const { bindings, registry, inboxes } = this.parts;
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
    return loads.sort(order).slice(0, MOST_AGENTS);
  }
}
