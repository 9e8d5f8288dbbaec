/** What a session waits for, as far as somebody may know: whoever is waited for because of a whisper is nobody else's business. */

import type { ArmedWait, NextDeadline, ShownExpectation } from '../../../core/console-operations.ts';
import type { TimedEntry, Wait, Watch } from '../../../core/ports/expectation.ts';
import { watchedState } from '../../../core/decisions/expectations-due.ts';
import { type Head, lifecycleDeadline } from '../../../core/state/fold-head.ts';
import { isTerminal } from '../../../core/records/session/session.ts';
import type { SessionState } from '../../../core/state/state.ts';
import { isoFromMs, isTime, msFromIso } from '../../../core/time.ts';
import { openWaits } from '../../../core/state/waits.ts';

/** Whose waits are shown; 'all' = everybody's. */
export type Shown = 'all' | { readonly to: string };

export function shownExpectations(state: SessionState, watch: Watch | null, shown: Shown): readonly ShownExpectation[] {
  const { expectations } = state.metadata.manifest;
  return expectations.map((entry, index) => ({ ...entry, armed: armedIn(state, watch, index, shown) }));
}

function armedIn(state: SessionState, watch: Watch | null, index: number, shown: Shown): readonly ArmedWait[] {
  const entry = watch?.timed.find((one) => one.index === index);
  if (entry === undefined) return [];
  return waitsOf(state, entry, shown).map(({ agent_id, since_seq, due_ms }) => ({
    agent_id,
    since_seq,
    due_at: isoFromMs(due_ms),
  }));
}

function waitsOf(state: SessionState, entry: TimedEntry, shown: Shown): readonly Wait[] {
  try {
    return openWaits(entry, watchedState(state)).filter(
      ({ agent_id, due_ms }) => isTime(due_ms) && maySee(state, agent_id, shown),
    );
  } catch {
    // Told where it is looked at when it is due.
    return [];
  }
}

/** Oneself, everybody, and whoever has the turn, which everybody knows. */
function maySee({ head }: SessionState, agentId: string | null, shown: Shown): boolean {
  return shown === 'all' || agentId === null || agentId === shown.to || agentId === head.turn?.agent_id;
}

/** The first thing that happens by itself. `state` null = the session is not in memory: what is expected has no name then. */
export function nextDeadline(
  head: Head,
  state: SessionState | null,
  watch: Watch | null,
  shown: Shown,
): NextDeadline | null {
  const ending = ofLifecycle(head);
  const expected = isTerminal(head.state) ? null : firstExpected(head, state, watch, shown);
  const first = expected !== null && (ending === null || expected.at < ending.at) ? expected : ending;
  return first === null ? null : { ...first, at: isoFromMs(first.at) };
}

/** A deadline with its time in milliseconds: of many that are looked at one is told. */
type Found = Omit<NextDeadline, 'at'> & { readonly at: number };

function firstExpected(head: Head, state: SessionState | null, watch: Watch | null, shown: Shown): Found | null {
  if (state === null) {
    const at = head.due_at ?? null;
    return at === null || shown !== 'all' ? null : { at, what: 'expected', agent_id: null };
  }
  let first: Found | null = null;
  for (const watched of watch?.timed ?? []) {
    for (const { agent_id, due_ms } of waitsOf(state, watched, shown)) {
      if (first === null || due_ms < first.at) first = { at: due_ms, what: watched.entry.name, agent_id };
    }
  }
  return first;
}

function ofLifecycle(head: Head): Found | null {
  const at = lifecycleDeadline(head);
  if (at === null) return null;
  const { state, invite_deadline_at } = head;
  const isInvite = state === 'INVITED' && invite_deadline_at !== null && msFromIso(invite_deadline_at) === at;
  return { at, what: state === 'CLOSING' ? 'drain' : isInvite ? 'invites' : 'ttl', agent_id: null };
}
