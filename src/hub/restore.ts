/** The start of a hub: rows, not heads and not histories, and most of them while it runs already, as what a crash left undone. */

import { isTerminal } from '../core/records/session/session.ts';
import { stampMs } from '../core/records/session/stamp.ts';
import type { LiveRow } from '../core/ports/store.ts';
import { eachAtMost } from './lib/for-each-limit.ts';
import { currentHead } from './current-head.ts';
import { checkDrained } from './drain.ts';
import { closeWithParent, removeGone } from './follow-up.ts';
import type { HubParts } from './parts.ts';
import { sessionsToLeave } from './sessions-to-leave.ts';
import { tried } from './tried.ts';

/** Like the deadlines that are due: a flush full, and no more sessions in memory than that. */
const MOST_AT_ONCE = 128;

/** What is left to do once the hub runs. */
export interface Unfinished {
  /** Pages of live sessions that are not armed yet. */
  readonly rows: AsyncIterator<readonly LiveRow[]>;
  readonly closing: string[];
  readonly children: string[];
  readonly delegating: string[];
}

/** Makes later stamps later than all that is stored, and arms the first page of live sessions: for most hubs that is all. */
export async function restore(parts: HubParts): Promise<Unfinished> {
  const { store, registry, schedules, tokens, stamper, clock, index, grace } = parts;
  await registry.start();
  await parts.redactions.start();
  await tokens?.start();
  await schedules.start();
  const newest = await store.newestEnvelopeId();
  if (newest !== null) {
    stamper.observe(newest);
    clock.reached(stampMs(newest));
  }
  const unfinished = { rows: store.liveRows()[Symbol.asyncIterator](), closing: [], children: [], delegating: [] };
  while (index.size === 0 && (await armPage(parts, unfinished)));
  if (index.size > 0) grace.started();
  return unfinished;
}

/** Arms the other live sessions, ends what waits for nobody, closes children of ended parents, and takes retired identities out. */
export async function catchUp(parts: HubParts, unfinished: Unfinished): Promise<void> {
  const { closing, children, delegating } = unfinished;
  try {
    while (parts.backlog.failed === null && (await armPage(parts, unfinished))) await turn(parts);
  } finally {
    // Whoever delegates waits for it.
    await parts.delegations.restore(delegating);
  }
  const inTurn = turnsOf(parts);
  await eachAtMost(MOST_AT_ONCE, closing, (sessionId) =>
    inTurn(() => tried(parts, `${sessionId}\nlook at closing`, () => lookAtClosing(parts, sessionId))),
  );
  await eachAtMost(MOST_AT_ONCE, children, (sessionId) => inTurn(() => closeWithParent(parts, sessionId)));
  await eachAtMost(1, parts.registry.retiredIds(), (agentId) =>
    inTurn(() => tried(parts, `${agentId}\nretired`, () => takeOut(parts, agentId))),
  );
}

/** False = there are no more. One that has ended since it was read is found out when it is due. */
async function armPage(
  { index, clock }: HubParts,
  { rows, closing, children, delegating }: Unfinished,
): Promise<boolean> {
  const { value, done } = await rows.next();
  if (done === true) return false;
  const nowMs = clock.now();
  for (const row of value) {
    index.restore(row, nowMs);
    if (row.state === 'CLOSING') closing.push(row.session_id);
    if (row.is_child) children.push(row.session_id);
    if (row.delegates) delegating.push(row.session_id);
  }
  return true;
}

/** Everyone else has a turn in between, and a hub that has stopped does no more. */
function turnsOf(parts: HubParts): (work: () => Promise<void>) => Promise<void> {
  let done = 0;
  return async (work) => {
    done += 1;
    if (done % MOST_AT_ONCE === 0) await turn(parts);
    if (parts.backlog.failed === null) await work();
  };
}

function turn({ clock }: HubParts): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
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
