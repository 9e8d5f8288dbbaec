/** The connection of the page: one client, for one identity, that comes back by itself. */

import { connectHuman, type HumanClient, type InviteDecision } from '../../client/web.ts';
import { WireError } from '../../core/lib/errors.ts';
import { endText } from '../state/connection-state.ts';
import { store, update } from '../state/console-state.ts';
import { go } from '../state/navigation.ts';
import { NO_FILTER } from '../state/route.ts';
import { EMPTY_LIST } from '../state/session-list.ts';
import { currentClient, setClient } from './current-client.ts';
import { loadGrants } from './grants.ts';
import { pushListenerOf } from './push-listeners.ts';
import { callRead } from './read-operations.ts';
import type { SignIn } from './sign-in-details.ts';
import { forgetSignIn, rememberedSignIn, rememberSignIn } from './storage.ts';

/** Counts sign-ins: what an earlier one brings back does not count any more. */
let attempt = 0;
let stopAcking: (() => void) | null = null;
const openInvites = new Map<string, (decision: InviteDecision) => void>();

/** How long until the hub is tried again that did not answer at the first time. */
const RETRY_MS = 2000;

/** `isTry`: nobody asked for it, so a hub that wants more is no failure. */
export async function signIn(wanted: SignIn, { isTry = false }: { isTry?: boolean } = {}): Promise<void> {
  attempt += 1;
  const mine = attempt;
  forgetAll();
  update(() => ({ connection: { kind: 'connecting' } }));
  try {
    const connected = await connectAs(wanted, () => mine === attempt);
    if (mine !== attempt) return connected.close();
    await welcome(connected, wanted);
  } catch (thrown) {
    if (mine === attempt) refused(thrown, wanted, { mine, isTry });
  }
}

export function signOut(): void {
  attempt += 1;
  forgetAll();
  forgetSignIn();
  // Where one was, and what one looked for, is in the address.
  go({ page: 'sessions', filter: NO_FILTER }, { replace: true });
  update(() => ({ connection: { kind: 'signed-out', why: null } }));
}

/** What waits for an answer is given up: it is not sent any more. */
export function reconnect(): void {
  const { name, token } = rememberedSignIn();
  if (name !== null && currentClient() !== null) void signIn({ name, token });
}

/** Nothing that one identity was shown is there for the next. */
function forgetAll(): void {
  currentClient()?.close();
  setClient(null);
  openInvites.clear();
  update(() => ({ me: null, list: EMPTY_LIST, session: null, hub: null, invites: [], notices: [] }));
}

/** What is pushed is acked, as the person reads it in the page; but who only looks acks nothing. */
export function setAcking(isOn: boolean): void {
  if (!isOn) {
    stopAcking?.();
    stopAcking = null;
  } else {
    stopAcking ??= currentClient()?.onMessage(({ session }) => pushListenerOf(session.id)?.heard()) ?? null;
  }
}

/** Decides about an invite that waits. False = there is none. */
export function answerInvite(sessionId: string, decision: InviteDecision): boolean {
  const answer = openInvites.get(sessionId);
  forgetInvite(sessionId);
  answer?.(decision);
  return answer !== undefined;
}

/** It waits for nobody's answer any more. */
export function forgetInvite(sessionId: string): void {
  openInvites.delete(sessionId);
  update(({ invites }) => (invites.includes(sessionId) ? { invites: invites.filter((id) => id !== sessionId) } : null));
}

function connectAs({ name, token }: SignIn, counts: () => boolean): Promise<HumanClient> {
  const { readOnly } = store.get();
  return connectHuman(hubAddress(), {
    name,
    ...(token === null ? {} : { token }),
    // To register a name is to change something.
    register: !readOnly,
    reconnect: { minMs: 200, maxMs: 4000 },
    onInvite: ({ session }) =>
      new Promise((resolve) => {
        openInvites.set(session.id, resolve);
        update(({ invites }) => ({ invites: [...invites.filter((id) => id !== session.id), session.id] }));
        // An invite nobody can accept any more does not wait. The end of the client is told elsewhere.
        session.ended().then(
          () => forgetInvite(session.id),
          () => {},
        );
      }),
    onDelta: (delta) => pushListenerOf(delta.session_id)?.shown(delta),
    onState(state) {
      if (!counts() || currentClient() === null) return;
      if (state !== 'closed') update(() => ({ connection: { kind: state } }));
      if (state === 'open') loadGrants();
    },
  });
}

async function welcome(connected: HumanClient, wanted: SignIn): Promise<void> {
  setClient(connected);
  const mine = attempt;
  void connected.closed.then((end) => {
    if (mine === attempt) update(() => ({ connection: { kind: 'ended', why: endText(end) } }));
  });
  stopAcking = null;
  setAcking(!store.get().readOnly);
  const me = await callRead('whoami', {});
  if (mine !== attempt) return;
  rememberSignIn(wanted);
  const skewMs = Date.parse(connected.welcomedAt) - Date.now();
  update(() => ({ connection: { kind: connected.state === 'away' ? 'away' : 'open' }, me, skewMs }));
}

/** A hub that did not answer is tried again; one that said no is not. */
function refused(thrown: unknown, wanted: SignIn, { mine, isTry }: { mine: number; isTry: boolean }): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (thrown instanceof WireError && (thrown.code === 'unavailable' || thrown.code === 'timeout')) {
    update(() => ({ connection: { kind: 'away' } }));
    setTimeout(() => {
      if (mine === attempt) void signIn(wanted, { isTry });
    }, RETRY_MS);
    return;
  }
  update(() => ({ connection: { kind: 'signed-out', why: isTry ? null : error.message } }));
}

/** The hub that serves the page, wherever that is. */
function hubAddress(): string {
  const here = new URL('.', location.href);
  here.protocol = here.protocol === 'https:' ? 'wss:' : 'ws:';
  here.search = '';
  here.hash = '';
  return here.href;
}
