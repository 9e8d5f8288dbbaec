/** Starts a hub: reads one row per live session, mostly while the hub already runs, then completes what a crash interrupted. */

import type { LiveRow } from '../core/ports/store.ts';
import { isTerminal } from '../core/records/session/session.ts';
import { stampMs } from '../core/records/session/stamp.ts';
import type { Deadlines } from './deadlines/deadlines.ts';
import type { FollowUp } from './follow-up.ts';
import { forEachLimit } from './lib/for-each-limit.ts';
import { sessionsToLeave } from './log/read-pages.ts';
import type { SharedRooms } from './posting/shared-rooms.ts';
import type { Schedules } from './schedules/schedules.ts';
import type { Delegations } from './tasks/delegations.ts';
import { runWithRetries } from './time/retries.ts';

/** Sessions processed concurrently: enough to fill a flush. */
const MAX_CONCURRENT = 128;

export type StartupNeeds = SharedRooms & {
  readonly deadlines: Deadlines;
  readonly delegations: Delegations;
  readonly schedules: Schedules;
  readonly followUp: FollowUp;
};

export class Startup {
  private readonly needs: StartupNeeds;
  /** Pages of live sessions not armed yet. */
  private readonly rows: AsyncIterator<readonly LiveRow[]>;
  private readonly closing: string[] = [];
  private readonly children: string[] = [];
  private readonly delegating: string[] = [];
  private done = 0;

  private constructor(needs: StartupNeeds) {
    this.needs = needs;
    this.rows = needs.store.liveRows()[Symbol.asyncIterator]();
  }

  /** Moves stamps past everything stored, and arms the first page of live sessions, which for most hubs is all. */
  static async load(needs: StartupNeeds): Promise<Startup> {
    const { store, registry, redactions, schedules, tokens, stamper, clock, index, deadlines } = needs;
    await registry.start();
    await redactions.start();
    await tokens?.start();
    await schedules.start();
    const newest = await store.newestEnvelopeId();
    if (newest !== null) {
      stamper.observe(newest);
      clock.reached(stampMs(newest));
    }
    const startup = new Startup(needs);
    while (index.size === 0 && (await startup.armPage()));
    if (index.size > 0) deadlines.grace.started();
    return startup;
  }

  /** Arms the other live sessions, finishes drains, closes children of ended parents, and removes retired identities. */
  async finish(): Promise<void> {
    const { needs } = this;
    try {
      while (needs.backlog.failed === null && (await this.armPage())) await this.nextTick();
    } finally {
      // New delegations wait for `restore`.
      await needs.delegations.restore(this.delegating);
    }
    await this.paced(MAX_CONCURRENT, this.closing, (sessionId) =>
      runWithRetries(needs, `${sessionId}\nlook at closing`, () => this.checkClosing(sessionId)),
    );
    await this.paced(MAX_CONCURRENT, this.children, (sessionId) => needs.followUp.closeWithParent(sessionId));
    await this.paced(1, needs.registry.retiredIds(), (agentId) =>
      runWithRetries(needs, `${agentId}\nretired`, () => this.removeEverywhere(agentId)),
    );
  }

  /** Arms one page of live sessions; false if no page is left. A session that ended since is noticed when it is due. */
  private async armPage(): Promise<boolean> {
    const { index, clock } = this.needs;
    const { value, done } = await this.rows.next();
    if (done === true) return false;
    const nowMs = clock.now();
    for (const row of value) {
      index.restore(row, nowMs);
      if (row.state === 'CLOSING') this.closing.push(row.session_id);
      if (row.is_child) this.children.push(row.session_id);
      if (row.delegates) this.delegating.push(row.session_id);
    }
    return true;
  }

  /** Yields to other work now and then; does nothing once the hub has stopped. */
  private paced(limit: number, ids: Iterable<string>, work: (id: string) => Promise<void>): Promise<void> {
    return forEachLimit(limit, ids, async (id) => {
      this.done += 1;
      if (this.done % MAX_CONCURRENT === 0) await this.nextTick();
      if (this.needs.backlog.failed === null) await work(id);
    });
  }

  private nextTick(): Promise<void> {
    return new Promise((resolve) => void this.needs.clock.after(0, resolve));
  }

  private async checkClosing(sessionId: string): Promise<void> {
    const { index, clock, streams } = this.needs;
    const current = await this.needs.sessions.currentHead(sessionId);
    if (current === null || current.damaged || isTerminal(current.head.state)) return;
    index.update(current.head, clock.now());
    await streams.checkDrained(current.head);
  }

  private async removeEverywhere(agentId: string): Promise<void> {
    const { store, followUp } = this.needs;
    for await (const sessionId of sessionsToLeave(store, agentId)) await followUp.removeGone(sessionId, agentId);
  }
}
