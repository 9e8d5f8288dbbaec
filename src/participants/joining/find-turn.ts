/** Finds what there is to do in a session: which turn is open, what gave it, and whether an earlier run began or answered it. */

import type { AgentClient, Message, Session, TurnOffer } from '../../client/index.ts';
import { HubError, type WireCode, type WireError } from '../../core/lib/errors.ts';
import type { CancelSignal } from '../../core/ports/platform.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { nameOf } from '../../core/records/session/session.ts';
import { backoffMs, retry } from '../lib/retry.ts';
import { answersOnlyAssignedTurns, turnText } from './governed-turn.ts';
import type { AgentTurn } from './handlers.ts';
import type { ResolvedJoinOptions } from './join-options.ts';

export interface OpenTurn {
  readonly turn: AgentTurn;
  readonly info: Result<'get_session'>;
  /** What the answer answers; null = this participant saw nothing of it. */
  readonly causationId: string | null;
  /** The seq since which this participant has the turn; null = nobody is expected in particular. */
  readonly since: number | null;
}

/** It is not for this participant to speak, whatever it was offered. */
const NOT_NOW: readonly WireCode[] = ['not_your_turn', 'session_closed', 'not_found'];
/** What may have passed by the time there is an answer, or is only true of the empty text that was asked about. */
const PASSES: readonly WireCode[] = ['rate_limited', 'inbox_full', 'unavailable', 'timeout', 'protocol_error'];

/** null = there is nothing to answer. Throws if no answer would be taken, and why. */
export async function findTurn(
  client: AgentClient,
  session: Session,
  message: Message | null,
): Promise<OpenTurn | null> {
  const [info, can] = await Promise.all([session.info(), session.canSend()]);
  if (!can.can && NOT_NOW.includes(can.code ?? 'internal')) return null;
  const since = info.turn?.since_seq ?? null;
  if (since !== null && info.turn?.agent_id !== client.agentId) return null;
  if (since === null && (message === null || answersOnlyAssignedTurns(info))) return null;
  const answered = message?.envelope ?? (await givenBy(session, since ?? 0));
  const kept = since === null ? null : await keptBy(client, session, since);
  const found = openTurn(client, session, info, { since, answered, kept });
  if (since === null && found.turn.resumed && (await wasAnswered(client, session, answered))) return null;
  if (!can.can && !PASSES.includes(can.code ?? 'internal')) throw new TurnClosedError(found, String(can.why));
  return found;
}

/** An answer would be refused. */
export class TurnClosedError extends HubError {
  readonly found: OpenTurn;

  constructor(found: OpenTurn, why: string) {
    super('unwanted', `an answer would be refused: ${why}`);
    this.found = found;
  }
}

function openTurn(
  client: AgentClient,
  session: Session,
  info: Result<'get_session'>,
  {
    since,
    answered,
    kept,
  }: { readonly since: number | null; readonly answered: Envelope | null; readonly kept: number | null },
): OpenTurn {
  const seq = since ?? answered?.seq ?? 0;
  const isSaid = answered !== null && info.session.participants.some(({ agent_id }) => agent_id === answered.sender_id);
  const turn: AgentTurn = {
    session,
    type: info.session.manifest.type,
    seq,
    from: isSaid ? nameOf(info.session, answered.sender_id) : null,
    text: isSaid ? turnText(answered) : '',
    idempotencyKey: `turn:${session.id}:${seq}${kept === null ? '' : `:${kept}`}`,
    // What was there before this run may have been begun by another.
    resumed: answered !== null && answered.created_at < client.welcomedAt,
  };
  return { turn, info, causationId: answered?.envelope_id ?? null, since };
}

/** The first this participant can see from there on. */
async function givenBy(session: Session, seq: number): Promise<Envelope | null> {
  for await (const envelope of session.log({ fromSeq: Math.max(1, seq), pageSize: 1 })) return envelope;
  return null;
}

/** The seq of the newest that it said in this turn and did not pass it on with: that has used up the key of the turn. */
async function keptBy(client: AgentClient, session: Session, since: number): Promise<number | null> {
  let newest: number | null = null;
  for await (const { sender_id, event_type, seq } of session.log({ fromSeq: since + 1 })) {
    if (sender_id === client.agentId && event_type.startsWith('msg.')) newest = seq;
  }
  return newest;
}

/** Where nobody has the turn only the log says what was answered. */
async function wasAnswered(client: AgentClient, session: Session, answered: Envelope | null): Promise<boolean> {
  if (answered === null) return false;
  for await (const { sender_id, causation_id } of session.log({ fromSeq: answered.seq + 1 })) {
    if (sender_id === client.agentId && causation_id === answered.envelope_id) return true;
  }
  return false;
}

/** About a quarter of a minute in all. */
const TRIES = 8;
const READ_AGAIN: readonly WireCode[] = ['unavailable', 'timeout', 'internal', 'rate_limited'];

export function readWithRetry<T>(
  read: () => Promise<T>,
  session: Session,
  { clock, log }: Pick<ResolvedJoinOptions, 'clock' | 'log'>,
  signal: CancelSignal,
): Promise<T> {
  return retry(read, {
    tries: TRIES,
    pauseMs: (refused, tries) => (READ_AGAIN.includes(refused.code) ? backoffMs(refused, tries) : null),
    onWait({ message }: WireError, waitMs) {
      log.warn('a turn could not be read, and is tried again', { session_id: session.id, error: message, waitMs });
    },
    clock,
    signal,
  });
}

/** As much as was heard of it: enough to say that it failed. */
export function unreadTurn(
  client: AgentClient,
  session: Session,
  { message }: Pick<TurnOffer, 'message'>,
): Pick<OpenTurn, 'turn' | 'since'> {
  const since = session.turn?.agent_id === client.agentId ? session.turn.since_seq : null;
  const seq = since ?? message?.envelope.seq ?? 0;
  const idempotencyKey = `turn:${session.id}:${seq}`;
  return { turn: { session, type: '', seq, from: null, text: '', idempotencyKey, resumed: false }, since };
}
