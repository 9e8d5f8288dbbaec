/** Manages the page's connection: one client for one identity, which reconnects automatically. */

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
import { callRead, reasonOf } from './read-operations.ts';
import type { SignIn } from './sign-in-details.ts';
import { forgetSignIn, rememberedSignIn, rememberSignIn } from './storage.ts';

/** Number of the latest sign-in attempt; results of earlier ones are ignored. */
let attempt = 0;
let stopAcking: (() => void) | null = null;
const openInvites = new Map<string, (decision: InviteDecision) => void>();

/** Delay before the next sign-in attempt if the hub did not answer. */
const RETRY_MS = 2000;

/** `isTry`: the person did not ask to sign in, so a rejection is not shown as an error. */
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
    if (mine === attempt) handleFailure(thrown, wanted, isTry);
  }
}

export function signOut(): void {
  attempt += 1;
  forgetAll();
  forgetSignIn();
  // Leave the current address: it may reveal the open session or the search.
  go({ page: 'sessions', filter: NO_FILTER }, { replace: true });
  update(() => ({ connection: { kind: 'signed-out', why: null } }));
}

/** Signs in again with a new client. Requests pending on the old client are dropped, not sent later. */
export function reconnect(): void {
  const { name, token } = rememberedSignIn();
  if (name !== null && currentClient() !== null) void signIn({ name, token });
}

/** Closes the client and clears all data: the next identity to sign in must not see it. */
function forgetAll(): void {
  currentClient()?.close();
  setClient(null);
  openInvites.clear();
  update(() => ({ me: null, list: EMPTY_LIST, session: null, hub: null, invites: [], notices: [] }));
}

/** Starts or stops acking pushed envelopes. Read-only mode acks none. */
export function setAcking(isOn: boolean): void {
  if (!isOn) {
    stopAcking?.();
    stopAcking = null;
  } else {
    stopAcking ??= currentClient()?.onMessage(({ session }) => pushListenerOf(session.id)?.onEnvelope()) ?? null;
  }
}

export function answerInvite(sessionId: string, decision: InviteDecision): void {
  const answer = openInvites.get(sessionId);
  forgetInvite(sessionId);
  answer?.(decision);
}

/** Stops showing an invite that no longer needs an answer. */
export function forgetInvite(sessionId: string): void {
  openInvites.delete(sessionId);
  update(({ invites }) => (invites.includes(sessionId) ? { invites: invites.filter((id) => id !== sessionId) } : null));
}

function connectAs({ name, token }: SignIn, isCurrent: () => boolean): Promise<HumanClient> {
  const { readOnly } = store.get();
  return connectHuman(hubAddress(), {
    name,
    ...(token === null ? {} : { token }),
    // Read-only mode must not register the name.
    register: !readOnly,
    reconnect: { minMs: 200, maxMs: 4000 },
    onInvite: ({ session }) =>
      new Promise((resolve) => {
        openInvites.set(session.id, resolve);
        update(({ invites }) => ({ invites: [...invites.filter((id) => id !== session.id), session.id] }));
        // Forget the invite when its session ends; ignore the rejection of ended() when the client closes.
        session.ended().then(
          () => forgetInvite(session.id),
          () => {},
        );
      }),
    onDelta: (delta) => pushListenerOf(delta.session_id)?.onDelta(delta),
    onState(state) {
      if (!isCurrent() || currentClient() === null) return;
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

/** Retries if the hub did not answer; a rejection is final. */
function handleFailure(thrown: unknown, wanted: SignIn, isTry: boolean): void {
  const mine = attempt;
  if (thrown instanceof WireError && (thrown.code === 'unavailable' || thrown.code === 'timeout')) {
    update(() => ({ connection: { kind: 'away' } }));
    setTimeout(() => {
      if (mine === attempt) void signIn(wanted, { isTry });
    }, RETRY_MS);
    return;
  }
  update(() => ({ connection: { kind: 'signed-out', why: isTry ? null : reasonOf(thrown) } }));
}

/** The WebSocket URL of the hub that serves this page. */
function hubAddress(): string {
  const address = new URL('.', location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = '';
  address.hash = '';
  return address.href;
}
