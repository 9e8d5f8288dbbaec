/** Re-exports former names, which stay importable until 1.0. */

export type {
  /** @deprecated Use `AcceptanceFailure`. */
  AcceptanceFailure as NotAccepted,
  /** @deprecated Use `AcceptInput`. */
  AcceptInput as ToAccept,
} from './acceptance/accept.ts';
export {
  /** @deprecated Use `AcceptanceIndex`. */
  type AcceptanceIndex as Books,
  /** @deprecated Use `buildAcceptanceIndex`. */
  buildAcceptanceIndex as booksOf,
} from './acceptance/acceptance-index.ts';
export {
  /** @deprecated Use `checkDecision`. */
  checkDecision as refusedDecision,
} from './acceptance/decisions.ts';
export type {
  /** @deprecated Use `GateRequest`. */
  GateRequest as GateAsked,
} from './coordinator/approve.ts';
export {
  /** @deprecated Use `ownerByPath`. */
  ownerByPath as ownerByText,
  /** @deprecated Use `ProjectInput`. */
  type ProjectInput as ToProject,
} from './coordinator/projection.ts';
export {
  /** @deprecated Use `assignEventIds`. */
  assignEventIds as withIds,
} from './events/events.ts';
export {
  /** @deprecated Use `describeReason`. */
  describeReason as sentenceOf,
} from './gates/verdict.ts';
export type {
  /** @deprecated Use `EscalationInput`. */
  EscalationInput as EscalationGiven,
} from './run/block.ts';
export type {
  /** @deprecated Use `RunInit`. */
  RunInit as Beginning,
  /** @deprecated Use `TransitionRequest`. */
  TransitionRequest as TransitionAsked,
} from './run/transition.ts';
export type {
  /** @deprecated Use `ValidateInput`. */
  ValidateInput as ToValidate,
} from './turn-result/validate.ts';
