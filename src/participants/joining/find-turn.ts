/** Finds the open turn of a session, the envelope that gave it, and whether an earlier run began or answered it. */

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
  /** The envelope to answer; null if none is visible to this participant. */
  readonly causationId: string | null;
  /** The seq since which this participant has the turn; null if the session gives no turns. */
  readonly since: number | null;
}

/** Codes that mean this participant cannot post, although it was offered the turn. */
const NOT_NOW: readonly WireCode[] = ['not_your_turn', 'session_closed', 'not_found'];
/** Codes to ignore: temporary, or caused only by the empty text used for the check. */
const PASSES: readonly WireCode[] = ['rate_limited', 'inbox_full', 'unavailable', 'timeout', 'protocol_error'];

/** null if there is nothing to answer. Throws if an answer would be rejected. */
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
  const found = openTurn(client, session, info, since, answered, kept);
  if (since === null && found.turn.resumed && (await wasAnswered(client, session, answered))) return null;
  if (!can.can && !PASSES.includes(can.code ?? 'internal')) throw new TurnClosedError(found, String(can.why));
  return found;
}

export class TurnClosedError extends HubError {
  readonly found: OpenTurn;

  constructor(found: OpenTurn, why: string) {
    super('unwanted', `an answer would be rejected: ${why}`);
    this.found = found;
  }
}

function openTurn(
  client: AgentClient,
  session: Session,
  info: Result<'get_session'>,
  since: number | null,
  answered: Envelope | null,
  kept: number | null,
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
    // An earlier run may have begun any turn from before this connection.
    resumed: answered !== null && answered.created_at < client.welcomedAt,
  };
  return { turn, info, causationId: answered?.envelope_id ?? null, since };
}

/** The first envelope from `seq` on that this participant can see. */
async function givenBy(session: Session, seq: number): Promise<Envelope | null> {
  for await (const envelope of session.log({ fromSeq: Math.max(1, seq), pageSize: 1 })) return envelope;
  return null;
}

/** Seq of this participant's latest message in the turn that did not pass it on and used up the turn's key; null if none. */
async function keptBy(client: AgentClient, session: Session, since: number): Promise<number | null> {
  let newest: number | null = null;
  for await (const { sender_id, event_type, seq } of session.log({ fromSeq: since + 1 })) {
    if (sender_id === client.agentId && event_type.startsWith('msg.')) newest = seq;
  }
  return newest;
}

/** Without a turn, only the log shows whether a message was answered. */
async function wasAnswered(client: AgentClient, session: Session, answered: Envelope | null): Promise<boolean> {
  if (answered === null) return false;
  for await (const { sender_id, causation_id } of session.log({ fromSeq: answered.seq + 1 })) {
    if (sender_id === client.agentId && causation_id === answered.envelope_id) return true;
  }
  return false;
}

/** Maximum number of reads, about 15 s in total. */
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
      log.warn('reading a turn failed; retrying', { session_id: session.id, error: message, waitMs });
    },
    clock,
    signal,
  });
}

/** Builds the known part of an unreadable turn, enough to report its failure. */
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
