/** What there is to do in a session: which turn is open, what gave it, and whether an earlier run has begun or answered it. */

import type { AgentClient, Message, Session } from '../../client/index.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { HubError, type WireCode } from '../../core/lib/errors.ts';
import type { Result } from '../../core/operations.ts';
import { nameOf } from '../../core/records/session/session.ts';
import { speaksWhenAsked, turnText } from './governed-turn.ts';
import type { TakenTurn } from './handlers.ts';

export interface OpenTurn {
  readonly turn: TakenTurn;
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
  if (since === null && (message === null || speaksWhenAsked(info))) return null;
  const answered = message?.envelope ?? (await givenBy(session, since ?? 0));
  const kept = since === null ? null : await keptBy(client, session, since);
  const found = openTurn(client, session, info, { since, answered, kept });
  if (since === null && found.turn.resumed && (await wasAnswered(client, session, answered))) return null;
  if (!can.can && !PASSES.includes(can.code ?? 'internal')) throw new Unwanted(found, String(can.why));
  return found;
}

/** An answer would be refused. */
export class Unwanted extends HubError {
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
  const turn: TakenTurn = {
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
