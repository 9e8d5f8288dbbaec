/** A golden log pins the behaviour of one (type, version) of an adapter: its results for one history. */

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
      /** null for hub envelopes. */
      readonly result: AdapterResult | null;
    }
  | {
      readonly draft: Draft;
      /** null if the draft was accepted. */
      readonly refusal: {
        readonly code: string;
        readonly message: string;
        readonly details: ErrorDetails | null;
      } | null;
    };

/** Plays a log from `session.created`, including drafts to be rejected. Store the result as JSON. */
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

/** Plays the same history with the current adapter. */
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
