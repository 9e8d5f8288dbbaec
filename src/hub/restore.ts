/** The start of a hub: rows, not heads and not histories; what a crash left undone is caught up with while it runs. */

import { isTerminal } from '../core/session.ts';
import { eachAtMost } from './at-most.ts';
import { currentHead } from './current-head.ts';
import { checkDrained } from './drain.ts';
import { closeWithParent, removeGone } from './follow-up.ts';
import type { HubParts } from './parts.ts';
import { sessionsToLeave } from './sessions-to-leave.ts';
import { tried } from './tried.ts';

/** Like the deadlines that are due: a flush full, and no more sessions in memory than that. */
const MOST_AT_ONCE = 128;

/** What must be looked at once the hub runs. */
export interface Unfinished {
  readonly closing: readonly string[];
  readonly children: readonly string[];
}

/** Arms every live session and makes later stamps later than all that is stored. */
export async function restore(parts: HubParts): Promise<Unfinished> {
  const { store, registry, stamper, index, clock } = parts;
  await registry.start();
  const newest = await store.newestEnvelopeId();
  if (newest !== null) stamper.observe(newest);
  const closing: string[] = [];
  const children: string[] = [];
  const nowMs = clock.now();
  for await (const rows of store.liveRows()) {
    for (const row of rows) {
      index.restore(row, nowMs);
      if (row.state === 'CLOSING') closing.push(row.session_id);
      if (row.is_child) children.push(row.session_id);
    }
  }
  return { closing, children };
}

/** Ends what waits for nobody, closes children of ended parents, and takes retired identities out of live sessions. */
export async function catchUp(parts: HubParts, { closing, children }: Unfinished): Promise<void> {
  const inTurn = turnsOf(parts);
  await eachAtMost(MOST_AT_ONCE, closing, (sessionId) =>
    inTurn(() => tried(parts, `${sessionId}\nlook at closing`, () => lookAtClosing(parts, sessionId))),
  );
  await eachAtMost(MOST_AT_ONCE, children, (sessionId) => inTurn(() => closeWithParent(parts, sessionId)));
  await eachAtMost(1, parts.registry.retiredIds(), (agentId) =>
    inTurn(() => tried(parts, `${agentId}\nretired`, () => takeOut(parts, agentId))),
  );
}

/** Everyone else has a turn in between, and a hub that has stopped does no more. */
function turnsOf({ clock, backlog }: HubParts): (work: () => Promise<void>) => Promise<void> {
  let done = 0;
  return async (work) => {
    done += 1;
    if (done % MOST_AT_ONCE === 0) await new Promise<void>((resolve) => void clock.after(0, resolve));
    if (backlog.failed === null) await work();
  };
}

async function lookAtClosing(parts: HubParts, sessionId: string): Promise<void> {
  const current = await currentHead(parts, sessionId);
  if (current === null || current.damaged || isTerminal(current.head.state)) return;
  parts.index.update(current.head, parts.clock.now());
  await checkDrained(parts, current.head);
}

async function takeOut(parts: HubParts, agentId: string): Promise<void> {
  for await (const sessionId of sessionsToLeave(parts.store, agentId)) await removeGone(parts, sessionId, agentId);
}
