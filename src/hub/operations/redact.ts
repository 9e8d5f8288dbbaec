/** Redacts an envelope: nobody reads its content after the answer, and the next archive removes its bytes. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { WireError } from '../../core/lib/errors.ts';
import { isoFromMs } from '../../core/lib/time.ts';
import type { RedactionRecord } from '../../core/ports/store.ts';
import { OPERATIONS, type Params } from '../../core/protocol/operations/operations.ts';
import type { RedactAnswer } from '../../core/protocol/operations/sessions.ts';
import type { Envelope, Redaction } from '../../core/records/session/envelope.ts';
import { digestsOf, redactableContent, redactableField } from '../../core/records/session/redaction.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { findInState } from '../../core/state/find-in-state.ts';
import type { SessionState } from '../../core/state/state.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { findRedaction } from '../sessions/redactions.ts';
import { grantRefusal } from './run-operation.ts';

type RedactorNeeds = Pick<
  SharedRooms,
  'clock' | 'store' | 'backlog' | 'bindings' | 'registry' | 'sessions' | 'redactions'
>;

/** The operator, or the host application (agentId null). */
interface Redactor {
  readonly agentId: string | null;
  checkBound(): void;
}

export class Redacting {
  private readonly needs: RedactorNeeds;

  constructor(needs: RedactorNeeds) {
    this.needs = needs;
  }

  redact(by: Binding, params: Params<'redact'>): Promise<RedactAnswer> {
    const { backlog, bindings, sessions } = this.needs;
    backlog.check();
    const checkBound = (): void => {
      if (!bindings.mayAct(by)) throw notBoundError(by.name);
    };
    return sessions.use(params.session_id, (session) => {
      if (session.durable === null) throw sessionNotFoundError(params.session_id);
      const refusal = grantRefusal(this.needs.registry, by, 'operate', session.durable.metadata);
      if (refusal !== null) throw refusal;
      return this.redactIn(session, params, { agentId: by.agentId, checkBound });
    });
  }

  async redactByOwner(params: Params<'redact'>): Promise<RedactAnswer> {
    const asked = OPERATIONS.redact.params.parse(params, 'redact');
    this.needs.backlog.check();
    return this.needs.sessions.use(asked.session_id, (session) =>
      this.redactIn(session, asked, { agentId: null, checkBound() {} }),
    );
  }

  private async redactIn(
    session: LiveSession,
    { session_id, seq, reason }: Params<'redact'>,
    { agentId: by, checkBound }: Redactor,
  ): Promise<RedactAnswer> {
    const { clock, redactions } = this.needs;
    const envelope = await this.envelopeAt(session, seq);
    checkBound();
    const state = session.durable;
    if (state === null) throw sessionNotFoundError(session_id);
    const answer = answering(envelope);
    // The envelope's bytes are already removed.
    if (envelope.redacted !== undefined) return { ...answer(envelope.redacted, true), duplicate: true };
    checkRedactable(state, envelope);
    const pin = session.pin();
    const { envelope_id } = envelope;
    const at = isoFromMs(clock.now());
    const record: RedactionRecord = {
      session_id,
      seq,
      envelope_id,
      by,
      at,
      reason: reason ?? null,
      ...digestsOf(envelope),
      pin,
    };
    return redactions.admit<RedactAnswer>((book) => {
      const known = findRedaction(book, envelope_id);
      // Record it again only to pin a state that could not be pinned before; the first author and reason stay.
      if (known !== undefined && (known.pinnedAt !== null || pin === null)) {
        return { kind: 'nothing', answer: { ...answer(known, known.pinnedAt !== null), duplicate: true } };
      }
      const first = known === undefined ? record : { ...record, by: known.by, at: known.at, reason: known.reason };
      return redactions.write(book, first, answer(first, pin !== null));
    });
  }

  private async envelopeAt({ sessionId, durable }: LiveSession, seq: number): Promise<Envelope> {
    const head = durable?.head.seq ?? 0;
    const [entry] = seq > head ? [] : await this.needs.store.read(sessionId, { from_seq: seq, to_seq: seq, limit: 1 });
    if (entry !== undefined) return entry.envelope;
    const message = `session ${sessionId} has no readable envelope ${seq}; its newest is ${head}`;
    throw new WireError('not_found', message, { field: 'params.seq', received: seq });
  }
}

function checkRedactable(state: SessionState, envelope: Envelope): void {
  const { event_type, seq, session_id } = envelope;
  if (redactableField(envelope) === undefined) {
    const message = `seq ${seq} is "${event_type}", which cannot be redacted: session ${session_id} depends on it`;
    throw new WireError('forbidden', message, { field: 'params.seq', event_type });
  }
  if (state.delegations.some((open) => open.seq === seq)) {
    const message = `seq ${seq} is an open delegation: its prompt is still needed; redact it once it is settled`;
    throw new WireError('conflict', message, { field: 'params.seq' });
  }
  const held = findInState(state, redactableContent(envelope));
  if (held === null) return;
  const isOver = isTerminal(state.metadata.state);
  const next = isOver ? 'the session has ended, so it cannot change' : 'change that first, then redact';
  const message = `the state of session ${session_id} holds the content of seq ${seq} as ${held}; ${next}`;
  throw new WireError('conflict', message, { field: 'params.seq', held });
}

function answering({ session_id, seq, envelope_id }: Envelope) {
  return ({ by, at, reason, digest, key_digest }: Redaction, pinned: boolean): RedactAnswer => {
    return { session_id, seq, envelope_id, redacted: { by, at, reason, digest, key_digest }, pinned };
  };
}
