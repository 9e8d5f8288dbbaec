/** A golden log: what one version of an adapter made of one history. (type, version) is the behaviour, and this pins it. */

import { type ErrorDetails, isProtocolError } from '../../core/lib/errors.ts';
import { type AdapterResult, completeAdapter, type SessionAdapter } from '../../core/ports/adapter.ts';
import { type Draft, type Envelope, HUB_ID, type Turn } from '../../core/records/session/envelope.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';

export interface GoldenLog {
  readonly type: string;
  readonly version: number;
  readonly steps: readonly GoldenStep[];
}

export type GoldenStep =
  | {
      readonly envelope: Envelope;
      readonly state: unknown;
      readonly turn: Turn | null;
      /** null for the hub's own envelopes. */
      readonly result: AdapterResult | null;
    }
  | {
      readonly draft: Draft;
      /** null = it was not refused. */
      readonly refusal: {
        readonly code: string;
        readonly message: string;
        readonly details: ErrorDetails | null;
      } | null;
    };

/** Plays a log from `session.created` on, with the drafts in it that are to be refused. Store the result as JSON. */
export function recordGolden(given: SessionAdapter, inputs: readonly (Envelope | Draft)[]): GoldenLog {
  const adapter = completeAdapter(given);
  const { type, version } = adapter.manifest;
  let position: SessionState | null = null;
  const judge = (draft: Draft) =>
    position === null || adapter.validateSend(position.metadata, draft, position.adapter_state);
  const steps = inputs.map((input): GoldenStep => {
    if (!('seq' in input)) return { draft: input, refusal: refusalOf(() => judge(input)) };
    const byHub = input.sender_id === HUB_ID;
    if (!byHub) judge(input);
    position = foldEnvelope(position, input, { adapter, epoch: 1 });
    const { metadata, adapter_state: state, head } = position;
    const result = byHub ? null : adapter.onAccepted(metadata, input, state);
    return { envelope: input, state, turn: head.turn, result };
  });
  return { type, version, steps };
}

/** The same history again, as this adapter takes it now. */
export function replayGolden(given: SessionAdapter, golden: GoldenLog): GoldenLog {
  return recordGolden(
    given,
    golden.steps.map((step) => ('envelope' in step ? step.envelope : step.draft)),
  );
}

function refusalOf(judge: () => unknown): Extract<GoldenStep, { draft: Draft }>['refusal'] {
  try {
    judge();
    return null;
  } catch (thrown) {
    if (!isProtocolError(thrown)) throw thrown;
    return { code: thrown.code, message: thrown.message, details: thrown.details ?? null };
  }
}
