/** The start of a hub: rows, not heads and not histories, and most of them while it runs already, as what a crash left undone. */

import type { LiveRow } from '../core/ports/store.ts';
import { isTerminal } from '../core/records/session/session.ts';
import { stampMs } from '../core/records/session/stamp.ts';
import type { Deadlines } from './deadlines/deadlines.ts';
import type { Streams } from './delivery/streams.ts';
import type { FollowUp } from './follow-up.ts';
import { forEachLimit } from './lib/for-each-limit.ts';
import type { Ground } from './log/ground.ts';
import { sessionsToLeave } from './log/read-pages.ts';
import type { Registry } from './registry/registry.ts';
import type { Tokens } from './registry/tokens.ts';
import type { Schedules } from './schedules/schedules.ts';
import type { LiveIndex } from './sessions/live-index.ts';
import type { Redactions } from './sessions/redactions.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Delegations } from './tasks/delegations.ts';
import { runWithRetries } from './time/retries.ts';

/** Like the deadlines that are due: a flush full, and no more sessions in memory than that. */
const MAX_CONCURRENT = 128;

export interface StartupNeeds extends Ground {
  readonly registry: Registry;
  readonly tokens: Tokens | null;
  readonly redactions: Redactions;
  readonly sessions: Sessions;
  readonly index: LiveIndex;
  readonly streams: Streams;
  readonly deadlines: Deadlines;
  readonly delegations: Delegations;
  readonly schedules: Schedules;
  readonly followUp: FollowUp;
}

export class Startup {
  private readonly needs: StartupNeeds;
  /** Pages of live sessions that are not armed yet. */
  private readonly rows: AsyncIterator<readonly LiveRow[]>;
  private readonly closing: string[] = [];
  private readonly children: string[] = [];
  private readonly delegating: string[] = [];
  private done = 0;

  private constructor(needs: StartupNeeds) {
    this.needs = needs;
    this.rows = needs.store.liveRows()[Symbol.asyncIterator]();
  }

  /** Makes later stamps later than all that is stored, and arms the first page of live sessions: for most hubs that is all. */
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

  /** Arms the other live sessions, ends what waits for nobody, closes children of ended parents, and takes retired identities out. */
  async finish(): Promise<void> {
    const { needs } = this;
    try {
      while (needs.backlog.failed === null && (await this.armPage())) await this.turn();
    } finally {
      // Whoever delegates waits for it.
      await needs.delegations.restore(this.delegating);
    }
    await forEachLimit(MAX_CONCURRENT, this.closing, (sessionId) =>
      this.inTurn(() => runWithRetries(needs, `${sessionId}\nlook at closing`, () => this.lookAtClosing(sessionId))),
    );
    await forEachLimit(MAX_CONCURRENT, this.children, (sessionId) =>
      this.inTurn(() => needs.followUp.closeWithParent(sessionId)),
    );
    await forEachLimit(1, needs.registry.retiredIds(), (agentId) =>
      this.inTurn(() => runWithRetries(needs, `${agentId}\nretired`, () => this.takeOut(agentId))),
    );
  }

  /** False = there are no more. One that has ended since it was read is found out when it is due. */
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

  /** Everyone else has a turn in between, and a hub that has stopped does no more. */
  private async inTurn(work: () => Promise<void>): Promise<void> {
    this.done += 1;
    if (this.done % MAX_CONCURRENT === 0) await this.turn();
    if (this.needs.backlog.failed === null) await work();
  }

  private turn(): Promise<void> {
    return new Promise((resolve) => void this.needs.clock.after(0, resolve));
  }

  private async lookAtClosing(sessionId: string): Promise<void> {
    const { index, clock, streams } = this.needs;
    const current = await this.needs.sessions.currentHead(sessionId);
    if (current === null || current.damaged || isTerminal(current.head.state)) return;
    index.update(current.head, clock.now());
    await streams.checkDrained(current.head);
  }

  private async takeOut(agentId: string): Promise<void> {
    const { store, followUp } = this.needs;
    for await (const sessionId of sessionsToLeave(store, agentId)) await followUp.removeGone(sessionId, agentId);
  }
}
