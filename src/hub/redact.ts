/** Hides the content of an envelope for good: from the answer on nobody is shown it, and its bytes go at the next archive. */

import { noSuchSession } from '../core/decisions/admit.ts';
import type { Envelope } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import { heldByState } from '../core/state/find-in-state.ts';
import { OPERATIONS, type Params, type Result } from '../core/operations.ts';
import { digestsOf, hiddenIn, hiddenMember, type Redaction, type RedactionRecord } from '../core/records/session/redaction.ts';
import { isTerminal, participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import { isoFromMs } from '../core/time.ts';
import { boundCaller, notBound } from './caller.ts';
import type { Handler } from './handler.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import { redactedIn } from './sessions/redactions.ts';

type Answer = Result<'redact'>;

export const redact: Handler<'redact'> = (parts, caller, params) => {
  const by = boundCaller(caller);
  parts.backlog.check();
  return parts.sessions.use(params.session_id, (session) => {
    checkOperates(parts, session, by.agentId);
    return redactIn(parts, session, params, by.agentId, () => {
      if (!parts.bindings.mayAct(by)) throw notBound(by.name);
    });
  });
};

/** By whoever runs the hub. */
export async function redactByOwner(parts: HubParts, params: Params<'redact'>): Promise<Answer> {
  const asked = OPERATIONS.redact.params.parse(params, 'redact');
  parts.backlog.check();
  return parts.sessions.use(asked.session_id, (session) => redactIn(parts, session, asked, null, () => {}));
}

/** Who is not in the session, and has no grant, does not learn that there is one. */
function checkOperates({ registry }: HubParts, { durable, sessionId }: LiveSession, agentId: string): void {
  if (durable === null) throw noSuchSession(sessionId);
  if (registry.holds(agentId, 'operate')) return;
  if (participantOf(durable.metadata, agentId) === undefined) throw noSuchSession(sessionId);
  throw new WireError('forbidden', 'this takes the grant "operate", also in a session of your own');
}

async function redactIn(
  parts: HubParts,
  session: LiveSession,
  {
    session_id,
    seq,
    reason = null,
  }: Omit<Params<'redact'>, 'reason'> & { readonly reason?: string | null | undefined },
  by: string | null,
  checkBound: () => void,
): Promise<Answer> {
  const envelope = await envelopeAt(parts, session, seq);
  checkBound();
  const state = session.durable;
  if (state === null) throw noSuchSession(session_id);
  const answer = answering(envelope);
  // Its bytes are gone: nothing can be learnt from it any more.
  if (envelope.redacted !== undefined) return { ...answer(envelope.redacted, true), duplicate: true };
  checkRedactable(state, envelope);
  const pin = session.pin();
  const { envelope_id } = envelope;
  const at = isoFromMs(parts.clock.now());
  const record: RedactionRecord = { session_id, seq, envelope_id, by, at, reason, ...digestsOf(envelope), pin };
  return parts.redactions.admit<Answer>((book) => {
    const known = redactedIn(book, envelope_id);
    // Again only to pin what could not be pinned then; who did it first, and why, stays.
    if (known !== undefined && (known.pinnedAt !== null || pin === null)) {
      return { kind: 'nothing', answer: { ...answer(known, known.pinnedAt !== null), duplicate: true } };
    }
    const first = known === undefined ? record : { ...record, by: known.by, at: known.at, reason: known.reason };
    return parts.redactions.write(book, first, answer(first, pin !== null));
  });
}

async function envelopeAt({ store }: HubParts, { sessionId, durable }: LiveSession, seq: number): Promise<Envelope> {
  const head = durable?.head.seq ?? 0;
  const [entry] = seq > head ? [] : await store.read(sessionId, { from_seq: seq, to_seq: seq, limit: 1 });
  if (entry !== undefined) return entry.envelope;
  const message = `session ${sessionId} has no envelope ${seq} that can be read; its newest is ${head}`;
  throw new WireError('not_found', message, { field: 'params.seq', received: seq });
}

function checkRedactable(state: SessionState, envelope: Envelope): void {
  const { event_type, seq, session_id } = envelope;
  if (hiddenMember(envelope) === undefined) {
    const message = `seq ${seq} is "${event_type}" of which nothing can be hidden: it makes session ${session_id} what it is`;
    throw new WireError('forbidden', message, { field: 'params.seq', event_type });
  }
  if (state.delegations.some((open) => open.seq === seq)) {
    const message = `seq ${seq} is a delegation that is not settled: its question is still needed`;
    throw new WireError('conflict', message, { field: 'params.seq' });
  }
  const held = heldByState(state, hiddenIn(envelope));
  if (held === null) return;
  const isOver = isTerminal(state.metadata.state);
  const next = isOver ? 'the session has ended, so that stays' : 'change that first, then redact';
  const message = `the state of session ${session_id} holds what seq ${seq} says, as ${held}; ${next}`;
  throw new WireError('conflict', message, { field: 'params.seq', held });
}

function answering({ session_id, seq, envelope_id }: Envelope) {
  return ({ by, at, reason, digest, key_digest }: Redaction, pinned: boolean): Answer => {
    return { session_id, seq, envelope_id, redacted: { by, at, reason, digest, key_digest }, pinned };
  };
}
